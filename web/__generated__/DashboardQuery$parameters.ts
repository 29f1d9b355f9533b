/**
 * @generated SignedSource<<5b2fe645e8bb8301a165ef5eb1506a50>>
 * @relayHash 52fca33319a96a75396ea8653ebd4c0f
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 432058dde766b10edbf975c2c8cf283beecc355cb91c7db53f14a13f4ac9df43

import { PreloadableConcreteRequest } from 'relay-runtime';
import { DashboardQuery } from './DashboardQuery.graphql';

const node: PreloadableConcreteRequest<DashboardQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "432058dde766b10edbf975c2c8cf283beecc355cb91c7db53f14a13f4ac9df43",
    "metadata": {},
    "name": "DashboardQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
