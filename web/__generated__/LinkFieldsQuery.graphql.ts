/**
 * @generated SignedSource<<6f137782261ec696cf4cd92807c733e1>>
 * @relayHash c3a8c8d4da0fc9260f85cbbe8a0911ff
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 107ad5b8ee3f715550fc86dd9d6ffb6a5058682034149f2e3cdcbbc7b2b43d73

import { ConcreteRequest } from 'relay-runtime';
export type LinkFieldsQuery$variables = Record<PropertyKey, never>;
export type LinkFieldsQuery$data = {
  readonly server: {
    readonly mail: boolean;
  };
};
export type LinkFieldsQuery = {
  response: LinkFieldsQuery$data;
  variables: LinkFieldsQuery$variables;
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
    "name": "LinkFieldsQuery",
    "selections": (v0/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "LinkFieldsQuery",
    "selections": (v0/*:: as any*/)
  },
  "params": {
    "id": "107ad5b8ee3f715550fc86dd9d6ffb6a5058682034149f2e3cdcbbc7b2b43d73",
    "metadata": {},
    "name": "LinkFieldsQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "adda8b537394e6663553893325172314";

export default node;
