/**
 * @generated SignedSource<<3f5a536989e1129fee529b316a76fba4>>
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
  readonly signInHints: ReadonlyArray<string>;
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
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "signInHints",
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

(node as any).hash = "662e93eb46fd3671ed8ecedda47a0166";

export default node;
