/**
 * @generated SignedSource<<82d14a5cee4828e09ac9a1fe02d17e3c>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type FileKind = "FILE" | "FOLDER" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type PreviewActionButtons_file$data = {
  readonly category: FileCategory;
  readonly id: string;
  readonly kind: FileKind;
  readonly mimeType: string | null | undefined;
  readonly name: string;
  readonly rights: {
    readonly rename: boolean;
  } | null | undefined;
  readonly size: number | null | undefined;
  readonly starred: boolean;
  readonly trashedAt: string | null | undefined;
  readonly " $fragmentType": "PreviewActionButtons_file";
};
export type PreviewActionButtons_file$key = {
  readonly " $data"?: PreviewActionButtons_file$data;
  readonly " $fragmentSpreads": FragmentRefs<"PreviewActionButtons_file">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "PreviewActionButtons_file",
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
      "name": "starred",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "trashedAt",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "FileRights",
      "kind": "LinkedField",
      "name": "rights",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "rename",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "File",
  "abstractKey": null
};

(node as any).hash = "b330a4e197e89ca1cf0f3cf2f4d2c84a";

export default node;
