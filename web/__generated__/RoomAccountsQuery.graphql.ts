/**
 * @generated SignedSource<<3e25dbced4cb18829021c8c408c90981>>
 * @relayHash 18d1b7ec8513649e9ac44f888cdd277d
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID fe168458598312ff3ad4a05c3bb8334599b8073bdbcd46b7d50765d556feb145

import { ConcreteRequest } from 'relay-runtime';
export type AccountScope = "EVERYTHING" | "OWN" | "%future added value";
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
export type ProviderGlyph = "APERTURE" | "BOX" | "BRANCH" | "CLOUD" | "CYLINDER" | "DIAMOND" | "GLOBE" | "RING" | "SEND" | "SERVER" | "SHIELD" | "TERMINAL" | "TRIANGLE" | "%future added value";
export type RoomAccountsQuery$variables = Record<PropertyKey, never>;
export type RoomAccountsQuery$data = {
  readonly viewer: {
    readonly accounts: ReadonlyArray<{
      readonly glyph: ProviderGlyph;
      readonly hue: number;
      readonly id: string;
      readonly name: string;
      readonly provider: string;
      readonly providerName: string;
      readonly quota: {
        readonly totalBytes: number | null | undefined;
        readonly usedBytes: number;
      };
      readonly scope: AccountScope;
      readonly status: AccountStatus;
      readonly statusReason: string | null | undefined;
    }>;
  } | null | undefined;
};
export type RoomAccountsQuery = {
  response: RoomAccountsQuery$data;
  variables: RoomAccountsQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v1 = {
  "alias": null,
  "args": null,
  "concreteType": "Account",
  "kind": "LinkedField",
  "name": "accounts",
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
      "name": "statusReason",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "scope",
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
        }
      ],
      "storageKey": null
    }
  ],
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "RoomAccountsQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v1/*:: as any*/)
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
    "name": "RoomAccountsQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v1/*:: as any*/),
          (v0/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "fe168458598312ff3ad4a05c3bb8334599b8073bdbcd46b7d50765d556feb145",
    "metadata": {},
    "name": "RoomAccountsQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "e2520c654f6f911d03b92ebf65aea939";

export default node;
