/**
 * @generated SignedSource<<3f55f9a36560bab85fe8293232506299>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type SharedFile_share$data = {
  readonly category: FileCategory | null | undefined;
  readonly downloadsLeft: number | null | undefined;
  readonly expiresAt: string | null | undefined;
  readonly mimeType: string | null | undefined;
  readonly name: string | null | undefined;
  readonly shareId: string;
  readonly sharedBy: string | null | undefined;
  readonly size: number | null | undefined;
  readonly " $fragmentType": "SharedFile_share";
};
export type SharedFile_share$key = {
  readonly " $data"?: SharedFile_share$data;
  readonly " $fragmentSpreads": FragmentRefs<"SharedFile_share">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "SharedFile_share",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "shareId",
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
      "name": "sharedBy",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "expiresAt",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "downloadsLeft",
      "storageKey": null
    }
  ],
  "type": "PublicShare",
  "abstractKey": null
};

(node as any).hash = "854d6fcb5533f9236c4c976c1f4096be";

export default node;
