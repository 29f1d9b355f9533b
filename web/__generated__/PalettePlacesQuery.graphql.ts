/**
 * @generated SignedSource<<ef3b5ea9743f0131ca636babb315ee8c>>
 * @relayHash bb7f6db989f2440d514f3f2e1a37cdb8
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID e1f779dccea9986d03c882ea16bf5de6a32d7ca970e6cf8805f0c35aba67b725

import { ConcreteRequest } from 'relay-runtime';
export type LabelColor = "BLUE" | "GREEN" | "ORANGE" | "PINK" | "PURPLE" | "RED" | "TEAL" | "YELLOW" | "%future added value";
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
    readonly tags: ReadonlyArray<{
      readonly color: LabelColor;
      readonly id: string;
      readonly name: string;
    }>;
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
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "name",
  "storageKey": null
},
v2 = [
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
          (v1/*:: as any*/),
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
      },
      {
        "alias": null,
        "args": null,
        "concreteType": "Tag",
        "kind": "LinkedField",
        "name": "tags",
        "plural": true,
        "selections": [
          (v0/*:: as any*/),
          (v1/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "color",
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
    "selections": (v2/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "PalettePlacesQuery",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "id": "e1f779dccea9986d03c882ea16bf5de6a32d7ca970e6cf8805f0c35aba67b725",
    "metadata": {},
    "name": "PalettePlacesQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "e4481a38fd9dec3b597579e882861e3a";

export default node;
