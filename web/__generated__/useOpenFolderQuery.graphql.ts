/**
 * @generated SignedSource<<fa0f44f6f75e5a195d8ecf41ca05a457>>
 * @relayHash fdc30460476adf6d2bddfa691030223c
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID e2746b3a60f8c7634a749f17da57c0a3c0905a5056789cf01ecd7816dcf7cff0

import { ConcreteRequest } from 'relay-runtime';
export type FileKind = "FILE" | "FOLDER" | "%future added value";
export type useOpenFolderQuery$variables = {
  id: string;
  isRoot: boolean;
};
export type useOpenFolderQuery$data = {
  readonly viewer?: {
    readonly file: {
      readonly childCount: number | null | undefined;
      readonly id: string;
      readonly kind: FileKind;
      readonly name: string;
      readonly path: ReadonlyArray<{
        readonly id: string;
        readonly name: string;
      }>;
      readonly trashedAt: string | null | undefined;
    } | null | undefined;
  } | null | undefined;
};
export type useOpenFolderQuery = {
  response: useOpenFolderQuery$data;
  variables: useOpenFolderQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
  },
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "isRoot"
  }
],
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "name",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": [
    {
      "kind": "Variable",
      "name": "id",
      "variableName": "id"
    }
  ],
  "concreteType": "File",
  "kind": "LinkedField",
  "name": "file",
  "plural": false,
  "selections": [
    (v1/*:: as any*/),
    (v2/*:: as any*/),
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
      "name": "trashedAt",
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
      "concreteType": "File",
      "kind": "LinkedField",
      "name": "path",
      "plural": true,
      "selections": [
        (v1/*:: as any*/),
        (v2/*:: as any*/)
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
    "name": "useOpenFolderQuery",
    "selections": [
      {
        "condition": "isRoot",
        "kind": "Condition",
        "passingValue": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "User",
            "kind": "LinkedField",
            "name": "viewer",
            "plural": false,
            "selections": [
              (v3/*:: as any*/)
            ],
            "storageKey": null
          }
        ]
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "useOpenFolderQuery",
    "selections": [
      {
        "condition": "isRoot",
        "kind": "Condition",
        "passingValue": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "User",
            "kind": "LinkedField",
            "name": "viewer",
            "plural": false,
            "selections": [
              (v3/*:: as any*/),
              (v1/*:: as any*/)
            ],
            "storageKey": null
          }
        ]
      }
    ]
  },
  "params": {
    "id": "e2746b3a60f8c7634a749f17da57c0a3c0905a5056789cf01ecd7816dcf7cff0",
    "metadata": {},
    "name": "useOpenFolderQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "0a8badbad2292688b530955002cd1ce7";

export default node;
