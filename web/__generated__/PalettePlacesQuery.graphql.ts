/**
 * @generated SignedSource<<165c0d6b79161ee6ffa206d7393a567a>>
 * @relayHash 41388b6a6a7bf459b3b6fb9427633d7d
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID b718180562c2a7533fe071dc1f68bbaf1d91bd2aa51dbe53e8a2633beb6beb90

import { ConcreteRequest } from 'relay-runtime';
export type ProviderGlyph = "APERTURE" | "BOX" | "BRANCH" | "CLOUD" | "CYLINDER" | "DIAMOND" | "GLOBE" | "RING" | "SEND" | "SERVER" | "SHIELD" | "TERMINAL" | "TRIANGLE" | "%future added value";
export type PalettePlacesQuery$variables = Record<PropertyKey, never>;
export type PalettePlacesQuery$data = {
  readonly viewer: {
    readonly accounts: ReadonlyArray<{
      readonly glyph: ProviderGlyph;
      readonly hue: number;
      readonly id: string;
      readonly index: {
        readonly rootFileId: string;
      } | null | undefined;
      readonly name: string;
      readonly provider: string;
      readonly providerName: string;
    }>;
    readonly id: string;
  } | null | undefined;
};
export type PalettePlacesQuery = {
  response: PalettePlacesQuery$data;
  variables: PalettePlacesQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v1 = [
  {
    "alias": null,
    "args": null,
    "concreteType": "User",
    "kind": "LinkedField",
    "name": "viewer",
    "plural": false,
    "selections": [
      (v0/*:: as any*/),
      {
        "alias": null,
        "args": null,
        "concreteType": "Account",
        "kind": "LinkedField",
        "name": "accounts",
        "plural": true,
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
            "name": "provider",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "providerName",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "glyph",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "hue",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "concreteType": "AccountIndex",
            "kind": "LinkedField",
            "name": "index",
            "plural": false,
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "rootFileId",
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "storageKey": null
  }
];
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "PalettePlacesQuery",
    "selections": (v1/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "PalettePlacesQuery",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "b718180562c2a7533fe071dc1f68bbaf1d91bd2aa51dbe53e8a2633beb6beb90",
    "metadata": {},
    "name": "PalettePlacesQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "ad51cc6d726fc996ecd7d8d5ee5d04c8";

export default node;
