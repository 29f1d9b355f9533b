/**
 * @generated SignedSource<<5870e2c33d133b3d6088fb8c61eb44ef>>
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
    }
  ],
  "type": "Job",
  "abstractKey": null
};

(node as any).hash = "991022372cd6e8f91b30f24c22735ae7";

export default node;
