/**
 * @generated SignedSource<<f82810bfddefaaa89e519cd4fe5990fb>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type PoolSummary_viewer$data = {
  readonly accounts: ReadonlyArray<{
    readonly hue: number;
    readonly id: string;
    readonly name: string;
    readonly quota: {
      readonly reservedBytes: number;
      readonly totalBytes: number | null | undefined;
      readonly usedBytes: number;
    };
    readonly status: AccountStatus;
  }>;
  readonly quota: {
    readonly reservedBytes: number;
    readonly totalBytes: number | null | undefined;
    readonly usedBytes: number;
  };
  readonly " $fragmentType": "PoolSummary_viewer";
};
export type PoolSummary_viewer$key = {
  readonly " $data"?: PoolSummary_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"PoolSummary_viewer">;
};

const node: ReaderFragment = (function(){
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
  "name": "PoolSummary_viewer",
  "selections": [
    (v0/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "concreteType": "Account",
      "kind": "LinkedField",
      "name": "accounts",
      "plural": true,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "id",
          "storageKey": null
        },
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
        (v0/*:: as any*/)
      ],
      "storageKey": null
    }
  ],
  "type": "User",
  "abstractKey": null
};
})();

(node as any).hash = "78085ecc204be10bb4af7fabe2a39198";

export default node;
