/**
 * @generated SignedSource<<d808824a7308fb7e39c5226be8c08e49>>
 * @relayHash 2bdf91fdfa0136ca6198c8cf6fb58e3d
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 15dc24729db4deb7a4b0fb13217f09fa0d652256c52242396635b5e9540492e9

import { ConcreteRequest } from 'relay-runtime';
export type LabelColor = "BLUE" | "GREEN" | "ORANGE" | "PINK" | "PURPLE" | "RED" | "TEAL" | "YELLOW" | "%future added value";
export type TagFilterQuery$variables = Record<PropertyKey, never>;
export type TagFilterQuery$data = {
  readonly viewer: {
    readonly id: string;
    readonly tags: ReadonlyArray<{
      readonly color: LabelColor;
      readonly id: string;
      readonly name: string;
    }>;
  } | null | undefined;
};
export type TagFilterQuery = {
  response: TagFilterQuery$data;
  variables: TagFilterQuery$variables;
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
        "concreteType": "Tag",
        "kind": "LinkedField",
        "name": "tags",
        "plural": true,
        "selections": [
          (v0/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "name",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "color",
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
    "name": "TagFilterQuery",
    "selections": (v1/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "TagFilterQuery",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "15dc24729db4deb7a4b0fb13217f09fa0d652256c52242396635b5e9540492e9",
    "metadata": {},
    "name": "TagFilterQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "b436a338d0785e990b1c3b29d4044517";

export default node;
