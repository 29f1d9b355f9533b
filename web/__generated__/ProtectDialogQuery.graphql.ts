/**
 * @generated SignedSource<<8952be1bb5fbf254d8e3fa87551d8e48>>
 * @relayHash e5f24ce175c66a03462cb49c5bc195c7
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 10af93387a4bfa4e9aaddc66ebaa929e4d246421544590596dae6078118d1312

import { ConcreteRequest } from 'relay-runtime';
export type ProtectDialogQuery$variables = {
  id: string;
};
export type ProtectDialogQuery$data = {
  readonly viewer: {
    readonly file: {
      readonly account: {
        readonly id: string;
        readonly lossPreview: {
          readonly inPlaceLost: number;
          readonly inPlaceLostBytes: number;
          readonly inPlaceProtected: number;
        };
        readonly name: string;
      } | null | undefined;
      readonly protection: {
        readonly copies: number;
        readonly folder: {
          readonly id: string;
          readonly name: string;
        };
        readonly groupCloud: {
          readonly id: string;
        } | null | undefined;
        readonly keepVersionsDays: number;
      } | null | undefined;
    } | null | undefined;
    readonly groupClouds: ReadonlyArray<{
      readonly id: string;
      readonly members: ReadonlyArray<{
        readonly account: {
          readonly hue: number;
          readonly id: string;
        };
        readonly draining: boolean;
      }>;
      readonly name: string;
      readonly quota: {
        readonly freeBytes: number | null | undefined;
      };
    }>;
    readonly id: string;
  } | null | undefined;
};
export type ProtectDialogQuery = {
  response: ProtectDialogQuery$data;
  variables: ProtectDialogQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
  }
],
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v2 = [
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "id"
  }
],
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "name",
  "storageKey": null
},
v4 = {
  "alias": null,
  "args": null,
  "concreteType": "Account",
  "kind": "LinkedField",
  "name": "account",
  "plural": false,
  "selections": [
    (v1/*:: as any*/),
    (v3/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "concreteType": "LossPreview",
      "kind": "LinkedField",
      "name": "lossPreview",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "inPlaceLost",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "inPlaceLostBytes",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "inPlaceProtected",
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "storageKey": null
},
v5 = {
  "alias": null,
  "args": null,
  "concreteType": "Protection",
  "kind": "LinkedField",
  "name": "protection",
  "plural": false,
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "File",
      "kind": "LinkedField",
      "name": "folder",
      "plural": false,
      "selections": [
        (v1/*:: as any*/),
        (v3/*:: as any*/)
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "GroupCloud",
      "kind": "LinkedField",
      "name": "groupCloud",
      "plural": false,
      "selections": [
        (v1/*:: as any*/)
      ],
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "copies",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "keepVersionsDays",
      "storageKey": null
    }
  ],
  "storageKey": null
},
v6 = {
  "alias": null,
  "args": null,
  "concreteType": "GroupCloud",
  "kind": "LinkedField",
  "name": "groupClouds",
  "plural": true,
  "selections": [
    (v1/*:: as any*/),
    (v3/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "concreteType": "Quota",
      "kind": "LinkedField",
      "name": "quota",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "freeBytes",
          "storageKey": null
        }
      ],
      "storageKey": null
    },
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
          "name": "draining",
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
            (v1/*:: as any*/),
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "hue",
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
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "ProtectDialogQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v1/*:: as any*/),
          {
            "alias": null,
            "args": (v2/*:: as any*/),
            "concreteType": "File",
            "kind": "LinkedField",
            "name": "file",
            "plural": false,
            "selections": [
              (v4/*:: as any*/),
              (v5/*:: as any*/)
            ],
            "storageKey": null
          },
          (v6/*:: as any*/)
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
    "name": "ProtectDialogQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v1/*:: as any*/),
          {
            "alias": null,
            "args": (v2/*:: as any*/),
            "concreteType": "File",
            "kind": "LinkedField",
            "name": "file",
            "plural": false,
            "selections": [
              (v4/*:: as any*/),
              (v5/*:: as any*/),
              (v1/*:: as any*/)
            ],
            "storageKey": null
          },
          (v6/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "10af93387a4bfa4e9aaddc66ebaa929e4d246421544590596dae6078118d1312",
    "metadata": {},
    "name": "ProtectDialogQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "476c7881d0c61cced257f909205656fd";

export default node;
