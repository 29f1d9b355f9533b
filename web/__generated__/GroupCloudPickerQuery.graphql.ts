/**
 * @generated SignedSource<<3b153b48268181eadac9d6475a7fd7c0>>
 * @relayHash 94250e3aba64feb8ffab3a6db26acbf5
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 8faec0c6693822adf3922d74f373db388e17746946969014a7b9f4263196b47a

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
        readonly freeBytes: number | null | undefined;
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
                "name": "freeBytes",
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
    "id": "8faec0c6693822adf3922d74f373db388e17746946969014a7b9f4263196b47a",
    "metadata": {},
    "name": "GroupCloudPickerQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "9f4ce4655fbda5633c867652cffccef7";

export default node;
