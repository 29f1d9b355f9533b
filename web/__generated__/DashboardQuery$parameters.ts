/**
 * @generated SignedSource<<09c36f83f32cb227064479ec0c305005>>
 * @relayHash 8ce731ff575cbd5fde2d638462a91a6f
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 6b016e47b0e01914a2523ce71cbdd9dccaaf98e9ab6a497fa0c4c62d51c411f8

import { PreloadableConcreteRequest } from 'relay-runtime';
import { DashboardQuery } from './DashboardQuery.graphql';

const node: PreloadableConcreteRequest<DashboardQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "6b016e47b0e01914a2523ce71cbdd9dccaaf98e9ab6a497fa0c4c62d51c411f8",
    "metadata": {},
    "name": "DashboardQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
