/**
 * @generated SignedSource<<0fd9b1aaed8d6bbc0a5c838d19bc50fd>>
 * @relayHash 902938c098a973f47117be5d290fa3f7
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 6316d419d91ecefd1c9e83f701328644b61de4b37a0619fb2213207c8a263ef1

import { ConcreteRequest } from 'relay-runtime';
export type LoginQuery$variables = Record<PropertyKey, never>;
export type LoginQuery$data = {
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
    "id": "6316d419d91ecefd1c9e83f701328644b61de4b37a0619fb2213207c8a263ef1",
    "metadata": {},
    "name": "LoginQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "1d9263b59931212ef05cd05ce8f99d04";

export default node;
