/**
 * @generated SignedSource<<ef7a3f9e6f123e2f59c2bca312deedeb>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type TypeBar_usage$data = ReadonlyArray<{
  readonly bytes: number;
  readonly category: FileCategory;
  readonly files: number;
  readonly " $fragmentType": "TypeBar_usage";
}>;
export type TypeBar_usage$key = ReadonlyArray<{
  readonly " $data"?: TypeBar_usage$data;
  readonly " $fragmentSpreads": FragmentRefs<"TypeBar_usage">;
}>;

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": {
    "plural": true
  },
  "name": "TypeBar_usage",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "category",
      "storageKey": null
    },
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
  "type": "CategoryUsage",
  "abstractKey": null
};

(node as any).hash = "bd80a0ddcedf48e3126e97644eb60fab";

export default node;
