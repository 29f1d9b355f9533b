/**
 * @generated SignedSource<<37d847e0678598ad35c7e877a5fa164e>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type RoomCards_file$data = {
  readonly bytes: number;
  readonly changedAt: string | null | undefined;
  readonly file: {
    readonly category: FileCategory;
    readonly id: string;
    readonly name: string;
  };
  readonly path: ReadonlyArray<string>;
  readonly " $fragmentType": "RoomCards_file";
};
export type RoomCards_file$key = {
  readonly " $data"?: RoomCards_file$data;
  readonly " $fragmentSpreads": FragmentRefs<"RoomCards_file">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "RoomCards_file",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "bytes",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "changedAt",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "path",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "File",
      "kind": "LinkedField",
      "name": "file",
      "plural": false,
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
          "name": "category",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "RoomFile",
  "abstractKey": null
};

(node as any).hash = "6de8cf248513a1929c48e6861634851d";

export default node;
