/**
 * @generated SignedSource<<92b4f172de1cdd264e7d263c657ef797>>
 * @relayHash 5ae4d17b84b920ee5ad94dbede9dc41f
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 829b6aaae24d2f4dc132e54619357ff90338f3a71324421ec7372d78849977fe

import { ConcreteRequest } from 'relay-runtime';
export type NextFileQuery$variables = {
  bytes: number;
  id: string;
};
export type NextFileQuery$data = {
  readonly node: {
    readonly placementPreview?: {
      readonly why: string;
    };
  } | null | undefined;
};
export type NextFileQuery = {
  response: NextFileQuery$data;
  variables: NextFileQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "bytes"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "id"
},
v2 = [
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "id"
  }
],
v3 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": [
        {
          "kind": "Variable",
          "name": "bytes",
          "variableName": "bytes"
        }
      ],
      "concreteType": "PlacementPreview",
      "kind": "LinkedField",
      "name": "placementPreview",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "why",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "GroupCloud",
  "abstractKey": null
};
return {
  "fragment": {
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "NextFileQuery",
    "selections": [
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
        "selections": [
          (v3/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v1/*:: as any*/),
      (v0/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "NextFileQuery",
    "selections": [
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "__typename",
            "storageKey": null
          },
          (v3/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "id",
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "829b6aaae24d2f4dc132e54619357ff90338f3a71324421ec7372d78849977fe",
    "metadata": {},
    "name": "NextFileQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "453cd011d326881c4c64c53af031a7c1";

export default node;
