/**
 * @generated SignedSource<<f0e202bed9a56298a30cf131392c6feb>>
 * @relayHash 493eb1a82396381186c62d4bbdad7690
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 1ff784e88d9759aacc67a30703268dfb124910613de95f6c54a522e75b4ab86a

import { PreloadableConcreteRequest } from 'relay-runtime';
import { ShareQuery } from './ShareQuery.graphql';

const node: PreloadableConcreteRequest<ShareQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "1ff784e88d9759aacc67a30703268dfb124910613de95f6c54a522e75b4ab86a",
    "metadata": {},
    "name": "ShareQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
