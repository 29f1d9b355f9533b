/**
 * @generated SignedSource<<fdb412a6f2c07c9bb9d9bb5faaa0d13d>>
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
  readonly childCount: number | null | undefined;
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
      "name": "childCount",
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

(node as any).hash = "93cb142efc64125091db5a39833644ef";

export default node;
