/**
 * @generated SignedSource<<992cd470a2080f6ea4e1693952ce1feb>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
export type PoolUse = "EXTRA_COPIES" | "FULL" | "NONE" | "%future added value";
export type ProviderGlyph = "APERTURE" | "BOX" | "BRANCH" | "CLOUD" | "CYLINDER" | "DIAMOND" | "GLOBE" | "RING" | "SEND" | "SERVER" | "SHIELD" | "TERMINAL" | "TRIANGLE" | "%future added value";
export type QuotaState = "KNOWN" | "UNKNOWN" | "UNLIMITED" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type AccountChoice_viewer$data = {
  readonly accounts: ReadonlyArray<{
    readonly glyph: ProviderGlyph;
    readonly hue: number;
    readonly id: string;
    readonly name: string;
    readonly poolReason: string | null | undefined;
    readonly poolUse: PoolUse;
    readonly quota: {
      readonly reservedBytes: number;
      readonly state: QuotaState;
      readonly totalBytes: number | null | undefined;
      readonly usedBytes: number;
    };
    readonly status: AccountStatus;
  }>;
  readonly " $fragmentType": "AccountChoice_viewer";
};
export type AccountChoice_viewer$key = {
  readonly " $data"?: AccountChoice_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"AccountChoice_viewer">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "AccountChoice_viewer",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "Account",
      "kind": "LinkedField",
      "name": "accounts",
      "plural": true,
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
          "name": "glyph",
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
          "concreteType": "Quota",
          "kind": "LinkedField",
          "name": "quota",
          "plural": false,
          "selections": [
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
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "state",
              "storageKey": null
            }
          ],
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "User",
  "abstractKey": null
};

(node as any).hash = "74e430b6381973b33f59466158d5c109";

export default node;
