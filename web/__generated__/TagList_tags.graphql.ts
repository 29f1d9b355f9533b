/**
 * @generated SignedSource<<0b236ecf009d3e68f78f30ca741e01cf>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type LabelColor = "BLUE" | "GREEN" | "ORANGE" | "PINK" | "PURPLE" | "RED" | "TEAL" | "YELLOW" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type TagList_tags$data = ReadonlyArray<{
  readonly color: LabelColor;
  readonly id: string;
  readonly name: string;
  readonly " $fragmentType": "TagList_tags";
}>;
export type TagList_tags$key = ReadonlyArray<{
  readonly " $data"?: TagList_tags$data;
  readonly " $fragmentSpreads": FragmentRefs<"TagList_tags">;
}>;

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": {
    "plural": true
  },
  "name": "TagList_tags",
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
      "name": "color",
      "storageKey": null
    }
  ],
  "type": "Tag",
  "abstractKey": null
};

(node as any).hash = "9b52325a8e9105db0dc36e5b8bd9c684";

export default node;
