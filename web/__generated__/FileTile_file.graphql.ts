/**
 * @generated SignedSource<<b82543151cecb12734a377e03981d88a>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type FileKind = "FILE" | "FOLDER" | "%future added value";
export type FileState = "AT_RISK" | "RECEIVED" | "STORED" | "STORING" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type FileTile_file$data = {
  readonly category: FileCategory;
  readonly childCount: number | null | undefined;
  readonly id: string;
  readonly kind: FileKind;
  readonly largeUrl: string | null | undefined;
  readonly mediumUrl: string | null | undefined;
  readonly name: string;
  readonly size: number | null | undefined;
  readonly starred: boolean;
  readonly state: FileState;
  readonly " $fragmentType": "FileTile_file";
};
export type FileTile_file$key = {
  readonly " $data"?: FileTile_file$data;
  readonly " $fragmentSpreads": FragmentRefs<"FileTile_file">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "FileTile_file",
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
      "name": "kind",
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
      "name": "size",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "state",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "starred",
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
      "alias": "mediumUrl",
      "args": [
        {
          "kind": "Literal",
          "name": "size",
          "value": "MEDIUM"
        }
      ],
      "kind": "ScalarField",
      "name": "thumbnailUrl",
      "storageKey": "thumbnailUrl(size:\"MEDIUM\")"
    },
    {
      "alias": "largeUrl",
      "args": [
        {
          "kind": "Literal",
          "name": "size",
          "value": "LARGE"
        }
      ],
      "kind": "ScalarField",
      "name": "thumbnailUrl",
      "storageKey": "thumbnailUrl(size:\"LARGE\")"
    }
  ],
  "type": "File",
  "abstractKey": null
};

(node as any).hash = "03713d9b54ec599ab5543b3f6b02b50f";

export default node;
