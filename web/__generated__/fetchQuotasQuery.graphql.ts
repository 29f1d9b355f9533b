/**
 * @generated SignedSource<<d52ce41296e73389ad8351d272faa234>>
 * @relayHash 6ef82867134f5a64e60cfd2084d05814
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 4d80d2c2052e210394e5d81d897f99e24740700b83b0fcbc47ecfe980e1c17a3

import { ConcreteRequest } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
export type fetchQuotasQuery$variables = {
  accountIds: ReadonlyArray<string>;
};
export type fetchQuotasQuery$data = {
  readonly nodes: ReadonlyArray<{
    readonly id?: string;
    readonly quota?: {
      readonly reservedBytes: number;
      readonly totalBytes: number | null | undefined;
      readonly usedBytes: number;
    };
    readonly status?: AccountStatus;
  } | null | undefined>;
  readonly viewer: {
    readonly quota: {
      readonly freeBytes: number | null | undefined;
      readonly totalBytes: number | null | undefined;
      readonly usedBytes: number;
    };
  } | null | undefined;
};
export type fetchQuotasQuery = {
  response: fetchQuotasQuery$data;
  variables: fetchQuotasQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "accountIds"
  }
],
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "usedBytes",
  "storageKey": null
},
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "totalBytes",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "concreteType": "Quota",
  "kind": "LinkedField",
  "name": "quota",
  "plural": false,
  "selections": [
    (v1/*:: as any*/),
    (v2/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "freeBytes",
      "storageKey": null
    }
  ],
  "storageKey": null
},
v4 = [
  {
    "kind": "Variable",
    "name": "ids",
    "variableName": "accountIds"
  }
],
v5 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v6 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "status",
  "storageKey": null
},
v7 = {
  "alias": null,
  "args": null,
  "concreteType": "Quota",
  "kind": "LinkedField",
  "name": "quota",
  "plural": false,
  "selections": [
    (v1/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "reservedBytes",
      "storageKey": null
    },
    (v2/*:: as any*/)
  ],
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "fetchQuotasQuery",
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
      },
      {
        "alias": null,
        "args": (v4/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "nodes",
        "plural": true,
        "selections": [
          {
            "kind": "InlineFragment",
            "selections": [
              (v5/*:: as any*/),
              (v6/*:: as any*/),
              (v7/*:: as any*/)
            ],
            "type": "Account",
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
    "name": "fetchQuotasQuery",
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
          (v5/*:: as any*/)
        ],
        "storageKey": null
      },
      {
        "alias": null,
        "args": (v4/*:: as any*/),
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
          (v5/*:: as any*/),
          {
            "kind": "InlineFragment",
            "selections": [
              (v6/*:: as any*/),
              (v7/*:: as any*/)
            ],
            "type": "Account",
            "abstractKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "4d80d2c2052e210394e5d81d897f99e24740700b83b0fcbc47ecfe980e1c17a3",
    "metadata": {},
    "name": "fetchQuotasQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "ab2c20ad504944fc56099e6156aa1a8a";

export default node;
