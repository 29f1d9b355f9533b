/**
 * @generated SignedSource<<83c15ffb8389f040e38b629bddef57d1>>
 * @relayHash 61e37d8dffe5f2d89d490d6a00395278
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID aa07ffd0b69a00308c13b1ff23d097f93e979becffec1ccb08e2e083d7b78b3f

import { ConcreteRequest } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type folderPicturesQuery$variables = {
  ids: ReadonlyArray<string>;
};
export type folderPicturesQuery$data = {
  readonly nodes: ReadonlyArray<{
    readonly folderThumbnails?: ReadonlyArray<{
      readonly category: FileCategory;
      readonly url: string;
    }>;
    readonly id?: string;
  } | null | undefined>;
};
export type folderPicturesQuery = {
  response: folderPicturesQuery$data;
  variables: folderPicturesQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "ids"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "ids",
    "variableName": "ids"
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
  "args": [
    {
      "kind": "Literal",
      "name": "size",
      "value": "MEDIUM"
    }
  ],
  "concreteType": "FolderThumbnail",
  "kind": "LinkedField",
  "name": "folderThumbnails",
  "plural": true,
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "url",
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
  "storageKey": "folderThumbnails(size:\"MEDIUM\")"
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "folderPicturesQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "nodes",
        "plural": true,
        "selections": [
          {
            "kind": "InlineFragment",
            "selections": [
              (v2/*:: as any*/),
              (v3/*:: as any*/)
            ],
            "type": "File",
            "abstractKey": null
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
    "name": "folderPicturesQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "nodes",
        "plural": true,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "__typename",
            "storageKey": null
          },
          (v2/*:: as any*/),
          {
            "kind": "InlineFragment",
            "selections": [
              (v3/*:: as any*/)
            ],
            "type": "File",
            "abstractKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "aa07ffd0b69a00308c13b1ff23d097f93e979becffec1ccb08e2e083d7b78b3f",
    "metadata": {},
    "name": "folderPicturesQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "60192dc36e653bea68d6e23ddbc8ab47";

export default node;
