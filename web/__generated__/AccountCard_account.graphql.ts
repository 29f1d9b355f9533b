/**
 * @generated SignedSource<<0d652bb0485dca1bdbabb319cbe34f7e>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
export type ConnectsBy = "FORM" | "OAUTH" | "%future added value";
export type PoolUse = "EXTRA_COPIES" | "FULL" | "NONE" | "%future added value";
export type ProviderGlyph = "APERTURE" | "BOX" | "BRANCH" | "CLOUD" | "CYLINDER" | "DIAMOND" | "GLOBE" | "RING" | "SEND" | "SERVER" | "SHIELD" | "TERMINAL" | "TRIANGLE" | "%future added value";
export type QuotaState = "KNOWN" | "UNKNOWN" | "UNLIMITED" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type AccountCard_account$data = {
  readonly atRiskFiles: number;
  readonly capabilities: ReadonlyArray<string>;
  readonly capacityBytes: number | null | undefined;
  readonly connectsBy: ConnectsBy | null | undefined;
  readonly createdAt: string;
  readonly email: string | null | undefined;
  readonly glyph: ProviderGlyph;
  readonly hue: number;
  readonly id: string;
  readonly name: string;
  readonly pausedUntil: string | null | undefined;
  readonly place: string | null | undefined;
  readonly poolReason: string | null | undefined;
  readonly poolUse: PoolUse;
  readonly provider: string;
  readonly providerName: string;
  readonly quota: {
    readonly reservedBytes: number;
    readonly state: QuotaState;
    readonly totalBytes: number | null | undefined;
    readonly usedBytes: number;
  };
  readonly status: AccountStatus;
  readonly statusReason: string | null | undefined;
  readonly unreachableSince: string | null | undefined;
  readonly writesPausedUntil: string | null | undefined;
  readonly " $fragmentSpreads": FragmentRefs<"AccountContents_account">;
  readonly " $fragmentType": "AccountCard_account";
} | null | undefined;
export type AccountCard_account$key = {
  readonly " $data"?: AccountCard_account$data;
  readonly " $fragmentSpreads": FragmentRefs<"AccountCard_account">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "AccountCard_account",
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
      "name": "email",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "place",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "provider",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "providerName",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "glyph",
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
      "kind": "ScalarField",
      "name": "hue",
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
      "name": "statusReason",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "unreachableSince",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "pausedUntil",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "writesPausedUntil",
      "storageKey": null
    },
    {
      "kind": "RequiredField",
      "field": {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "createdAt",
        "storageKey": null
      },
      "action": "NONE"
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "atRiskFiles",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "capacityBytes",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "poolUse",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "poolReason",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "capabilities",
      "storageKey": null
    },
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "AccountContents_account"
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "Quota",
      "kind": "LinkedField",
      "name": "quota",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "state",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "usedBytes",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "reservedBytes",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "totalBytes",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "Account",
  "abstractKey": null
};

(node as any).hash = "31ec75a2ffc83ec4b15c12459b2f9f56";

export default node;
