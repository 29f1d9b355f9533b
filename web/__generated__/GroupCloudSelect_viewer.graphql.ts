/**
 * @generated SignedSource<<672d3622aff2dcf0379aa4bbd2af6787>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type GroupCloudSelect_viewer$data = {
  readonly groupClouds: ReadonlyArray<{
    readonly defaultUploadGroup: boolean;
    readonly id: string;
    readonly members: ReadonlyArray<{
      readonly account: {
        readonly hue: number;
        readonly id: string;
      };
    }>;
    readonly name: string;
    readonly quota: {
      readonly freeBytes: number | null | undefined;
    };
  }>;
  readonly " $fragmentType": "GroupCloudSelect_viewer";
};
export type GroupCloudSelect_viewer$key = {
  readonly " $data"?: GroupCloudSelect_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"GroupCloudSelect_viewer">;
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
  "name": "GroupCloudSelect_viewer",
  "selections": [
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
          "name": "defaultUploadGroup",
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
              "name": "freeBytes",
              "storageKey": null
            }
          ],
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
                (v0/*:: as any*/),
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "hue",
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
  "type": "User",
  "abstractKey": null
};
})();

(node as any).hash = "2a0637bd6b63ed78502f9dc25acd2d1d";

export default node;
