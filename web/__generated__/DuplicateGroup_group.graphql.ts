/**
 * @generated SignedSource<<844c3b930736e15b02573e12099bcb52>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type DuplicateCertainty = "CERTAIN" | "LIKELY" | "%future added value";
export type DuplicateMatch = "DROPBOX" | "MD5" | "NAME" | "QUICKXOR" | "SEVERAL_HASHES" | "SHA1" | "SHA256" | "TIME" | "%future added value";
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type DuplicateGroup_group$data = {
  readonly category: FileCategory;
  readonly certainty: DuplicateCertainty;
  readonly compareBytes: number;
  readonly fileCount: number;
  readonly files: ReadonlyArray<{
    readonly id: string;
    readonly name: string;
    readonly " $fragmentSpreads": FragmentRefs<"DuplicateGroup_file">;
  }>;
  readonly id: string;
  readonly match: DuplicateMatch;
  readonly reclaimableBytes: number;
  readonly size: number;
  readonly " $fragmentType": "DuplicateGroup_group";
};
export type DuplicateGroup_group$key = {
  readonly " $data"?: DuplicateGroup_group$data;
  readonly " $fragmentSpreads": FragmentRefs<"DuplicateGroup_group">;
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
  "name": "DuplicateGroup_group",
  "selections": [
    (v0/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "certainty",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "match",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "size",
      "storageKey": null
    },
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
      "name": "fileCount",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "reclaimableBytes",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "compareBytes",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "File",
      "kind": "LinkedField",
      "name": "files",
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
          "args": null,
          "kind": "FragmentSpread",
          "name": "DuplicateGroup_file"
        }
      ],
      "storageKey": null
    }
  ],
  "type": "DuplicateGroup",
  "abstractKey": null
};
})();

(node as any).hash = "6270801cdc65663f6f9246d8ecf4a221";

export default node;
