/**
 * @generated SignedSource<<b3c2abfb1ee7dcc640351149c849b0db>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type PlacementRule = "IN_ORDER" | "MOST_FREE" | "ROUND_ROBIN" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type PoolCard_groupCloud$data = {
  readonly copies: number;
  readonly defaultUploadGroup: boolean;
  readonly id: string;
  readonly name: string;
  readonly placement: PlacementRule;
  readonly spanning: boolean;
  readonly " $fragmentSpreads": FragmentRefs<"MembersTable_groupCloud" | "NextFile_groupCloud" | "PoolCapacity_groupCloud" | "PoolHealth_groupCloud">;
  readonly " $fragmentType": "PoolCard_groupCloud";
};
export type PoolCard_groupCloud$key = {
  readonly " $data"?: PoolCard_groupCloud$data;
  readonly " $fragmentSpreads": FragmentRefs<"PoolCard_groupCloud">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "PoolCard_groupCloud",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "id",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "name",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "defaultUploadGroup",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "placement",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "copies",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "spanning",
      "storageKey": null
    },
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "PoolCapacity_groupCloud"
    },
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "PoolHealth_groupCloud"
    },
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "MembersTable_groupCloud"
    },
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "NextFile_groupCloud"
    }
  ],
  "type": "GroupCloud",
  "abstractKey": null
};

(node as any).hash = "bceb669bf3bc1029e34de4b754725257";

export default node;
