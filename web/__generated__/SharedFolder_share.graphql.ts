/**
 * @generated SignedSource<<fcfc14aa4e888adb3ddaef0402b363cd>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type SharedFolder_share$data = {
  readonly downloadsLeft: number | null | undefined;
  readonly expiresAt: string | null | undefined;
  readonly id: string;
  readonly name: string | null | undefined;
  readonly sharedBy: string | null | undefined;
  readonly " $fragmentType": "SharedFolder_share";
};
export type SharedFolder_share$key = {
  readonly " $data"?: SharedFolder_share$data;
  readonly " $fragmentSpreads": FragmentRefs<"SharedFolder_share">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "SharedFolder_share",
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
      "name": "sharedBy",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "expiresAt",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "downloadsLeft",
      "storageKey": null
    }
  ],
  "type": "PublicShare",
  "abstractKey": null
};

(node as any).hash = "e99d36c4704e5668dbb097ee16d44e8e";

export default node;
