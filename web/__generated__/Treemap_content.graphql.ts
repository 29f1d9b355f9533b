/**
 * @generated SignedSource<<8656d92478d03c9c7eaa44d1c48f67db>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type FileKind = "FILE" | "FOLDER" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type Treemap_content$data = {
  readonly bytes: number;
  readonly children: ReadonlyArray<{
    readonly bytes: number;
    readonly changedAt: string | null | undefined;
    readonly children: ReadonlyArray<{
      readonly bytes: number;
      readonly changedAt: string | null | undefined;
      readonly file: {
        readonly id: string;
        readonly kind: FileKind;
        readonly name: string;
      };
      readonly files: number;
    }>;
    readonly file: {
      readonly id: string;
      readonly kind: FileKind;
      readonly name: string;
    };
    readonly files: number;
  }>;
  readonly others: {
    readonly bytes: number;
    readonly count: number;
  };
  readonly " $fragmentType": "Treemap_content";
};
export type Treemap_content$key = {
  readonly " $data"?: Treemap_content$data;
  readonly " $fragmentSpreads": FragmentRefs<"Treemap_content">;
};

const node: ReaderFragment = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "bytes",
  "storageKey": null
},
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "files",
  "storageKey": null
},
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "changedAt",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "concreteType": "File",
  "kind": "LinkedField",
  "name": "file",
  "plural": false,
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
      "name": "kind",
      "storageKey": null
    }
  ],
  "storageKey": null
};
return {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "Treemap_content",
  "selections": [
    (v0/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "concreteType": "RoomOthers",
      "kind": "LinkedField",
      "name": "others",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "count",
          "storageKey": null
        },
        (v0/*:: as any*/)
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "RoomEntry",
      "kind": "LinkedField",
      "name": "children",
      "plural": true,
      "selections": [
        (v0/*:: as any*/),
        (v1/*:: as any*/),
        (v2/*:: as any*/),
        (v3/*:: as any*/),
        {
          "alias": null,
          "args": null,
          "concreteType": "RoomEntry",
          "kind": "LinkedField",
          "name": "children",
          "plural": true,
          "selections": [
            (v0/*:: as any*/),
            (v1/*:: as any*/),
            (v2/*:: as any*/),
            (v3/*:: as any*/)
          ],
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "RoomContent",
  "abstractKey": null
};
})();

(node as any).hash = "7724948f56cc01bfeda6c71a886f2ba2";

export default node;
