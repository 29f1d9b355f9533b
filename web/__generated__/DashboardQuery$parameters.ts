/**
 * @generated SignedSource<<8732678a9ab80b2e803ce6d90fc84bbf>>
 * @relayHash f7f7de6cac235c4050f0e27d00563d02
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 9d411ef7bccfab4f4975e251fb3125032dedad86baf3e9dc68ecfb8d2a66b3da

import { PreloadableConcreteRequest } from 'relay-runtime';
import { DashboardQuery } from './DashboardQuery.graphql';

const node: PreloadableConcreteRequest<DashboardQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "9d411ef7bccfab4f4975e251fb3125032dedad86baf3e9dc68ecfb8d2a66b3da",
    "metadata": {},
    "name": "DashboardQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
