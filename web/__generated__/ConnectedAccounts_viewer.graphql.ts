/**
 * @generated SignedSource<<7f1a9f70709871090d96f3d24f06727f>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type ConnectedAccounts_viewer$data = {
  readonly accounts: ReadonlyArray<{
    readonly id: string;
    readonly provider: string;
    readonly status: AccountStatus;
    readonly unreachableSince: string | null | undefined;
    readonly " $fragmentSpreads": FragmentRefs<"AccountCard_account">;
  }>;
  readonly groupClouds: ReadonlyArray<{
    readonly id: string;
    readonly members: ReadonlyArray<{
      readonly account: {
        readonly id: string;
      };
    }>;
  }>;
  readonly " $fragmentType": "ConnectedAccounts_viewer";
};
export type ConnectedAccounts_viewer$key = {
  readonly " $data"?: ConnectedAccounts_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"ConnectedAccounts_viewer">;
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
  "name": "ConnectedAccounts_viewer",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "Account",
      "kind": "LinkedField",
      "name": "accounts",
      "plural": true,
      "selections": [
        (v0/*:: as any*/),
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
          "args": null,
          "kind": "FragmentSpread",
          "name": "AccountCard_account"
        }
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "GroupCloud",
      "kind": "LinkedField",
      "name": "groupClouds",
      "plural": true,
      "selections": [
        (v0/*:: as any*/),
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
              "concreteType": "Account",
              "kind": "LinkedField",
              "name": "account",
              "plural": false,
              "selections": [
                (v0/*:: as any*/)
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
  "type": "User",
  "abstractKey": null
};
})();

(node as any).hash = "59a97f48a48afcc1621a0e27be435a0e";

export default node;
