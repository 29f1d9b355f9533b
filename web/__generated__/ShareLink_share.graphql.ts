/**
 * @generated SignedSource<<f5db7ec59c10a939a3d1fedbd7366f37>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type ShareState = "EXPIRED" | "LIVE" | "PAUSED" | "REVOKED" | "USED_UP" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type ShareLink_share$data = {
  readonly downloads: number;
  readonly expiresAt: string | null | undefined;
  readonly hasPassword: boolean;
  readonly id: string;
  readonly maxDownloads: number | null | undefined;
  readonly providerName: string | null | undefined;
  readonly providerUrl: string | null | undefined;
  readonly state: ShareState;
  readonly url: string;
  readonly " $fragmentType": "ShareLink_share";
};
export type ShareLink_share$key = {
  readonly " $data"?: ShareLink_share$data;
  readonly " $fragmentSpreads": FragmentRefs<"ShareLink_share">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "ShareLink_share",
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
      "name": "url",
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
      "name": "hasPassword",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "expiresAt",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "maxDownloads",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "downloads",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "providerUrl",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "providerName",
      "storageKey": null
    }
  ],
  "type": "Share",
  "abstractKey": null
};

(node as any).hash = "a66ba6ed99789841c31e6f9f43d0d643";

export default node;
