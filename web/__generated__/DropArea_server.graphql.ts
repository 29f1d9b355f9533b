/**
 * @generated SignedSource<<694f9e8d03a364702cd3d6551c4cf9f4>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type DropArea_server$data = {
  readonly uploadTypes: ReadonlyArray<{
    readonly extensions: ReadonlyArray<string>;
    readonly mimeType: string;
  }> | null | undefined;
  readonly " $fragmentType": "DropArea_server";
};
export type DropArea_server$key = {
  readonly " $data"?: DropArea_server$data;
  readonly " $fragmentSpreads": FragmentRefs<"DropArea_server">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "DropArea_server",
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "UploadType",
      "kind": "LinkedField",
      "name": "uploadTypes",
      "plural": true,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "mimeType",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "extensions",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "ServerInfo",
  "abstractKey": null
};

(node as any).hash = "e7b04de32ea99239844dc85e9b05c71b";

export default node;
