/**
 * @generated SignedSource<<575655a9efd574a120e4d4c8636516a1>>
 * @relayHash 78f71218f60273b4587cbf6637d2e0f8
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 637a166714c2de8ea04fdecf155954609b0d4b4adf7340963bfbd471c4992e8d

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "637a166714c2de8ea04fdecf155954609b0d4b4adf7340963bfbd471c4992e8d",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
