/**
 * @generated SignedSource<<a10ac4ec727a858b4699837e9fcd2e00>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type DeleteDialog_viewer$data = {
  readonly groupClouds: ReadonlyArray<{
    readonly health: {
      readonly bytes: number;
      readonly files: number;
    };
    readonly id: string;
    readonly name: string;
  }>;
  readonly " $fragmentType": "DeleteDialog_viewer";
};
export type DeleteDialog_viewer$key = {
  readonly " $data"?: DeleteDialog_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"DeleteDialog_viewer">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "DeleteDialog_viewer",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "GroupCloud",
      "kind": "LinkedField",
      "name": "groupClouds",
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
          "concreteType": "GroupCloudHealth",
          "kind": "LinkedField",
          "name": "health",
          "plural": false,
          "selections": [
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "files",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "bytes",
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

(node as any).hash = "42d0aae1c434a376d8645c8ca256c1c6";

export default node;
