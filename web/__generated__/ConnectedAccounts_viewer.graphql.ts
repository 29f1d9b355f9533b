/**
 * @generated SignedSource<<29e6bfcb25e008c09ca34ee314cebc46>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type AccountStatus = "CONNECTED" | "EXPIRED" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type ConnectedAccounts_viewer$data = {
  readonly accounts: ReadonlyArray<{
    readonly id: string;
    readonly provider: string;
    readonly status: AccountStatus;
    readonly unreachableSince: string | null | undefined;
    readonly " $fragmentSpreads": FragmentRefs<"AccountCard_account">;
  }>;
  readonly " $fragmentType": "ConnectedAccounts_viewer";
};
export type ConnectedAccounts_viewer$key = {
  readonly " $data"?: ConnectedAccounts_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"ConnectedAccounts_viewer">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "ConnectedAccounts_viewer",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "Account",
      "kind": "LinkedField",
      "name": "accounts",
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
          "name": "provider",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "status",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "unreachableSince",
          "storageKey": null
        },
        {
          "args": null,
          "kind": "FragmentSpread",
          "name": "AccountCard_account"
        }
      ],
      "storageKey": null
    }
  ],
  "type": "User",
  "abstractKey": null
};

(node as any).hash = "475c363b232ee7dcd4ca0430d3f40cd4";

export default node;
