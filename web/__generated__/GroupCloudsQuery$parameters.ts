/**
 * @generated SignedSource<<2b6505211ec5467999b5dd9787a7b866>>
 * @relayHash b345a89c16818e760c7d03196632063e
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 05058c1fa8ee742d0478f61c524160bc18a3375f8fff6ccc995b4be013f81717

import { PreloadableConcreteRequest } from 'relay-runtime';
import { GroupCloudsQuery } from './GroupCloudsQuery.graphql';

const node: PreloadableConcreteRequest<GroupCloudsQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "05058c1fa8ee742d0478f61c524160bc18a3375f8fff6ccc995b4be013f81717",
    "metadata": {},
    "name": "GroupCloudsQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
