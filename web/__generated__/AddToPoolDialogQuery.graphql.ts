/**
 * @generated SignedSource<<098e3be80154c8d34007d377712e876d>>
 * @relayHash 5d48fc36db1711714b5912d7c7b22285
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID fd356cd1942138ea5dffb6984852b1b61b4520e9936ae6336fbdf0c59962f641

import { ConcreteRequest } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
export type PoolUse = "EXTRA_COPIES" | "FULL" | "NONE" | "%future added value";
export type ProviderGlyph = "APERTURE" | "BOX" | "BRANCH" | "CLOUD" | "CYLINDER" | "DIAMOND" | "GLOBE" | "RING" | "SEND" | "SERVER" | "SHIELD" | "TERMINAL" | "TRIANGLE" | "%future added value";
export type AddToPoolDialogQuery$variables = {
  accountId: string;
};
export type AddToPoolDialogQuery$data = {
  readonly viewer: {
    readonly accounts: ReadonlyArray<{
      readonly glyph: ProviderGlyph;
      readonly hue: number;
      readonly id: string;
      readonly name: string;
      readonly poolReason: string | null | undefined;
      readonly poolUse: PoolUse;
      readonly provider: string;
      readonly providerName: string;
      readonly quota: {
        readonly freeBytes: number | null | undefined;
        readonly reservedBytes: number;
        readonly totalBytes: number | null | undefined;
        readonly usedBytes: number;
      };
      readonly status: AccountStatus;
    }>;
    readonly groupClouds: ReadonlyArray<{
      readonly copies: number;
      readonly defaultUploadGroup: boolean;
      readonly freeBytesWith: number | null | undefined;
      readonly id: string;
      readonly members: ReadonlyArray<{
        readonly account: {
          readonly id: string;
        };
      }>;
      readonly name: string;
      readonly quota: {
        readonly freeBytes: number | null | undefined;
        readonly totalBytes: number | null | undefined;
      };
    }>;
    readonly id: string;
  } | null | undefined;
};
export type AddToPoolDialogQuery = {
  response: AddToPoolDialogQuery$data;
  variables: AddToPoolDialogQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "accountId"
  }
],
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
  "kind": "ScalarField",
  "name": "name",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "totalBytes",
  "storageKey": null
},
v4 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "freeBytes",
  "storageKey": null
},
v5 = [
  {
    "alias": null,
    "args": null,
    "concreteType": "User",
    "kind": "LinkedField",
    "name": "viewer",
    "plural": false,
    "selections": [
      (v1/*:: as any*/),
      {
        "alias": null,
        "args": null,
        "concreteType": "Account",
        "kind": "LinkedField",
        "name": "accounts",
        "plural": true,
        "selections": [
          (v1/*:: as any*/),
          (v2/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "provider",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "providerName",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "glyph",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "hue",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "status",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "poolUse",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "poolReason",
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
                "name": "reservedBytes",
                "storageKey": null
              },
              (v3/*:: as any*/),
              (v4/*:: as any*/)
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      },
      {
        "alias": null,
        "args": null,
        "concreteType": "GroupCloud",
        "kind": "LinkedField",
        "name": "groupClouds",
        "plural": true,
        "selections": [
          (v1/*:: as any*/),
          (v2/*:: as any*/),
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
            "kind": "ScalarField",
            "name": "defaultUploadGroup",
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
              (v3/*:: as any*/),
              (v4/*:: as any*/)
            ],
            "storageKey": null
          },
          {
            "alias": null,
            "args": [
              {
                "kind": "Variable",
                "name": "accountId",
                "variableName": "accountId"
              }
            ],
            "kind": "ScalarField",
            "name": "freeBytesWith",
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
                  (v1/*:: as any*/)
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
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "AddToPoolDialogQuery",
    "selections": (v5/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "AddToPoolDialogQuery",
    "selections": (v5/*:: as any*/)
  },
  "params": {
    "id": "fd356cd1942138ea5dffb6984852b1b61b4520e9936ae6336fbdf0c59962f641",
    "metadata": {},
    "name": "AddToPoolDialogQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "4be39b2ba98008179c1da115f9ed00fb";

export default node;
