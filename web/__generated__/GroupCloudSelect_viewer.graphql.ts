/**
 * @generated SignedSource<<74b91fde39ed1706bcde6455ef565fbe>>
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
    readonly placementPreview: {
      readonly why: string;
    };
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
          "args": [
            {
              "kind": "Literal",
              "name": "size",
              "value": 1
            }
          ],
          "concreteType": "PlacementPreview",
          "kind": "LinkedField",
          "name": "placementPreview",
          "plural": false,
          "selections": [
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "why",
              "storageKey": null
            }
          ],
          "storageKey": "placementPreview(size:1)"
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

(node as any).hash = "4601a7e7d19dbcd2953cac863289ad5d";

export default node;
