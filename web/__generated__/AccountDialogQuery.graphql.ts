/**
 * @generated SignedSource<<78ba275f2c2cdeb486051e4cf7d8fdbe>>
 * @relayHash 565626cf891e5d238d98bae777af20cc
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 75dec065f9e9a8889507de01801bfeb20325a62f68c3ea387500aed02c062412

import { ConcreteRequest } from 'relay-runtime';
export type ConnectsBy = "FORM" | "OAUTH" | "%future added value";
export type AccountDialogQuery$variables = {
  id: string;
};
export type AccountDialogQuery$data = {
  readonly node: {
    readonly connectsBy?: ConnectsBy | null | undefined;
    readonly name?: string;
    readonly provider?: string;
    readonly providerName?: string;
  } | null | undefined;
};
export type AccountDialogQuery = {
  response: AccountDialogQuery$data;
  variables: AccountDialogQuery$variables;
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
  "kind": "InlineFragment",
  "selections": [
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
      "name": "provider",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "providerName",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "connectsBy",
      "storageKey": null
    }
  ],
  "type": "Account",
  "abstractKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "AccountDialogQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
        "selections": [
          (v2/*:: as any*/)
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
    "name": "AccountDialogQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
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
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "id",
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "75dec065f9e9a8889507de01801bfeb20325a62f68c3ea387500aed02c062412",
    "metadata": {},
    "name": "AccountDialogQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "8415ba2686519ec7f7ebf2c632dc9dc9";

export default node;
