/**
 * @generated SignedSource<<3fede8dd6e6b5e74171232dedf8efb5f>>
 * @relayHash 52d73be7d3bf7d230163e53fab09da81
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 0d6eaffd52959fbdc2a2f6ce0070e212bb246292afb536ee5e6eb475c141b7a7

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "0d6eaffd52959fbdc2a2f6ce0070e212bb246292afb536ee5e6eb475c141b7a7",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
