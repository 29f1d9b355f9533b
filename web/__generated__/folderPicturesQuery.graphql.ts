/**
 * @generated SignedSource<<534016ff0bc953f47b069bf14edef516>>
 * @relayHash c91317cfcd633f564627eab79960f09c
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID ba2121a5908e51f495e2412fb1e2d2841c020d92d425842a88c9164dc0a71243

import { ConcreteRequest } from 'relay-runtime';
export type folderPicturesQuery$variables = {
  ids: ReadonlyArray<string>;
};
export type folderPicturesQuery$data = {
  readonly nodes: ReadonlyArray<{
    readonly folderThumbnailUrls?: ReadonlyArray<string>;
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
  "kind": "ScalarField",
  "name": "folderThumbnailUrls",
  "storageKey": "folderThumbnailUrls(size:\"MEDIUM\")"
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
    "id": "ba2121a5908e51f495e2412fb1e2d2841c020d92d425842a88c9164dc0a71243",
    "metadata": {},
    "name": "folderPicturesQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "8bd588906a64ea7cb6d59aba1467163c";

export default node;
