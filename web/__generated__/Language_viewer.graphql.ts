/**
 * @generated SignedSource<<9ab8a22fc2cf434dc5286a56da342932>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type Language = "DE" | "EN" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type Language_viewer$data = {
  readonly language: Language | null | undefined;
  readonly " $fragmentType": "Language_viewer";
};
export type Language_viewer$key = {
  readonly " $data"?: Language_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"Language_viewer">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "Language_viewer",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "language",
      "storageKey": null
    }
  ],
  "type": "User",
  "abstractKey": null
};

(node as any).hash = "8c3c01a8c91d8018b0ef1c9be499e442";

export default node;
