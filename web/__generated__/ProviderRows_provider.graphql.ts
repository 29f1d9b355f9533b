/**
 * @generated SignedSource<<b3b67700b1c8140435424f31e1c30d61>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type ProviderAvailability = "NOT_CONFIGURED" | "READY" | "UNAVAILABLE" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type ProviderRows_provider$data = ReadonlyArray<{
  readonly access: string | null | undefined;
  readonly availability: ProviderAvailability;
  readonly description: string;
  readonly id: string;
  readonly name: string;
  readonly popular: boolean;
  readonly settings: ReadonlyArray<string>;
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
      "name": "access",
      "storageKey": null
    }
  ],
  "type": "Provider",
  "abstractKey": null
};

(node as any).hash = "fa4255b7ea43b5463e52ac7ed93d8b4e";

export default node;
