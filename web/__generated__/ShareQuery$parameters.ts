/**
 * @generated SignedSource<<918e626047be76b7fd4b4962a05e6e3c>>
 * @relayHash d711737f4ef3e8a07ee05ff864a909e5
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 2cdc6136da5cc4f9c865908b9c6b77f8e0960cb1b37cec1eb265fa0ef3e72494

import { PreloadableConcreteRequest } from 'relay-runtime';
import { ShareQuery } from './ShareQuery.graphql';

const node: PreloadableConcreteRequest<ShareQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "2cdc6136da5cc4f9c865908b9c6b77f8e0960cb1b37cec1eb265fa0ef3e72494",
    "metadata": {},
    "name": "ShareQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
