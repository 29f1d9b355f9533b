/**
 * @generated SignedSource<<de93df74a8490eecae2a69a0d8b5b60a>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type TransferKind = "DRAIN" | "MOVE" | "REPAIR" | "STORE" | "%future added value";
export type TransferState = "CANCELLED" | "DONE" | "FAILED" | "PARKED" | "PAUSED" | "RUNNING" | "WAITING" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type StoringList_transfer$data = ReadonlyArray<{
  readonly accounts: ReadonlyArray<{
    readonly id: string;
    readonly name: string;
  }>;
  readonly bytesPerSecond: number | null | undefined;
  readonly error: string | null | undefined;
  readonly file: {
    readonly category: FileCategory;
    readonly id: string;
  } | null | undefined;
  readonly fileName: string;
  readonly id: string;
  readonly kind: TransferKind;
  readonly sentBytes: number;
  readonly state: TransferState;
  readonly totalBytes: number;
  readonly why: string;
  readonly " $fragmentType": "StoringList_transfer";
}>;
export type StoringList_transfer$key = ReadonlyArray<{
  readonly " $data"?: StoringList_transfer$data;
  readonly " $fragmentSpreads": FragmentRefs<"StoringList_transfer">;
}>;

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
  "metadata": {
    "plural": true
  },
  "name": "StoringList_transfer",
  "selections": [
    (v0/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "kind",
      "storageKey": null
    },
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
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "bytesPerSecond",
      "storageKey": null
    },
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
      "kind": "ScalarField",
      "name": "error",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "fileName",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "File",
      "kind": "LinkedField",
      "name": "file",
      "plural": false,
      "selections": [
        (v0/*:: as any*/),
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "category",
          "storageKey": null
        }
      ],
      "storageKey": null
    },
    {
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
        }
      ],
      "storageKey": null
    }
  ],
  "type": "Transfer",
  "abstractKey": null
};
})();

(node as any).hash = "b30bdd57544a3dfc9ce571644a35485c";

export default node;
