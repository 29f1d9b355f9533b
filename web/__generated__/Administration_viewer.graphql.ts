/**
 * @generated SignedSource<<f3aabecb9dc013d96d3d992ca2f13f3b>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type InvitationState = "EXPIRED" | "OPEN" | "USED" | "%future added value";
export type RegistrationMode = "CLOSED" | "INVITE" | "OPEN" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type Administration_viewer$data = {
  readonly administration: {
    readonly invitations: ReadonlyArray<{
      readonly createdAt: string;
      readonly email: string | null | undefined;
      readonly expiresAt: string;
      readonly id: string;
      readonly state: InvitationState;
      readonly usedAt: string | null | undefined;
      readonly usedBy: string | null | undefined;
    }>;
    readonly registration: RegistrationMode;
    readonly totalBytes: number | null | undefined;
    readonly usedBytes: number;
    readonly users: number;
  } | null | undefined;
  readonly " $fragmentType": "Administration_viewer";
};
export type Administration_viewer$key = {
  readonly " $data"?: Administration_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"Administration_viewer">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "Administration_viewer",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "Administration",
      "kind": "LinkedField",
      "name": "administration",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "registration",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "users",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "usedBytes",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "totalBytes",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "concreteType": "Invitation",
          "kind": "LinkedField",
          "name": "invitations",
          "plural": true,
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
              "name": "email",
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
              "name": "createdAt",
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
              "name": "usedAt",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "usedBy",
              "storageKey": null
            }
          ],
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "User",
  "abstractKey": null
};

(node as any).hash = "06c56c326b24a958f5dad3de6c9cfe9d";

export default node;
