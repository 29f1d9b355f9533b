/**
 * @generated SignedSource<<dca01a1dc3f2ee79c59201e48de0c2ef>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
export type QuotaState = "KNOWN" | "UNKNOWN" | "UNLIMITED" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type StorageTotal_viewer$data = {
  readonly accounts: ReadonlyArray<{
    readonly hue: number;
    readonly id: string;
    readonly name: string;
    readonly provider: string;
    readonly providerName: string;
    readonly quota: {
      readonly reservedBytes: number;
      readonly state: QuotaState;
      readonly totalBytes: number | null | undefined;
      readonly usedBytes: number;
    };
    readonly status: AccountStatus;
    readonly unreachableSince: string | null | undefined;
  }>;
  readonly groupClouds: ReadonlyArray<{
    readonly id: string;
    readonly members: ReadonlyArray<{
      readonly account: {
        readonly id: string;
      };
    }>;
    readonly name: string;
    readonly quota: {
      readonly reservedBytes: number;
      readonly state: QuotaState;
      readonly totalBytes: number | null | undefined;
      readonly usedBytes: number;
    };
  }>;
  readonly " $fragmentType": "StorageTotal_viewer";
};
export type StorageTotal_viewer$key = {
  readonly " $data"?: StorageTotal_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"StorageTotal_viewer">;
};

const node: ReaderFragment = (function(){
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
  "kind": "ScalarField",
  "name": "name",
  "storageKey": null
},
v2 = {
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
      "name": "state",
      "storageKey": null
    },
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
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "totalBytes",
      "storageKey": null
    }
  ],
  "storageKey": null
};
return {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "StorageTotal_viewer",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "Account",
      "kind": "LinkedField",
      "name": "accounts",
      "plural": true,
      "selections": [
        (v0/*:: as any*/),
        (v1/*:: as any*/),
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
          "name": "unreachableSince",
          "storageKey": null
        },
        (v2/*:: as any*/)
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
        (v0/*:: as any*/),
        (v1/*:: as any*/),
        (v2/*:: as any*/),
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
                (v0/*:: as any*/)
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
  "type": "User",
  "abstractKey": null
};
})();

(node as any).hash = "581da7cae4ed61ad9ca07dea4fb91ffa";

export default node;
