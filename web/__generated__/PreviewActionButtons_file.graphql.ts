/**
 * @generated SignedSource<<7be54e312f1ebc5b8b9a1417f0b7d862>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type PreviewActionButtons_file$data = {
  readonly id: string;
  readonly name: string;
  readonly rights: {
    readonly rename: boolean;
  } | null | undefined;
  readonly starred: boolean;
  readonly trashedAt: string | null | undefined;
  readonly " $fragmentType": "PreviewActionButtons_file";
};
export type PreviewActionButtons_file$key = {
  readonly " $data"?: PreviewActionButtons_file$data;
  readonly " $fragmentSpreads": FragmentRefs<"PreviewActionButtons_file">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "PreviewActionButtons_file",
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
      "name": "starred",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "trashedAt",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "FileRights",
      "kind": "LinkedField",
      "name": "rights",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "rename",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "File",
  "abstractKey": null
};

(node as any).hash = "fbc863009e98a29010e9d9d14f9a40be";

export default node;
