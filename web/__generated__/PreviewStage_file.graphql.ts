/**
 * @generated SignedSource<<38a186feef4e5551f946f1368a1ca938>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type FileKind = "FILE" | "FOLDER" | "%future added value";
export type NativeKind = "DOCUMENT" | "DRAWING" | "OTHER" | "PRESENTATION" | "SHORTCUT" | "SPREADSHEET" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type PreviewStage_file$data = {
  readonly account: {
    readonly name: string;
    readonly providerName: string;
  } | null | undefined;
  readonly category: FileCategory;
  readonly downloadUrl: string;
  readonly exportTypes: ReadonlyArray<string>;
  readonly id: string;
  readonly inlineUrl: string | null | undefined;
  readonly kind: FileKind;
  readonly mimeType: string | null | undefined;
  readonly name: string;
  readonly nativeKind: NativeKind | null | undefined;
  readonly rights: {
    readonly read: boolean;
  } | null | undefined;
  readonly size: number | null | undefined;
  readonly webUrl: string | null | undefined;
  readonly " $fragmentType": "PreviewStage_file";
};
export type PreviewStage_file$key = {
  readonly " $data"?: PreviewStage_file$data;
  readonly " $fragmentSpreads": FragmentRefs<"PreviewStage_file">;
};

const node: ReaderFragment = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "name",
  "storageKey": null
};
return {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "PreviewStage_file",
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
      "name": "nativeKind",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "exportTypes",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "webUrl",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "Account",
      "kind": "LinkedField",
      "name": "account",
      "plural": false,
      "selections": [
        (v0/*:: as any*/),
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "providerName",
          "storageKey": null
        }
      ],
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
          "name": "read",
          "storageKey": null
        }
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "kind",
      "storageKey": null
    },
    (v0/*:: as any*/),
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
})();

(node as any).hash = "4e4273247fc367c31e03dcf347a20e1b";

export default node;
