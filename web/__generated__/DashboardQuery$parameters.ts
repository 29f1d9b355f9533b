/**
 * @generated SignedSource<<67d76bd9301e087f65c6f3b01c9f7467>>
 * @relayHash 1e347b02f155d0d738c90feed0569b85
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID cae96ad48a6dba1d0586552a2366175a25a344f5f6bb41515bc9344716224cc8

import { PreloadableConcreteRequest } from 'relay-runtime';
import { DashboardQuery } from './DashboardQuery.graphql';

const node: PreloadableConcreteRequest<DashboardQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "cae96ad48a6dba1d0586552a2366175a25a344f5f6bb41515bc9344716224cc8",
    "metadata": {},
    "name": "DashboardQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
