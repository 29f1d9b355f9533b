/**
 * @generated SignedSource<<7dfbc86c9b350e37b0a67f71ee4b27fe>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type StoringCard_viewer$data = {
  readonly " $fragmentSpreads": FragmentRefs<"useStoring_viewer">;
  readonly " $fragmentType": "StoringCard_viewer";
};
export type StoringCard_viewer$key = {
  readonly " $data"?: StoringCard_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"StoringCard_viewer">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "StoringCard_viewer",
  "selections": [
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "useStoring_viewer"
    }
  ],
  "type": "User",
  "abstractKey": null
};

(node as any).hash = "6f5928499d0037eef2df292312c9816e";

export default node;
