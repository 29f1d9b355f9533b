/**
 * @generated SignedSource<<a66982959a4e19a707bcda3d8ffd23f8>>
 * @relayHash a359274a94b50c2d62fdaaca003826eb
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID c94813b6da23ca7eb8b1c6f554ab5901c197142f42531dc893b3c8febe5c2a1a

import { PreloadableConcreteRequest } from 'relay-runtime';
import { DashboardQuery } from './DashboardQuery.graphql';

const node: PreloadableConcreteRequest<DashboardQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "c94813b6da23ca7eb8b1c6f554ab5901c197142f42531dc893b3c8febe5c2a1a",
    "metadata": {},
    "name": "DashboardQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
