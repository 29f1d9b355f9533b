/**
 * @generated SignedSource<<c2152985d090fa511e5dac8130092d85>>
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
  readonly name: string | null | undefined;
  readonly shareId: string;
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
      "name": "shareId",
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

(node as any).hash = "e17ef068c7386cd4fae5495bb3880185";

export default node;
