/**
 * @generated SignedSource<<088d835867f5694ec28f995eca1898e4>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type RoomCards_content$data = {
  readonly biggest: ReadonlyArray<{
    readonly bytes: number;
    readonly changedAt: string | null | undefined;
    readonly file: {
      readonly category: FileCategory;
      readonly id: string;
      readonly name: string;
    };
    readonly path: ReadonlyArray<string>;
  }>;
  readonly oldest: ReadonlyArray<{
    readonly bytes: number;
    readonly changedAt: string | null | undefined;
    readonly file: {
      readonly category: FileCategory;
      readonly id: string;
      readonly name: string;
    };
    readonly path: ReadonlyArray<string>;
  }>;
  readonly types: ReadonlyArray<{
    readonly bytes: number;
    readonly category: FileCategory;
  }>;
  readonly untouched: {
    readonly bytes: number;
  };
  readonly " $fragmentType": "RoomCards_content";
};
export type RoomCards_content$key = {
  readonly " $data"?: RoomCards_content$data;
  readonly " $fragmentSpreads": FragmentRefs<"RoomCards_content">;
};

const node: ReaderFragment = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "bytes",
  "storageKey": null
},
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "category",
  "storageKey": null
},
v2 = [
  (v0/*:: as any*/),
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
      (v1/*:: as any*/)
    ],
    "storageKey": null
  }
];
return {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "RoomCards_content",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "RoomSum",
      "kind": "LinkedField",
      "name": "untouched",
      "plural": false,
      "selections": [
        (v0/*:: as any*/)
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "RoomType",
      "kind": "LinkedField",
      "name": "types",
      "plural": true,
      "selections": [
        (v1/*:: as any*/),
        (v0/*:: as any*/)
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "RoomFile",
      "kind": "LinkedField",
      "name": "biggest",
      "plural": true,
      "selections": (v2/*:: as any*/),
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "RoomFile",
      "kind": "LinkedField",
      "name": "oldest",
      "plural": true,
      "selections": (v2/*:: as any*/),
      "storageKey": null
    }
  ],
  "type": "RoomContent",
  "abstractKey": null
};
})();

(node as any).hash = "be06d6f4c25e6fcd3fbfe7374579ef86";

export default node;
