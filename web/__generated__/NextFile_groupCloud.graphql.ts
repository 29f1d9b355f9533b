/**
 * @generated SignedSource<<773da96f33839e186ac49afd59d9227b>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
export type PlacementRule = "IN_ORDER" | "MOST_FREE" | "ROUND_ROBIN" | "%future added value";
export type QuotaState = "KNOWN" | "UNKNOWN" | "UNLIMITED" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type NextFile_groupCloud$data = {
  readonly copies: number;
  readonly id: string;
  readonly members: ReadonlyArray<{
    readonly account: {
      readonly id: string;
      readonly quota: {
        readonly state: QuotaState;
      };
      readonly status: AccountStatus;
      readonly unreachableSince: string | null | undefined;
    };
    readonly allowOnlyCopy: boolean;
    readonly draining: boolean;
    readonly keepFreeBytes: number;
  }>;
  readonly placement: PlacementRule;
  readonly spanning: boolean;
  readonly " $fragmentType": "NextFile_groupCloud";
};
export type NextFile_groupCloud$key = {
  readonly " $data"?: NextFile_groupCloud$data;
  readonly " $fragmentSpreads": FragmentRefs<"NextFile_groupCloud">;
};

const node: ReaderFragment = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
};
return {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "NextFile_groupCloud",
  "selections": [
    (v0/*:: as any*/),
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
      "alias": null,
      "args": null,
      "concreteType": "GroupCloudMember",
      "kind": "LinkedField",
      "name": "members",
      "plural": true,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "keepFreeBytes",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "draining",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "allowOnlyCopy",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "concreteType": "Account",
          "kind": "LinkedField",
          "name": "account",
          "plural": false,
          "selections": [
            (v0/*:: as any*/),
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
              "name": "unreachableSince",
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
      "storageKey": null
    }
  ],
  "type": "GroupCloud",
  "abstractKey": null
};
})();

(node as any).hash = "273a0c2255c4a97b51d26509c0272fbd";

export default node;
