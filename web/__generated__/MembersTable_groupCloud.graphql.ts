/**
 * @generated SignedSource<<866085bf44d36b6af97f50c66491d1b3>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type MembersTable_groupCloud$data = {
  readonly id: string;
  readonly members: ReadonlyArray<{
    readonly account: {
      readonly id: string;
    };
    readonly allowOnlyCopy: boolean;
    readonly " $fragmentSpreads": FragmentRefs<"MemberRow_member">;
  }>;
  readonly " $fragmentType": "MembersTable_groupCloud";
};
export type MembersTable_groupCloud$key = {
  readonly " $data"?: MembersTable_groupCloud$data;
  readonly " $fragmentSpreads": FragmentRefs<"MembersTable_groupCloud">;
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
  "name": "MembersTable_groupCloud",
  "selections": [
    (v0/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "concreteType": "GroupCloudMember",
      "kind": "LinkedField",
      "name": "members",
      "plural": true,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "allowOnlyCopy",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "concreteType": "Account",
          "kind": "LinkedField",
          "name": "account",
          "plural": false,
          "selections": [
            (v0/*:: as any*/)
          ],
          "storageKey": null
        },
        {
          "args": null,
          "kind": "FragmentSpread",
          "name": "MemberRow_member"
        }
      ],
      "storageKey": null
    }
  ],
  "type": "GroupCloud",
  "abstractKey": null
};
})();

(node as any).hash = "b5d386ba6635e44ae980e4a0004fccda";

export default node;
