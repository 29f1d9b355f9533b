/**
 * @generated SignedSource<<848f5badb3dd5be81d6b9f6d6ab3dc21>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type PlacementRule = "IN_ORDER" | "MOST_FREE" | "ROUND_ROBIN" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type GroupCloudDialog_viewer$data = {
  readonly groupClouds: ReadonlyArray<{
    readonly copies: number;
    readonly defaultUploadGroup: boolean;
    readonly id: string;
    readonly members: ReadonlyArray<{
      readonly account: {
        readonly id: string;
      };
    }>;
    readonly name: string;
    readonly placement: PlacementRule;
    readonly spanning: boolean;
  }>;
  readonly id: string;
  readonly " $fragmentSpreads": FragmentRefs<"AccountChoice_viewer">;
  readonly " $fragmentType": "GroupCloudDialog_viewer";
};
export type GroupCloudDialog_viewer$key = {
  readonly " $data"?: GroupCloudDialog_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"GroupCloudDialog_viewer">;
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
  "name": "GroupCloudDialog_viewer",
  "selections": [
    (v0/*:: as any*/),
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
          "kind": "ScalarField",
          "name": "name",
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
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "defaultUploadGroup",
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
    },
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "AccountChoice_viewer"
    }
  ],
  "type": "User",
  "abstractKey": null
};
})();

(node as any).hash = "23cadec1df801d2d22e8bb25dcae2479";

export default node;
