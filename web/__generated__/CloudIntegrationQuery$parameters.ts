/**
 * @generated SignedSource<<834f0f467ebcbf3461c3199244bff35e>>
 * @relayHash 4b57a0a5d47c2012dfde22e61b249865
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 5667fb3899e2d30a3f5f9a9f8bc8f34110f2e9644bde144507462ae75ff4f35c

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "5667fb3899e2d30a3f5f9a9f8bc8f34110f2e9644bde144507462ae75ff4f35c",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
