/**
 * @generated SignedSource<<76f2f2363dd664467a3775a760be7164>>
 * @relayHash 7dd4f007a7c6037c29c7f627461a8143
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 989bd91951b94b2d1aaaf89faa840a6755abce3930a88269ca81aad6e1b80b3c

import { ConcreteRequest } from 'relay-runtime';
export type fileParentsQuery$variables = {
  ids: ReadonlyArray<string>;
};
export type fileParentsQuery$data = {
  readonly nodes: ReadonlyArray<{
    readonly id?: string;
    readonly parent?: {
      readonly id: string;
    } | null | undefined;
  } | null | undefined>;
};
export type fileParentsQuery = {
  response: fileParentsQuery$data;
  variables: fileParentsQuery$variables;
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
  "args": null,
  "concreteType": "File",
  "kind": "LinkedField",
  "name": "parent",
  "plural": false,
  "selections": [
    (v2/*:: as any*/)
  ],
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "fileParentsQuery",
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
    "name": "fileParentsQuery",
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
    "id": "989bd91951b94b2d1aaaf89faa840a6755abce3930a88269ca81aad6e1b80b3c",
    "metadata": {},
    "name": "fileParentsQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "0f02d8bda92cf58806beb467a47d25e7";

export default node;
