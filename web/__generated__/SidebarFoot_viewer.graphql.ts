/**
 * @generated SignedSource<<a6fb354c9873703a92c7bc477596cf06>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type SidebarFoot_viewer$data = {
  readonly " $fragmentSpreads": FragmentRefs<"PoolSummary_viewer" | "UserMenu_viewer">;
  readonly " $fragmentType": "SidebarFoot_viewer";
};
export type SidebarFoot_viewer$key = {
  readonly " $data"?: SidebarFoot_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"SidebarFoot_viewer">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "SidebarFoot_viewer",
  "selections": [
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "PoolSummary_viewer"
    },
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "UserMenu_viewer"
    }
  ],
  "type": "User",
  "abstractKey": null
};

(node as any).hash = "4dea3590a2d7502b2298d536ecbf272b";

export default node;
