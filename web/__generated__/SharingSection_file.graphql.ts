/**
 * @generated SignedSource<<02109b2d59435d40142736b11611d43a>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type SharingSection_file$data = {
  readonly id: string;
  readonly name: string;
  readonly shares: ReadonlyArray<{
    readonly id: string;
  }>;
  readonly trashedAt: string | null | undefined;
  readonly " $fragmentSpreads": FragmentRefs<"ShareLinks_file">;
  readonly " $fragmentType": "SharingSection_file";
};
export type SharingSection_file$key = {
  readonly " $data"?: SharingSection_file$data;
  readonly " $fragmentSpreads": FragmentRefs<"SharingSection_file">;
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
  "name": "SharingSection_file",
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
      "concreteType": "Share",
      "kind": "LinkedField",
      "name": "shares",
      "plural": true,
      "selections": [
        (v0/*:: as any*/)
      ],
      "storageKey": null
    },
    {
      "args": null,
      "kind": "FragmentSpread",
      "name": "ShareLinks_file"
    }
  ],
  "type": "File",
  "abstractKey": null
};
})();

(node as any).hash = "36e5d00e304477cf95a7f12202dc5741";

export default node;
