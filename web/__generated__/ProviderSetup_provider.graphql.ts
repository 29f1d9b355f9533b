/**
 * @generated SignedSource<<649a2884caad2a390b7076cf56abfe9b>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type ProviderAvailability = "NOT_CONFIGURED" | "READY" | "UNAVAILABLE" | "%future added value";
export type ProviderGlyph = "APERTURE" | "BOX" | "BRANCH" | "CLOUD" | "CYLINDER" | "DIAMOND" | "GLOBE" | "RING" | "SEND" | "SERVER" | "SHIELD" | "TERMINAL" | "TRIANGLE" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type ProviderSetup_provider$data = {
  readonly availability: ProviderAvailability;
  readonly glyph: ProviderGlyph;
  readonly hue: number;
  readonly id: string;
  readonly name: string;
  readonly requiredSettings: ReadonlyArray<string>;
  readonly settings: ReadonlyArray<string>;
  readonly setupSteps: ReadonlyArray<string>;
  readonly " $fragmentType": "ProviderSetup_provider";
};
export type ProviderSetup_provider$key = {
  readonly " $data"?: ProviderSetup_provider$data;
  readonly " $fragmentSpreads": FragmentRefs<"ProviderSetup_provider">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "ProviderSetup_provider",
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
      "name": "settings",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "requiredSettings",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "setupSteps",
      "storageKey": null
    }
  ],
  "type": "Provider",
  "abstractKey": null
};

(node as any).hash = "67cc6f731167483ee27b34529a2741f8";

export default node;
