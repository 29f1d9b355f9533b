/**
 * @generated SignedSource<<183771a2cd68181e73f47596a93337ce>>
 * @relayHash 8b3d13906e22bfaeb8dce5fe245f6bbd
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 9e9080c8f13e8306fe1627f06adeff7732d0fa577d7f8420d7d7e9f7d9f0e313

import { PreloadableConcreteRequest } from 'relay-runtime';
import { KeysQuery } from './KeysQuery.graphql';

const node: PreloadableConcreteRequest<KeysQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "9e9080c8f13e8306fe1627f06adeff7732d0fa577d7f8420d7d7e9f7d9f0e313",
    "metadata": {},
    "name": "KeysQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
