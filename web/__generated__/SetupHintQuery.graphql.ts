/**
 * @generated SignedSource<<c14246a66d6d654f00bdb988ff2c84b2>>
 * @relayHash c3fc2a477432610ee810df118e5f08d1
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 209bc295ca0260763e87bcdb9d1add98323db75b23d60327ff5e1b02d5f6ff64

import { ConcreteRequest } from 'relay-runtime';
export type UserRole = "ADMINISTRATOR" | "MEMBER" | "%future added value";
export type SetupHintQuery$variables = Record<PropertyKey, never>;
export type SetupHintQuery$data = {
  readonly viewer: {
    readonly id: string;
    readonly role: UserRole;
  } | null | undefined;
};
export type SetupHintQuery = {
  response: SetupHintQuery$data;
  variables: SetupHintQuery$variables;
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
      },
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "role",
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
    "name": "SetupHintQuery",
    "selections": (v0/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "SetupHintQuery",
    "selections": (v0/*:: as any*/)
  },
  "params": {
    "id": "209bc295ca0260763e87bcdb9d1add98323db75b23d60327ff5e1b02d5f6ff64",
    "metadata": {},
    "name": "SetupHintQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "b47e2c9dacea784358f7f990f77c0781";

export default node;
