/**
 * @generated SignedSource<<acf94c474ceacc759a4babbb642ad17c>>
 * @relayHash 6c7e2bcafdbc4d1381aa0da8493bf001
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 1198fbe1eb6924e6d96a60839aeb701718e0416b9654c141f65af3d59f20cfa2

import { PreloadableConcreteRequest } from 'relay-runtime';
import { GroupCloudsQuery } from './GroupCloudsQuery.graphql';

const node: PreloadableConcreteRequest<GroupCloudsQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "1198fbe1eb6924e6d96a60839aeb701718e0416b9654c141f65af3d59f20cfa2",
    "metadata": {},
    "name": "GroupCloudsQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
