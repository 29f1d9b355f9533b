/**
 * @generated SignedSource<<9534ad588f3dc70a63608e0863117a62>>
 * @relayHash c0ab72b3fd66f73e7ccd28cd41e53f43
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 936de43fc579de83e67aa80932ae8aecdfffe27a27bb82e704b07206b153cd05

import { ConcreteRequest } from 'relay-runtime';
export type DisconnectDialogQuery$variables = {
  id: string;
};
export type DisconnectDialogQuery$data = {
  readonly node: {
    readonly lossPreview?: {
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
    "id": "936de43fc579de83e67aa80932ae8aecdfffe27a27bb82e704b07206b153cd05",
    "metadata": {},
    "name": "DisconnectDialogQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "1242c094bb27f6308160f62b85cb9fac";

export default node;
