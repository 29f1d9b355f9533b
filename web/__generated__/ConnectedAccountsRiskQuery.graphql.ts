/**
 * @generated SignedSource<<19ca2c4c849aa61934e244b290e7df2a>>
 * @relayHash de8ef2148f12eb23b138b6f49c721df8
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 097dd73c20d24bbeda711618be53f3c61ef54209c45928aa331c191b49f3d92f

import { ConcreteRequest } from 'relay-runtime';
export type ConnectedAccountsRiskQuery$variables = Record<PropertyKey, never>;
export type ConnectedAccountsRiskQuery$data = {
  readonly viewer: {
    readonly accounts: ReadonlyArray<{
      readonly atRiskFiles: number;
      readonly id: string;
    }>;
    readonly id: string;
  } | null | undefined;
};
export type ConnectedAccountsRiskQuery = {
  response: ConnectedAccountsRiskQuery$data;
  variables: ConnectedAccountsRiskQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v1 = [
  {
    "alias": null,
    "args": null,
    "concreteType": "User",
    "kind": "LinkedField",
    "name": "viewer",
    "plural": false,
    "selections": [
      (v0/*:: as any*/),
      {
        "alias": null,
        "args": null,
        "concreteType": "Account",
        "kind": "LinkedField",
        "name": "accounts",
        "plural": true,
        "selections": [
          (v0/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "atRiskFiles",
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "storageKey": null
  }
];
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "ConnectedAccountsRiskQuery",
    "selections": (v1/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "ConnectedAccountsRiskQuery",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "097dd73c20d24bbeda711618be53f3c61ef54209c45928aa331c191b49f3d92f",
    "metadata": {},
    "name": "ConnectedAccountsRiskQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "e2bfec2abbe73e70f3f74ef9c583377f";

export default node;
