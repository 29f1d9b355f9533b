/**
 * @generated SignedSource<<58d1a03a841aa9df11393fa27c6c7cf6>>
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
  readonly transfers: ReadonlyArray<{
    readonly id: string;
    readonly sentBytes: number;
    readonly state: TransferState;
    readonly totalBytes: number;
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
          "name": "sentBytes",
          "storageKey": null
        },
        {
          "args": null,
          "kind": "FragmentSpread",
          "name": "StoringList_transfer"
        }
      ],
      "storageKey": "transfers(open:true)"
    }
  ],
  "type": "User",
  "abstractKey": null
};
})();

(node as any).hash = "4318901e59a220a87d1a961022a58fdc";

export default node;
