/**
 * @generated SignedSource<<df6e4893b78d1e90b0bb9d8bba11fee4>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
export type QuotaState = "KNOWN" | "UNKNOWN" | "UNLIMITED" | "%future added value";
export type TransferState = "CANCELLED" | "DONE" | "FAILED" | "PARKED" | "PAUSED" | "RUNNING" | "WAITING" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type Attention_viewer$data = {
  readonly accounts: ReadonlyArray<{
    readonly atRiskFiles: number;
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
  readonly atRisk: {
    readonly files: number;
    readonly first: ReadonlyArray<{
      readonly id: string;
      readonly name: string;
    }>;
  };
  readonly transfersConnection: {
    readonly edges: ReadonlyArray<{
      readonly node: {
        readonly error: string | null | undefined;
        readonly id: string;
        readonly state: TransferState;
      };
    }>;
  };
  readonly " $fragmentType": "Attention_viewer";
};
export type Attention_viewer$key = {
  readonly " $data"?: Attention_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"Attention_viewer">;
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
  "kind": "ScalarField",
  "name": "state",
  "storageKey": null
};
return {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "Attention_viewer",
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
          "concreteType": "Quota",
          "kind": "LinkedField",
          "name": "quota",
          "plural": false,
          "selections": [
            (v2/*:: as any*/),
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
        }
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "AtRisk",
      "kind": "LinkedField",
      "name": "atRisk",
      "plural": false,
      "selections": [
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
          "concreteType": "File",
          "kind": "LinkedField",
          "name": "first",
          "plural": true,
          "selections": [
            (v0/*:: as any*/),
            (v1/*:: as any*/)
          ],
          "storageKey": null
        }
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": [
        {
          "kind": "Literal",
          "name": "first",
          "value": 200
        },
        {
          "kind": "Literal",
          "name": "open",
          "value": true
        }
      ],
      "concreteType": "UserTransfersConnection",
      "kind": "LinkedField",
      "name": "transfersConnection",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "concreteType": "UserTransfersConnectionEdge",
          "kind": "LinkedField",
          "name": "edges",
          "plural": true,
          "selections": [
            {
              "alias": null,
              "args": null,
              "concreteType": "Transfer",
              "kind": "LinkedField",
              "name": "node",
              "plural": false,
              "selections": [
                (v0/*:: as any*/),
                (v2/*:: as any*/),
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "error",
                  "storageKey": null
                }
              ],
              "storageKey": null
            }
          ],
          "storageKey": null
        }
      ],
      "storageKey": "transfersConnection(first:200,open:true)"
    }
  ],
  "type": "User",
  "abstractKey": null
};
})();

(node as any).hash = "79729e0ead03fe181fc383a816bad6b9";

export default node;
