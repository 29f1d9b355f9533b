/**
 * @generated SignedSource<<c5a544d8440b380d6b7e2841349e541a>>
 * @relayHash fe2f9b3a1b7eafc63762005beb5df4f1
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 14866272be8b54e51b16d7f5aae537dcccc3a45f4937af1ba6321a947405582a

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "14866272be8b54e51b16d7f5aae537dcccc3a45f4937af1ba6321a947405582a",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
