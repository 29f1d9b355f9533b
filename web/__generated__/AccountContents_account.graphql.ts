/**
 * @generated SignedSource<<4e6c81aa53ac3f81eda2b22f2a3bbd01>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
export type ConnectsBy = "FORM" | "OAUTH" | "%future added value";
export type IndexPhase = "FIRST_PASS" | "HELD" | "LIVE" | "PAUSED" | "WALK" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type AccountContents_account$data = {
  readonly canShowEverything: boolean;
  readonly connectsBy: ConnectsBy | null | undefined;
  readonly id: string;
  readonly index: {
    readonly asOf: string | null | undefined;
    readonly entries: number;
    readonly expected: number | null | undefined;
    readonly heldDeletions: number;
    readonly phase: IndexPhase;
    readonly problem: string | null | undefined;
    readonly rootFileId: string;
    readonly startedAt: string | null | undefined;
  } | null | undefined;
  readonly name: string;
  readonly status: AccountStatus;
  readonly " $fragmentType": "AccountContents_account";
};
export type AccountContents_account$key = {
  readonly " $data"?: AccountContents_account$data;
  readonly " $fragmentSpreads": FragmentRefs<"AccountContents_account">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "AccountContents_account",
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
      "name": "status",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "canShowEverything",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "connectsBy",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "AccountIndex",
      "kind": "LinkedField",
      "name": "index",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "phase",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "entries",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "expected",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "startedAt",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "asOf",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "problem",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "heldDeletions",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "rootFileId",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "Account",
  "abstractKey": null
};

(node as any).hash = "8b29894f44bde7aadbe9b410d09f35e3";

export default node;
