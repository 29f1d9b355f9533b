/**
 * @generated SignedSource<<82a5a6db40210947eba24ee7962f088f>>
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
    }
  ],
  "type": "Share",
  "abstractKey": null
};

(node as any).hash = "2205352c8d19b388ffb99b0f0072fa46";

export default node;
