/**
 * @generated SignedSource<<6390f669793498e9d1aa762441c1818f>>
 * @relayHash 62ab5da8ca4dfc52e30c7ae9fb1cab98
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 87cdb12ad7e7718b8a19b2f3f7efee217738f685a487f04f2fa1db39a2f68ee4

import { ConcreteRequest } from 'relay-runtime';
export type FileKind = "FILE" | "FOLDER" | "%future added value";
export type ManyDetailsQuery$variables = {
  ids: ReadonlyArray<string>;
};
export type ManyDetailsQuery$data = {
  readonly nodes: ReadonlyArray<{
    readonly contentSize?: number | null | undefined;
    readonly id?: string;
    readonly kind?: FileKind;
    readonly size?: number;
    readonly storedIn?: ReadonlyArray<{
      readonly id: string;
      readonly name: string;
    }>;
  } | null | undefined>;
};
export type ManyDetailsQuery = {
  response: ManyDetailsQuery$data;
  variables: ManyDetailsQuery$variables;
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
  "kind": "ScalarField",
  "name": "kind",
  "storageKey": null
},
v4 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "size",
  "storageKey": null
},
v5 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "contentSize",
  "storageKey": null
},
v6 = {
  "alias": null,
  "args": null,
  "concreteType": "Account",
  "kind": "LinkedField",
  "name": "storedIn",
  "plural": true,
  "selections": [
    (v2/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "name",
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
    "name": "ManyDetailsQuery",
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
              (v3/*:: as any*/),
              (v4/*:: as any*/),
              (v5/*:: as any*/),
              (v6/*:: as any*/)
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
    "name": "ManyDetailsQuery",
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
              (v3/*:: as any*/),
              (v4/*:: as any*/),
              (v5/*:: as any*/),
              (v6/*:: as any*/)
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
    "id": "87cdb12ad7e7718b8a19b2f3f7efee217738f685a487f04f2fa1db39a2f68ee4",
    "metadata": {},
    "name": "ManyDetailsQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "6237a4c0515ac63c923b6dc1b633a6d5";

export default node;
