/**
 * @generated SignedSource<<59ebcbfdd0a013227207676f2fe85fa5>>
 * @relayHash 9ebee69e03bec77db827ab7ff2d5f443
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID f8f03ec47bd82d36d8c468a9272b8774509a1e914e8cfb3e9105685898a8d93a

import { ConcreteRequest } from 'relay-runtime';
export type FileKind = "FILE" | "FOLDER" | "%future added value";
export type useOpenFolderQuery$variables = {
  id: string;
  isRoot: boolean;
};
export type useOpenFolderQuery$data = {
  readonly viewer?: {
    readonly file: {
      readonly account: {
        readonly id: string;
      } | null | undefined;
      readonly asOf: string | null | undefined;
      readonly childCount: number | null | undefined;
      readonly id: string;
      readonly kind: FileKind;
      readonly name: string;
      readonly path: ReadonlyArray<{
        readonly id: string;
        readonly name: string;
        readonly trashedAt: string | null | undefined;
      }>;
      readonly rights: {
        readonly write: boolean;
      } | null | undefined;
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
  "args": null,
  "kind": "ScalarField",
  "name": "trashedAt",
  "storageKey": null
},
v4 = {
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
    (v3/*:: as any*/),
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
      "concreteType": "FileRights",
      "kind": "LinkedField",
      "name": "rights",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "write",
          "storageKey": null
        }
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "asOf",
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
        (v1/*:: as any*/)
      ],
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
        (v2/*:: as any*/),
        (v3/*:: as any*/)
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
              (v4/*:: as any*/)
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
              (v4/*:: as any*/),
              (v1/*:: as any*/)
            ],
            "storageKey": null
          }
        ]
      }
    ]
  },
  "params": {
    "id": "f8f03ec47bd82d36d8c468a9272b8774509a1e914e8cfb3e9105685898a8d93a",
    "metadata": {},
    "name": "useOpenFolderQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "c73cf98dd8c70ec3f796adf6b67f4e2b";

export default node;
