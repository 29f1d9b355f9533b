/**
 * @generated SignedSource<<66855c727d2a259c10cd3d02516dc161>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type IndexPhase = "FIRST_PASS" | "HELD" | "LIVE" | "PAUSED" | "WALK" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type ContentSearch_viewer$data = {
  readonly accounts: ReadonlyArray<{
    readonly id: string;
    readonly index: {
      readonly phase: IndexPhase;
    } | null | undefined;
    readonly name: string;
    readonly provider: string;
    readonly providerName: string;
    readonly searchContents: boolean;
  }>;
  readonly " $fragmentType": "ContentSearch_viewer";
};
export type ContentSearch_viewer$key = {
  readonly " $data"?: ContentSearch_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"ContentSearch_viewer">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "ContentSearch_viewer",
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
          "name": "searchContents",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "concreteType": "AccountIndex",
          "kind": "LinkedField",
          "name": "index",
          "plural": false,
          "selections": [
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "phase",
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

(node as any).hash = "31a27383ff5b60cb9609c773c54241f3";

export default node;
