/**
 * @generated SignedSource<<c74dd681cc30c1d520f68b830ad711d5>>
 * @relayHash 01611d680c1b5c87a55090811ba1b4cb
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 30a76bd119c8449b74ed7df0cdb3486c832da68bf94d4d4cacf857ea0c728d1f

import { ConcreteRequest } from 'relay-runtime';
export type GroupCloudPickerQuery$variables = Record<PropertyKey, never>;
export type GroupCloudPickerQuery$data = {
  readonly viewer: {
    readonly groupClouds: ReadonlyArray<{
      readonly copies: number;
      readonly defaultUploadGroup: boolean;
      readonly id: string;
      readonly members: ReadonlyArray<{
        readonly account: {
          readonly hue: number;
          readonly id: string;
        };
      }>;
      readonly name: string;
      readonly quota: {
        readonly reservedBytes: number;
        readonly totalBytes: number | null | undefined;
        readonly usedBytes: number;
      };
    }>;
    readonly id: string;
  } | null | undefined;
};
export type GroupCloudPickerQuery = {
  response: GroupCloudPickerQuery$data;
  variables: GroupCloudPickerQuery$variables;
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
            "kind": "ScalarField",
            "name": "name",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "defaultUploadGroup",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "copies",
            "storageKey": null
          },
          {
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
          {
            "alias": null,
            "args": null,
            "concreteType": "GroupCloudMember",
            "kind": "LinkedField",
            "name": "members",
            "plural": true,
            "selections": [
              {
                "alias": null,
                "args": null,
                "concreteType": "Account",
                "kind": "LinkedField",
                "name": "account",
                "plural": false,
                "selections": [
                  (v0/*:: as any*/),
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "hue",
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
    ],
    "storageKey": null
  }
];
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "GroupCloudPickerQuery",
    "selections": (v1/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "GroupCloudPickerQuery",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "30a76bd119c8449b74ed7df0cdb3486c832da68bf94d4d4cacf857ea0c728d1f",
    "metadata": {},
    "name": "GroupCloudPickerQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "0fc23af4db2253c8d86b446546ff3938";

export default node;
