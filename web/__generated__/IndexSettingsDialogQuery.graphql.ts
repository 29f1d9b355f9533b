/**
 * @generated SignedSource<<26e31a256c60367db2f464243d4297ce>>
 * @relayHash 671fbc8a40ee407d879191e8de638a92
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 6baee36c6cfda2a9ebe0dd3bfe01928ede2bdefdcdb1c71837036e226f36aca8

import { ConcreteRequest } from 'relay-runtime';
export type AccountScope = "EVERYTHING" | "OWN" | "%future added value";
export type ProviderGlyph = "APERTURE" | "BOX" | "BRANCH" | "CLOUD" | "CYLINDER" | "DIAMOND" | "GLOBE" | "RING" | "SEND" | "SERVER" | "SHIELD" | "TERMINAL" | "TRIANGLE" | "%future added value";
export type IndexSettingsDialogQuery$variables = {
  id: string;
};
export type IndexSettingsDialogQuery$data = {
  readonly node: {
    readonly canShowEverything?: boolean;
    readonly glyph?: ProviderGlyph;
    readonly hue?: number;
    readonly roots?: {
      readonly drives: ReadonlyArray<{
        readonly id: string;
        readonly isShown: boolean;
        readonly name: string;
      }>;
      readonly sharedWithMe: boolean | null | undefined;
    };
    readonly scope?: AccountScope;
  } | null | undefined;
};
export type IndexSettingsDialogQuery = {
  response: IndexSettingsDialogQuery$data;
  variables: IndexSettingsDialogQuery$variables;
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
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v3 = {
  "kind": "InlineFragment",
  "selections": [
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
      "kind": "ScalarField",
      "name": "scope",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "canShowEverything",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "AccountRoots",
      "kind": "LinkedField",
      "name": "roots",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "sharedWithMe",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "concreteType": "AccountDrive",
          "kind": "LinkedField",
          "name": "drives",
          "plural": true,
          "selections": [
            (v2/*:: as any*/),
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
              "name": "isShown",
              "storageKey": null
            }
          ],
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "type": "Account",
  "abstractKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "IndexSettingsDialogQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
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
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "IndexSettingsDialogQuery",
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
          (v3/*:: as any*/),
          (v2/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "6baee36c6cfda2a9ebe0dd3bfe01928ede2bdefdcdb1c71837036e226f36aca8",
    "metadata": {},
    "name": "IndexSettingsDialogQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "c4fe92310415479a87bdf5b9d56317af";

export default node;
