/**
 * @generated SignedSource<<3da0c2e4b11b081ceffcef2fd0479e5c>>
 * @relayHash 54f5e8c5d006cda3047436c1d65de100
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID d67f01a7d33ef9ee775fd856255ab79cb110f2f6926136faa48c26a050e04d4c

import { ConcreteRequest } from 'relay-runtime';
export type DisconnectDialogQuery$variables = {
  id: string;
};
export type DisconnectDialogQuery$data = {
  readonly node: {
    readonly lossPreview?: {
      readonly inPlaceLost: number;
      readonly inPlaceLostBytes: number;
      readonly inPlaceProtected: number;
      readonly keptFiles: number;
      readonly lostBytes: number;
      readonly lostFiles: number;
    };
  } | null | undefined;
};
export type DisconnectDialogQuery = {
  response: DisconnectDialogQuery$data;
  variables: DisconnectDialogQuery$variables;
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
      "concreteType": "LossPreview",
      "kind": "LinkedField",
      "name": "lossPreview",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "lostFiles",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "lostBytes",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "keptFiles",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "inPlaceLost",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "inPlaceLostBytes",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "inPlaceProtected",
          "storageKey": null
        }
      ],
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
    "name": "DisconnectDialogQuery",
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
    "name": "DisconnectDialogQuery",
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
    "id": "d67f01a7d33ef9ee775fd856255ab79cb110f2f6926136faa48c26a050e04d4c",
    "metadata": {},
    "name": "DisconnectDialogQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "13306a6c526159e5a4aa9f5d949140a9";

export default node;
