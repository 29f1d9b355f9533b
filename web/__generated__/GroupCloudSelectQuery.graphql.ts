/**
 * @generated SignedSource<<849ff872ecd6bc9b18ab7767432f6dd9>>
 * @relayHash 79d29703774c7561148d99ec7c5c918f
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 3cd249a79c54284d8476860d60e7e5900730fb0893c5f9e85cd9e1dbfa641ff6

import { ConcreteRequest } from 'relay-runtime';
export type GroupCloudSelectQuery$variables = {
  id: string;
};
export type GroupCloudSelectQuery$data = {
  readonly node: {
    readonly placementPreview?: {
      readonly why: string;
    };
  } | null | undefined;
};
export type GroupCloudSelectQuery = {
  response: GroupCloudSelectQuery$data;
  variables: GroupCloudSelectQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
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
          "kind": "Literal",
          "name": "size",
          "value": 1
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
      "storageKey": "placementPreview(size:1)"
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
    "name": "GroupCloudSelectQuery",
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
    "name": "GroupCloudSelectQuery",
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
    "id": "3cd249a79c54284d8476860d60e7e5900730fb0893c5f9e85cd9e1dbfa641ff6",
    "metadata": {},
    "name": "GroupCloudSelectQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "33a118fc54362f61bfd60ab7810a795d";

export default node;
