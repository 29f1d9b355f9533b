/**
 * @generated SignedSource<<bd543595b6a4deffc2e1a31b09a6f637>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type FileKind = "FILE" | "FOLDER" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type PreviewStage_file$data = {
  readonly category: FileCategory;
  readonly downloadUrl: string;
  readonly inlineUrl: string | null | undefined;
  readonly kind: FileKind;
  readonly mimeType: string | null | undefined;
  readonly name: string;
  readonly size: number;
  readonly " $fragmentType": "PreviewStage_file";
};
export type PreviewStage_file$key = {
  readonly " $data"?: PreviewStage_file$data;
  readonly " $fragmentSpreads": FragmentRefs<"PreviewStage_file">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "PreviewStage_file",
  "selections": [
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
      "name": "mimeType",
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
      "name": "inlineUrl",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "downloadUrl",
      "storageKey": null
    }
  ],
  "type": "File",
  "abstractKey": null
};

(node as any).hash = "62eee107555ca63961325b8116d42be6";

export default node;
