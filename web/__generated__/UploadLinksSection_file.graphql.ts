/**
 * @generated SignedSource<<eca084764e77f5547e68c2c488068b94>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type UploadLinksSection_file$data = {
  readonly id: string;
  readonly name: string;
  readonly trashedAt: string | null | undefined;
  readonly uploadLinks: ReadonlyArray<{
    readonly id: string;
  }>;
  readonly " $fragmentSpreads": FragmentRefs<"UploadLinkList_folder">;
  readonly " $fragmentType": "UploadLinksSection_file";
};
export type UploadLinksSection_file$key = {
  readonly " $data"?: UploadLinksSection_file$data;
  readonly " $fragmentSpreads": FragmentRefs<"UploadLinksSection_file">;
};

const node: ReaderFragment = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
};
return {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "UploadLinksSection_file",
  "selections": [
    (v0/*:: as any*/),
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
      "name": "trashedAt",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "UploadLink",
      "kind": "LinkedField",
      "name": "uploadLinks",
      "plural": true,
      "selections": [
        (v0/*:: as any*/)
      ],
      "storageKey": null
    },
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "UploadLinkList_folder"
    }
  ],
  "type": "File",
  "abstractKey": null
};
})();

(node as any).hash = "e5ecf54db0dd75b03d3222e28271c150";

export default node;
