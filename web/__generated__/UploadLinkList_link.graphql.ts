/**
 * @generated SignedSource<<5e62818564ab5a0acafd1f8199a2659e>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type UploadLinkState = "EXPIRED" | "FULL" | "LIVE" | "PAUSED" | "REVOKED" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type UploadLinkList_link$data = {
  readonly asksName: boolean;
  readonly bytes: number;
  readonly expiresAt: string | null | undefined;
  readonly files: number;
  readonly hasPassword: boolean;
  readonly id: string;
  readonly lastFileAt: string | null | undefined;
  readonly maxBytes: number | null | undefined;
  readonly maxFileBytes: number | null | undefined;
  readonly maxFiles: number | null | undefined;
  readonly message: string;
  readonly notifies: boolean;
  readonly state: UploadLinkState;
  readonly title: string;
  readonly url: string;
  readonly " $fragmentType": "UploadLinkList_link";
};
export type UploadLinkList_link$key = {
  readonly " $data"?: UploadLinkList_link$data;
  readonly " $fragmentSpreads": FragmentRefs<"UploadLinkList_link">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "UploadLinkList_link",
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
      "name": "title",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "message",
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
      "name": "maxFiles",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "maxBytes",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "maxFileBytes",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "asksName",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "notifies",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "files",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "bytes",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "lastFileAt",
      "storageKey": null
    }
  ],
  "type": "UploadLink",
  "abstractKey": null
};

(node as any).hash = "b447119e47de87956626ac0ce5255aaf";

export default node;
