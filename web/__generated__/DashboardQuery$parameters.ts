/**
 * @generated SignedSource<<8321af2d572790974ce0598ff90a6148>>
 * @relayHash f00041e67e05e29cebe53eb7c31f5f0b
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 2d9f779077541ca0e65737183238441b0c4e482ec0ec47fea8d374a666933a98

import { PreloadableConcreteRequest } from 'relay-runtime';
import { DashboardQuery } from './DashboardQuery.graphql';

const node: PreloadableConcreteRequest<DashboardQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "2d9f779077541ca0e65737183238441b0c4e482ec0ec47fea8d374a666933a98",
    "metadata": {},
    "name": "DashboardQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
