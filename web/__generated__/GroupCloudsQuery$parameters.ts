/**
 * @generated SignedSource<<b2b7ccb691d46de6942a13db7e5b1052>>
 * @relayHash 4c53e778dc23f8c126619a22ae760d00
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 09430d07230cf82b28bacf49bec2e626e765dd8e6ac04fdb5b701929ce9821de

import { PreloadableConcreteRequest } from 'relay-runtime';
import { GroupCloudsQuery } from './GroupCloudsQuery.graphql';

const node: PreloadableConcreteRequest<GroupCloudsQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "09430d07230cf82b28bacf49bec2e626e765dd8e6ac04fdb5b701929ce9821de",
    "metadata": {},
    "name": "GroupCloudsQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
