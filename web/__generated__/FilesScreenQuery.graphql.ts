/**
 * @generated SignedSource<<7ea909d36e2ff9d7cc2258f48e5ff1bd>>
 * @relayHash ed8846cf19256ebcbb69b6cc117800c2
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID c593f8d841a4f4ba41c28be15800a129200bdfeaabf8da1b802b70cfe77e0d5f

import { ConcreteRequest } from 'relay-runtime';
export type FilesScreenQuery$variables = Record<PropertyKey, never>;
export type FilesScreenQuery$data = {
  readonly viewer: {
    readonly accounts: ReadonlyArray<{
      readonly provider: string;
    }>;
    readonly groupClouds: ReadonlyArray<{
      readonly id: string;
      readonly name: string;
    }>;
    readonly quota: {
      readonly reservedBytes: number;
      readonly totalBytes: number | null | undefined;
      readonly usedBytes: number;
    };
  } | null | undefined;
};
export type FilesScreenQuery = {
  response: FilesScreenQuery$data;
  variables: FilesScreenQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "concreteType": "Quota",
  "kind": "LinkedField",
  "name": "quota",
  "plural": false,
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "usedBytes",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "totalBytes",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "reservedBytes",
      "storageKey": null
    }
  ],
  "storageKey": null
},
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v2 = {
  "alias": null,
  "args": null,
  "concreteType": "GroupCloud",
  "kind": "LinkedField",
  "name": "groupClouds",
  "plural": true,
  "selections": [
    (v1/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "name",
      "storageKey": null
    }
  ],
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "provider",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "FilesScreenQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v0/*:: as any*/),
          (v2/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "concreteType": "Account",
            "kind": "LinkedField",
            "name": "accounts",
            "plural": true,
            "selections": [
              (v3/*:: as any*/)
            ],
            "storageKey": null
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
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "FilesScreenQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v0/*:: as any*/),
          (v2/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "concreteType": "Account",
            "kind": "LinkedField",
            "name": "accounts",
            "plural": true,
            "selections": [
              (v3/*:: as any*/),
              (v1/*:: as any*/)
            ],
            "storageKey": null
          },
          (v1/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "c593f8d841a4f4ba41c28be15800a129200bdfeaabf8da1b802b70cfe77e0d5f",
    "metadata": {},
    "name": "FilesScreenQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "bf7f8e869bce507ef5cc53046fb05cd9";

export default node;
