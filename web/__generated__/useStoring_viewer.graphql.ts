/**
 * @generated SignedSource<<9a819f23e9d6fa8b68690ca798194277>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type TransferState = "CANCELLED" | "DONE" | "FAILED" | "PARKED" | "PAUSED" | "RUNNING" | "WAITING" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type useStoring_viewer$data = {
  readonly id: string;
  readonly jobs: ReadonlyArray<{
    readonly id: string;
  }>;
  readonly transfers: ReadonlyArray<{
    readonly id: string;
    readonly state: TransferState;
    readonly " $fragmentSpreads": FragmentRefs<"StoringList_transfer">;
  }>;
  readonly " $fragmentType": "useStoring_viewer";
};
export type useStoring_viewer$key = {
  readonly " $data"?: useStoring_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"useStoring_viewer">;
};

const node: ReaderFragment = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
};
return {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "useStoring_viewer",
  "selections": [
    (v0/*:: as any*/),
    {
      "alias": null,
      "args": [
        {
          "kind": "Literal",
          "name": "open",
          "value": true
        }
      ],
      "concreteType": "Transfer",
      "kind": "LinkedField",
      "name": "transfers",
      "plural": true,
      "selections": [
        (v0/*:: as any*/),
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "state",
          "storageKey": null
        },
        {
          "args": null,
          "kind": "FragmentSpread",
          "name": "StoringList_transfer"
        }
      ],
      "storageKey": "transfers(open:true)"
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "Job",
      "kind": "LinkedField",
      "name": "jobs",
      "plural": true,
      "selections": [
        (v0/*:: as any*/)
      ],
      "storageKey": null
    }
  ],
  "type": "User",
  "abstractKey": null
};
})();

(node as any).hash = "46435c5c8beb4d06c4b358997865e2bf";

export default node;
