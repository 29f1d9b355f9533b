/**
 * @generated SignedSource<<66667f923d8dc0a0baa20739a85676d6>>
 * @relayHash 3284fad842dffaa428f04520b95ddd19
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 74b52c32cf9a3b58e07790ffe8263487bbb6e360c8bc4cfaf33beb238735143d

import { ConcreteRequest } from 'relay-runtime';
export type RegistrationMode = "CLOSED" | "INVITE" | "OPEN" | "%future added value";
export type LoginQuery$variables = Record<PropertyKey, never>;
export type LoginQuery$data = {
  readonly server: {
    readonly registration: RegistrationMode;
  };
  readonly viewer: {
    readonly id: string;
  } | null | undefined;
};
export type LoginQuery = {
  response: LoginQuery$data;
  variables: LoginQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "alias": null,
    "args": null,
    "concreteType": "User",
    "kind": "LinkedField",
    "name": "viewer",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "id",
        "storageKey": null
      }
    ],
    "storageKey": null
  },
  {
    "alias": null,
    "args": null,
    "concreteType": "ServerInfo",
    "kind": "LinkedField",
    "name": "server",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "registration",
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
    "name": "LoginQuery",
    "selections": (v0/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "LoginQuery",
    "selections": (v0/*:: as any*/)
  },
  "params": {
    "id": "74b52c32cf9a3b58e07790ffe8263487bbb6e360c8bc4cfaf33beb238735143d",
    "metadata": {},
    "name": "LoginQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "8048bf76e53e55ed6c32193bfe1b59e3";

export default node;
