/**
 * @generated SignedSource<<01a90c9064e091926c6a37abef614d78>>
 * @relayHash acce7554e0a0a2a14868ae5b6e7b2f0e
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 39d763a6932505e7d25aaf907becd1aeedd09958c4aa87a60f0e8ffe89ef3d7c

import { ConcreteRequest } from 'relay-runtime';
export type GroupCloudsHealthQuery$variables = Record<PropertyKey, never>;
export type GroupCloudsHealthQuery$data = {
  readonly viewer: {
    readonly groupClouds: ReadonlyArray<{
      readonly health: {
        readonly atRiskFiles: number;
        readonly bytes: number;
        readonly files: number;
        readonly storingFiles: number;
        readonly summary: string;
      };
      readonly id: string;
    }>;
    readonly id: string;
  } | null | undefined;
};
export type GroupCloudsHealthQuery = {
  response: GroupCloudsHealthQuery$data;
  variables: GroupCloudsHealthQuery$variables;
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
        "concreteType": "GroupCloud",
        "kind": "LinkedField",
        "name": "groupClouds",
        "plural": true,
        "selections": [
          (v0/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "concreteType": "GroupCloudHealth",
            "kind": "LinkedField",
            "name": "health",
            "plural": false,
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "atRiskFiles",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "storingFiles",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "summary",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "files",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "bytes",
                "storageKey": null
              }
            ],
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
    "name": "GroupCloudsHealthQuery",
    "selections": (v1/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "GroupCloudsHealthQuery",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "39d763a6932505e7d25aaf907becd1aeedd09958c4aa87a60f0e8ffe89ef3d7c",
    "metadata": {},
    "name": "GroupCloudsHealthQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "55a94e52e2b5b4f7fa06dff17b9cf329";

export default node;
