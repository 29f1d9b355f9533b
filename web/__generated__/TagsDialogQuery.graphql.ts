/**
 * @generated SignedSource<<62d9e3173a10c69209b1c28328e041ce>>
 * @relayHash d93f4ef7150dc940fe636e681ff07962
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 6747580496365a3cb78c1688a63785e2caaa16d1f68176279c0a9d3b9a5cd009

import { ConcreteRequest } from 'relay-runtime';
export type LabelColor = "BLUE" | "GREEN" | "ORANGE" | "PINK" | "PURPLE" | "RED" | "TEAL" | "YELLOW" | "%future added value";
export type TagsDialogQuery$variables = {
  ids: ReadonlyArray<string>;
};
export type TagsDialogQuery$data = {
  readonly nodes: ReadonlyArray<{
    readonly id: string;
    readonly tags?: ReadonlyArray<{
      readonly id: string;
    }>;
  } | null | undefined>;
  readonly viewer: {
    readonly id: string;
    readonly tags: ReadonlyArray<{
      readonly color: LabelColor;
      readonly id: string;
      readonly name: string;
    }>;
  } | null | undefined;
};
export type TagsDialogQuery = {
  response: TagsDialogQuery$data;
  variables: TagsDialogQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "ids"
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
  "concreteType": "User",
  "kind": "LinkedField",
  "name": "viewer",
  "plural": false,
  "selections": [
    (v1/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "concreteType": "Tag",
      "kind": "LinkedField",
      "name": "tags",
      "plural": true,
      "selections": [
        (v1/*:: as any*/),
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
          "name": "color",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "storageKey": null
},
v3 = [
  {
    "kind": "Variable",
    "name": "ids",
    "variableName": "ids"
  }
],
v4 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "Tag",
      "kind": "LinkedField",
      "name": "tags",
      "plural": true,
      "selections": [
        (v1/*:: as any*/)
      ],
      "storageKey": null
    }
  ],
  "type": "File",
  "abstractKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "TagsDialogQuery",
    "selections": [
      (v2/*:: as any*/),
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "nodes",
        "plural": true,
        "selections": [
          (v1/*:: as any*/),
          (v4/*:: as any*/)
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
    "name": "TagsDialogQuery",
    "selections": [
      (v2/*:: as any*/),
      {
        "alias": null,
        "args": (v3/*:: as any*/),
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
          (v1/*:: as any*/),
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "6747580496365a3cb78c1688a63785e2caaa16d1f68176279c0a9d3b9a5cd009",
    "metadata": {},
    "name": "TagsDialogQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "4f656863d4773a6b125de403ad94f0b4";

export default node;
