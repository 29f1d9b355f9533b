/**
 * @generated SignedSource<<b41a7c25b6d3390635fa2f839bdb50a2>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type FileKind = "FILE" | "FOLDER" | "%future added value";
export type LabelColor = "BLUE" | "GREEN" | "ORANGE" | "PINK" | "PURPLE" | "RED" | "TEAL" | "YELLOW" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type DetailsHead_file$data = {
  readonly category: FileCategory;
  readonly color: LabelColor | null | undefined;
  readonly contentSize: number | null | undefined;
  readonly kind: FileKind;
  readonly name: string;
  readonly size: number | null | undefined;
  readonly thumbnailUrl: string | null | undefined;
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
      "name": "color",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "thumbnailUrl",
      "storageKey": null
    }
  ],
  "type": "File",
  "abstractKey": null
};

(node as any).hash = "7d734a0b1c4001f2fb85bd35e8482243";

export default node;
