/**
 * @generated SignedSource<<6aab093266003e1c18acec07c86e00e3>>
 * @relayHash 1e3cc6ec8ee3ae6fab390f7903f64264
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID edb5b7b6ae9ab3c28fc264bc28b6bffcc1810025bf283c1c38cc755d89d9a3b0

import { ConcreteRequest } from 'relay-runtime';
export type SearchNoticeQuery$variables = Record<PropertyKey, never>;
export type SearchNoticeQuery$data = {
  readonly viewer: {
    readonly id: string;
  } | null | undefined;
};
export type SearchNoticeQuery = {
  response: SearchNoticeQuery$data;
  variables: SearchNoticeQuery$variables;
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
    "name": "SearchNoticeQuery",
    "selections": (v0/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "SearchNoticeQuery",
    "selections": (v0/*:: as any*/)
  },
  "params": {
    "id": "edb5b7b6ae9ab3c28fc264bc28b6bffcc1810025bf283c1c38cc755d89d9a3b0",
    "metadata": {},
    "name": "SearchNoticeQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "726b27f2246978e200f9acd7764e91e3";

export default node;
