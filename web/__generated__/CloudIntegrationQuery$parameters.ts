/**
 * @generated SignedSource<<81f38c0321d7fe7d82d4ce2bba3a5e71>>
 * @relayHash 809af5248b5a5cec36a1e1ff77cc04b3
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 6aad2310ff70d51ecd8145abfd31a89f64b9dd2df98c1caa853daa3ac99c0e90

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "6aad2310ff70d51ecd8145abfd31a89f64b9dd2df98c1caa853daa3ac99c0e90",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
