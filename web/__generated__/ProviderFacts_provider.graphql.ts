/**
 * @generated SignedSource<<d7aeb96680526e19b194a2063ae10f92>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type PoolUse = "EXTRA_COPIES" | "FULL" | "NONE" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type ProviderFacts_provider$data = {
  readonly capabilities: ReadonlyArray<string>;
  readonly limits: ReadonlyArray<string>;
  readonly poolReason: string | null | undefined;
  readonly poolUse: PoolUse;
  readonly " $fragmentType": "ProviderFacts_provider";
};
export type ProviderFacts_provider$key = {
  readonly " $data"?: ProviderFacts_provider$data;
  readonly " $fragmentSpreads": FragmentRefs<"ProviderFacts_provider">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "ProviderFacts_provider",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "capabilities",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "limits",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "poolUse",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "poolReason",
      "storageKey": null
    }
  ],
  "type": "Provider",
  "abstractKey": null
};

(node as any).hash = "0b3339bba36681be3ea780eee796696b";

export default node;
