/**
 * @generated SignedSource<<e32cbd40c3506df74b3a694051635f23>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type UploadLinkList_folder$data = {
  readonly uploadLinks: ReadonlyArray<{
    readonly id: string;
    readonly " $fragmentSpreads": FragmentRefs<"UploadLinkList_link">;
  }>;
  readonly " $fragmentType": "UploadLinkList_folder";
};
export type UploadLinkList_folder$key = {
  readonly " $data"?: UploadLinkList_folder$data;
  readonly " $fragmentSpreads": FragmentRefs<"UploadLinkList_folder">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "UploadLinkList_folder",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "UploadLink",
      "kind": "LinkedField",
      "name": "uploadLinks",
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
          "name": "UploadLinkList_link"
        }
      ],
      "storageKey": null
    }
  ],
  "type": "File",
  "abstractKey": null
};

(node as any).hash = "4e765c2515f92f7be54a10664d6d1287";

export default node;
