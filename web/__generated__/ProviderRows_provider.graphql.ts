/**
 * @generated SignedSource<<05120e0b4dc447a02ae916bd840243bb>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type ConnectsBy = "FORM" | "OAUTH" | "%future added value";
export type PoolUse = "EXTRA_COPIES" | "FULL" | "NONE" | "%future added value";
export type ProviderAvailability = "NOT_CONFIGURED" | "READY" | "UNAVAILABLE" | "%future added value";
export type ProviderGlyph = "APERTURE" | "BOX" | "BRANCH" | "CLOUD" | "CYLINDER" | "DIAMOND" | "GLOBE" | "RING" | "SEND" | "SERVER" | "SHIELD" | "TERMINAL" | "TRIANGLE" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type ProviderRows_provider$data = ReadonlyArray<{
  readonly access: string | null | undefined;
  readonly availability: ProviderAvailability;
  readonly canShowEverything: boolean;
  readonly connectSteps: ReadonlyArray<string>;
  readonly connectsBy: ConnectsBy | null | undefined;
  readonly description: string;
  readonly glyph: ProviderGlyph;
  readonly hasExtraRoots: boolean;
  readonly hue: number;
  readonly id: string;
  readonly name: string;
  readonly poolUse: PoolUse;
  readonly popular: boolean;
  readonly " $fragmentSpreads": FragmentRefs<"ProviderFacts_provider" | "SignInForm_provider">;
  readonly " $fragmentType": "ProviderRows_provider";
}>;
export type ProviderRows_provider$key = ReadonlyArray<{
  readonly " $data"?: ProviderRows_provider$data;
  readonly " $fragmentSpreads": FragmentRefs<"ProviderRows_provider">;
}>;

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": {
    "plural": true
  },
  "name": "ProviderRows_provider",
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
      "name": "description",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "popular",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "hue",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "glyph",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "availability",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "access",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "canShowEverything",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "hasExtraRoots",
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
      "name": "connectsBy",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "connectSteps",
      "storageKey": null
    },
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "SignInForm_provider"
    },
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "ProviderFacts_provider"
    }
  ],
  "type": "Provider",
  "abstractKey": null
};

(node as any).hash = "222585bbea729e94088555b553fd9652";

export default node;
