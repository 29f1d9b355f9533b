/**
 * @generated SignedSource<<3fbaf212509423dad0b5604b8fc0cc49>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type VersionLimits_viewer$data = {
  readonly versionSettings: {
    readonly bytes: number;
    readonly days: number;
    readonly most: number;
    readonly versions: number;
  };
  readonly " $fragmentType": "VersionLimits_viewer";
};
export type VersionLimits_viewer$key = {
  readonly " $data"?: VersionLimits_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"VersionLimits_viewer">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "VersionLimits_viewer",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "VersionSettings",
      "kind": "LinkedField",
      "name": "versionSettings",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "days",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "most",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "versions",
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
  "type": "User",
  "abstractKey": null
};

(node as any).hash = "bb3c959aa236e7c58cff9778ca314138";

export default node;
