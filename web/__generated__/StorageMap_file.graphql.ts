/**
 * @generated SignedSource<<d681f5a468bc74294944d4bbb32a8278>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
export type CopyState = "MISSING" | "STORED" | "STORING" | "%future added value";
export type FileState = "AT_RISK" | "RECEIVED" | "STORED" | "STORING" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type StorageMap_file$data = {
  readonly account: {
    readonly name: string;
  } | null | undefined;
  readonly copies: ReadonlyArray<{
    readonly id: string;
    readonly pieces: ReadonlyArray<{
      readonly account: {
        readonly id: string;
        readonly status: AccountStatus;
      };
    }>;
    readonly state: CopyState;
    readonly why: string;
    readonly " $fragmentSpreads": FragmentRefs<"CopyLane_copy">;
  }>;
  readonly groupCloud: {
    readonly members: ReadonlyArray<{
      readonly account: {
        readonly hue: number;
        readonly id: string;
        readonly name: string;
        readonly quota: {
          readonly reservedBytes: number;
          readonly totalBytes: number | null | undefined;
          readonly usedBytes: number;
        };
        readonly status: AccountStatus;
      };
    }>;
    readonly name: string;
    readonly quota: {
      readonly freeBytes: number | null | undefined;
      readonly totalBytes: number | null | undefined;
    };
  } | null | undefined;
  readonly state: FileState;
  readonly stateReason: string | null | undefined;
  readonly storedIn: ReadonlyArray<{
    readonly id: string;
  }>;
  readonly " $fragmentType": "StorageMap_file";
};
export type StorageMap_file$key = {
  readonly " $data"?: StorageMap_file$data;
  readonly " $fragmentSpreads": FragmentRefs<"StorageMap_file">;
};

const node: ReaderFragment = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "state",
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
  "kind": "ScalarField",
  "name": "name",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "status",
  "storageKey": null
},
v4 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "totalBytes",
  "storageKey": null
};
return {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "StorageMap_file",
  "selections": [
    (v0/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "stateReason",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "Account",
      "kind": "LinkedField",
      "name": "storedIn",
      "plural": true,
      "selections": [
        (v1/*:: as any*/)
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "Account",
      "kind": "LinkedField",
      "name": "account",
      "plural": false,
      "selections": [
        (v2/*:: as any*/)
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "Copy",
      "kind": "LinkedField",
      "name": "copies",
      "plural": true,
      "selections": [
        (v1/*:: as any*/),
        (v0/*:: as any*/),
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "why",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "concreteType": "Piece",
          "kind": "LinkedField",
          "name": "pieces",
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
                (v1/*:: as any*/),
                (v3/*:: as any*/)
              ],
              "storageKey": null
            }
          ],
          "storageKey": null
        },
        {
          "args": null,
          "kind": "FragmentSpread",
          "name": "CopyLane_copy"
        }
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "GroupCloud",
      "kind": "LinkedField",
      "name": "groupCloud",
      "plural": false,
      "selections": [
        (v2/*:: as any*/),
        {
          "alias": null,
          "args": null,
          "concreteType": "Quota",
          "kind": "LinkedField",
          "name": "quota",
          "plural": false,
          "selections": [
            (v4/*:: as any*/),
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
                (v1/*:: as any*/),
                (v2/*:: as any*/),
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "hue",
                  "storageKey": null
                },
                (v3/*:: as any*/),
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
                    (v4/*:: as any*/),
                    {
                      "alias": null,
                      "args": null,
                      "kind": "ScalarField",
                      "name": "reservedBytes",
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
  ],
  "type": "File",
  "abstractKey": null
};
})();

(node as any).hash = "6c9beee2adb67c39acb48bae90193157";

export default node;
