/**
 * @generated SignedSource<<818d00ed6dd0766cfda864d44611190c>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type DuplicateComparisonState = "DIFFERENT" | "EQUAL" | "FAILED" | "PARTLY_EQUAL" | "RUNNING" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type Comparisons_comparison$data = ReadonlyArray<{
  readonly doneBytes: number;
  readonly error: string | null | undefined;
  readonly id: string;
  readonly name: string;
  readonly state: DuplicateComparisonState;
  readonly totalBytes: number;
  readonly " $fragmentType": "Comparisons_comparison";
}>;
export type Comparisons_comparison$key = ReadonlyArray<{
  readonly " $data"?: Comparisons_comparison$data;
  readonly " $fragmentSpreads": FragmentRefs<"Comparisons_comparison">;
}>;

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": {
    "plural": true
  },
  "name": "Comparisons_comparison",
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
      "name": "doneBytes",
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
  "type": "DuplicateComparison",
  "abstractKey": null
};

(node as any).hash = "00a4a26432373b519d03fc177002454f";

export default node;
