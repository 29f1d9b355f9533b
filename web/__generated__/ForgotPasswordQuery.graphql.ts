/**
 * @generated SignedSource<<876b44d4aa9d8b7fd3076c22f3519922>>
 * @relayHash a4a787d3e8fb13d24793f798b68cff41
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 7de43520daf9c2e2debe3fc33db29ee2a16b78d51ad75e1e33b3f2f119270abb

import { ConcreteRequest } from 'relay-runtime';
export type ForgotPasswordQuery$variables = Record<PropertyKey, never>;
export type ForgotPasswordQuery$data = {
  readonly server: {
    readonly mail: boolean;
  };
};
export type ForgotPasswordQuery = {
  response: ForgotPasswordQuery$data;
  variables: ForgotPasswordQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
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
        "name": "mail",
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
    "name": "ForgotPasswordQuery",
    "selections": (v0/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "ForgotPasswordQuery",
    "selections": (v0/*:: as any*/)
  },
  "params": {
    "id": "7de43520daf9c2e2debe3fc33db29ee2a16b78d51ad75e1e33b3f2f119270abb",
    "metadata": {},
    "name": "ForgotPasswordQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "f5db5c228cf997b317cea139682be90f";

export default node;
