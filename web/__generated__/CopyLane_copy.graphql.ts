/**
 * @generated SignedSource<<a57e85088d5b33bc3f6b0c98ee1d89e3>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type CopyState = "MISSING" | "STORED" | "STORING" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type CopyLane_copy$data = {
  readonly pieces: ReadonlyArray<{
    readonly account: {
      readonly hue: number;
      readonly id: string;
      readonly name: string;
      readonly provider: string;
      readonly providerName: string;
    };
    readonly index: number;
    readonly size: number;
  }>;
  readonly state: CopyState;
  readonly " $fragmentType": "CopyLane_copy";
};
export type CopyLane_copy$key = {
  readonly " $data"?: CopyLane_copy$data;
  readonly " $fragmentSpreads": FragmentRefs<"CopyLane_copy">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "CopyLane_copy",
  "selections": [
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
      "concreteType": "Piece",
      "kind": "LinkedField",
      "name": "pieces",
      "plural": true,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "index",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "size",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "concreteType": "Account",
          "kind": "LinkedField",
          "name": "account",
          "plural": false,
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
              "name": "provider",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "providerName",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "hue",
              "storageKey": null
            }
          ],
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "Copy",
  "abstractKey": null
};

(node as any).hash = "e804780437399331676b066c4dbb891b";

export default node;
