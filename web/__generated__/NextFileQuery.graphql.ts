/**
 * @generated SignedSource<<7545c6956871d6d087832a324d168d7f>>
 * @relayHash c49fc1b63e462d5ccd5a77b3c38585a5
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID ff206bb398da438a67a378bcf7b1e573a25d3eedf96cb7769f5e0f8ecce4ac91

import { ConcreteRequest } from 'relay-runtime';
export type NextFileQuery$variables = {
  id: string;
  size: number;
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
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
  },
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "size"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "id"
  }
],
v2 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": [
        {
          "kind": "Variable",
          "name": "size",
          "variableName": "size"
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
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "NextFileQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "node",
        "plural": false,
        "selections": [
          (v2/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "NextFileQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
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
          (v2/*:: as any*/),
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
    "id": "ff206bb398da438a67a378bcf7b1e573a25d3eedf96cb7769f5e0f8ecce4ac91",
    "metadata": {},
    "name": "NextFileQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "5da757a4820f5e5543faeab20d5f68e1";

export default node;
