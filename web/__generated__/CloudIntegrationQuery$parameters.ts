/**
 * @generated SignedSource<<3b23c2791675e3a5138ad2e746baa693>>
 * @relayHash 3196ba449986e9cdad920a6b7bf37c11
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 46b461b0e3af55c7dcb20b9d9d098de19ed920206371fca96e25537d466ac7a9

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "46b461b0e3af55c7dcb20b9d9d098de19ed920206371fca96e25537d466ac7a9",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
