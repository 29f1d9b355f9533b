/**
 * @generated SignedSource<<f7dfa8cd85de0c3aecbbf96f5e0cb71e>>
 * @relayHash ffdfb2e829756ac441683d28a2248096
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID bc544615e15e5fc46cf9ff67366356da2a8dc72918606ffd668ae6e71ccbc845

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "bc544615e15e5fc46cf9ff67366356da2a8dc72918606ffd668ae6e71ccbc845",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
