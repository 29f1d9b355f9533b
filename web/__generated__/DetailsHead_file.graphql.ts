/**
 * @generated SignedSource<<7bcd261f13ed9ba41001a7debb4c9e37>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type FileKind = "FILE" | "FOLDER" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type DetailsHead_file$data = {
  readonly category: FileCategory;
  readonly contentSize: number | null | undefined;
  readonly inlineUrl: string | null | undefined;
  readonly kind: FileKind;
  readonly name: string;
  readonly size: number | null | undefined;
  readonly " $fragmentType": "DetailsHead_file";
};
export type DetailsHead_file$key = {
  readonly " $data"?: DetailsHead_file$data;
  readonly " $fragmentSpreads": FragmentRefs<"DetailsHead_file">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "DetailsHead_file",
  "selections": [
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
      "name": "category",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "kind",
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
      "name": "contentSize",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "inlineUrl",
      "storageKey": null
    }
  ],
  "type": "File",
  "abstractKey": null
};

(node as any).hash = "c62a097243786adcf2c4f73cc3b066a5";

export default node;
