/**
 * @generated SignedSource<<366dc56a9cb76c3e72492cad24a7f7dc>>
 * @relayHash 127204810f0147bbb33703a4a089dcd8
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 95d39e07d9e50ab3e22096c3bfc28d218f52cc4cfe8218835a8e5894dc28ef05

import { ConcreteRequest } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
export type IndexPhase = "FIRST_PASS" | "HELD" | "LIVE" | "PAUSED" | "WALK" | "%future added value";
export type AccountCellsQuery$variables = {
  id: string;
};
export type AccountCellsQuery$data = {
  readonly node: {
    readonly index?: {
      readonly asOf: string | null | undefined;
      readonly entries: number;
      readonly heldDeletions: number;
      readonly phase: IndexPhase;
      readonly problem: string | null | undefined;
      readonly rootFileId: string;
    } | null | undefined;
    readonly status?: AccountStatus;
  } | null | undefined;
};
export type AccountCellsQuery = {
  response: AccountCellsQuery$data;
  variables: AccountCellsQuery$variables;
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
      "name": "status",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "AccountIndex",
      "kind": "LinkedField",
      "name": "index",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "phase",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "entries",
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
          "kind": "ScalarField",
          "name": "problem",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "heldDeletions",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "rootFileId",
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
    "name": "AccountCellsQuery",
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
    "name": "AccountCellsQuery",
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
    "id": "95d39e07d9e50ab3e22096c3bfc28d218f52cc4cfe8218835a8e5894dc28ef05",
    "metadata": {},
    "name": "AccountCellsQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "7c1492bdc856694a45e36c39246fd702";

export default node;
