/**
 * @generated SignedSource<<e36ff6498e07e81f890827fee6d28c0b>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type JobKind = "COPY" | "DELETE" | "MOVE" | "PROTECT" | "RESTORE" | "TRASH" | "%future added value";
export type JobState = "CANCELLED" | "DONE" | "FAILED" | "PAUSED" | "RUNNING" | "WAITING" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type JobsList_job$data = ReadonlyArray<{
  readonly bytesPerSecond: number | null | undefined;
  readonly done: number;
  readonly doneBytes: number;
  readonly error: string | null | undefined;
  readonly failed: number;
  readonly id: string;
  readonly kind: JobKind;
  readonly name: string;
  readonly state: JobState;
  readonly total: number;
  readonly totalBytes: number;
  readonly undone: boolean;
  readonly " $fragmentType": "JobsList_job";
}>;
export type JobsList_job$key = ReadonlyArray<{
  readonly " $data"?: JobsList_job$data;
  readonly " $fragmentSpreads": FragmentRefs<"JobsList_job">;
}>;

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": {
    "plural": true
  },
  "name": "JobsList_job",
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
      "name": "name",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "done",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "total",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "failed",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "doneBytes",
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
      "name": "bytesPerSecond",
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
      "name": "undone",
      "storageKey": null
    }
  ],
  "type": "Job",
  "abstractKey": null
};

(node as any).hash = "eed8a03d1d7722721033c505063add61";

export default node;
