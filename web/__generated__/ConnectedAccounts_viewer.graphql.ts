/**
 * @generated SignedSource<<0ee9a0636a5818c6d3ca8d942f895ae7>>
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
    readonly atRiskFiles: number;
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
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "atRiskFiles",
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

(node as any).hash = "b89dcd106c2661aa308d3abb2c799842";

export default node;
