/**
 * @generated SignedSource<<ac31e7531306083cba0e82f730c34fa9>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type PoolHealth_groupCloud$data = {
  readonly health: {
    readonly atRiskFiles: number;
    readonly storingFiles: number;
    readonly summary: string;
  };
  readonly id: string;
  readonly " $fragmentType": "PoolHealth_groupCloud";
};
export type PoolHealth_groupCloud$key = {
  readonly " $data"?: PoolHealth_groupCloud$data;
  readonly " $fragmentSpreads": FragmentRefs<"PoolHealth_groupCloud">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "PoolHealth_groupCloud",
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
      "concreteType": "GroupCloudHealth",
      "kind": "LinkedField",
      "name": "health",
      "plural": false,
      "selections": [
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
          "kind": "ScalarField",
          "name": "storingFiles",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "summary",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "GroupCloud",
  "abstractKey": null
};

(node as any).hash = "21241586b3d1141cd81e9d7254ee43de";

export default node;
