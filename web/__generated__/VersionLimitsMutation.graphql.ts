/**
 * @generated SignedSource<<b2d1d11c4f0fc15749905f961f3f4a8b>>
 * @relayHash add3e00a1cb3a74216b88803f99e727c
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 9612f0fb1e1c10648a1791ac4fa9f5d7640faa84e893a9e8b1c055fadf3b67fe

import { ConcreteRequest } from 'relay-runtime';
export type SetVersionLimitsInput = {
  clientMutationId?: string | null | undefined;
  days?: number | null | undefined;
  most?: number | null | undefined;
};
export type VersionLimitsMutation$variables = {
  input: SetVersionLimitsInput;
};
export type VersionLimitsMutation$data = {
  readonly setVersionLimits: {
    readonly __typename: string;
    readonly code?: string;
    readonly message?: string;
    readonly viewer?: {
      readonly id: string;
      readonly versionSettings: {
        readonly bytes: number;
        readonly days: number;
        readonly most: number;
        readonly versions: number;
      };
    };
  };
};
export type VersionLimitsMutation = {
  response: VersionLimitsMutation$data;
  variables: VersionLimitsMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
  }
],
v1 = [
  {
    "alias": null,
    "args": [
      {
        "kind": "Variable",
        "name": "input",
        "variableName": "input"
      }
    ],
    "concreteType": null,
    "kind": "LinkedField",
    "name": "setVersionLimits",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "__typename",
        "storageKey": null
      },
      {
        "kind": "InlineFragment",
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "User",
            "kind": "LinkedField",
            "name": "viewer",
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
                "concreteType": "VersionSettings",
                "kind": "LinkedField",
                "name": "versionSettings",
                "plural": false,
                "selections": [
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "days",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "most",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "versions",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "bytes",
                    "storageKey": null
                  }
                ],
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "type": "SetVersionLimitsPayload",
        "abstractKey": null
      },
      {
        "kind": "InlineFragment",
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "code",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "message",
            "storageKey": null
          }
        ],
        "type": "Error",
        "abstractKey": "__isError"
      }
    ],
    "storageKey": null
  }
];
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "VersionLimitsMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "VersionLimitsMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "9612f0fb1e1c10648a1791ac4fa9f5d7640faa84e893a9e8b1c055fadf3b67fe",
    "metadata": {},
    "name": "VersionLimitsMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "1cc7daeafae72cb73a79b403279c61ee";

export default node;
