/**
 * @generated SignedSource<<589eae060a3e20f9b4e126db950d3d9f>>
 * @relayHash aa92566f6f743b0daabbd63752f53a82
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 7ca95faece183f796e03f37e966200123b5752247ae2858c7f942aedce694ecb

import { ConcreteRequest } from 'relay-runtime';
export type FileKind = "FILE" | "FOLDER" | "%future added value";
export type NativeKind = "DOCUMENT" | "DRAWING" | "OTHER" | "PRESENTATION" | "SHORTCUT" | "SPREADSHEET" | "%future added value";
export type ShortcutState = "BROKEN" | "ELSEWHERE" | "SHOWN" | "%future added value";
export type shortcutsQuery$variables = {
  id: string;
};
export type shortcutsQuery$data = {
  readonly viewer: {
    readonly file: {
      readonly shortcut: {
        readonly message: string | null | undefined;
        readonly state: ShortcutState;
        readonly target: {
          readonly downloadUrl: string;
          readonly exportTypes: ReadonlyArray<string>;
          readonly id: string;
          readonly kind: FileKind;
          readonly name: string;
          readonly nativeKind: NativeKind | null | undefined;
          readonly size: number | null | undefined;
        } | null | undefined;
        readonly webUrl: string | null | undefined;
      } | null | undefined;
    } | null | undefined;
  } | null | undefined;
};
export type shortcutsQuery = {
  response: shortcutsQuery$data;
  variables: shortcutsQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "id"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "concreteType": "FileShortcut",
  "kind": "LinkedField",
  "name": "shortcut",
  "plural": false,
  "selections": [
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
      "name": "message",
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
      "concreteType": "File",
      "kind": "LinkedField",
      "name": "target",
      "plural": false,
      "selections": [
        (v2/*:: as any*/),
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
          "name": "size",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "downloadUrl",
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
        }
      ],
      "storageKey": null
    }
  ],
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "shortcutsQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": (v1/*:: as any*/),
            "concreteType": "File",
            "kind": "LinkedField",
            "name": "file",
            "plural": false,
            "selections": [
              (v3/*:: as any*/)
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "shortcutsQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": (v1/*:: as any*/),
            "concreteType": "File",
            "kind": "LinkedField",
            "name": "file",
            "plural": false,
            "selections": [
              (v3/*:: as any*/),
              (v2/*:: as any*/)
            ],
            "storageKey": null
          },
          (v2/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "7ca95faece183f796e03f37e966200123b5752247ae2858c7f942aedce694ecb",
    "metadata": {},
    "name": "shortcutsQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "094b15932e09877fa1e6236d7f7383a4";

export default node;
