/**
 * @generated SignedSource<<3012996230cc7e43487333b5f9823a7a>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type ShareLinks_file$data = {
  readonly shares: ReadonlyArray<{
    readonly id: string;
    readonly " $fragmentSpreads": FragmentRefs<"ShareLink_share">;
  }>;
  readonly " $fragmentType": "ShareLinks_file";
};
export type ShareLinks_file$key = {
  readonly " $data"?: ShareLinks_file$data;
  readonly " $fragmentSpreads": FragmentRefs<"ShareLinks_file">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "ShareLinks_file",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "Share",
      "kind": "LinkedField",
      "name": "shares",
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
          "args": null,
          "kind": "FragmentSpread",
          "name": "ShareLink_share"
        }
      ],
      "storageKey": null
    }
  ],
  "type": "File",
  "abstractKey": null
};

(node as any).hash = "a10cc1958e108fd7e2b83a164cfa0b7f";

export default node;
