/**
 * @generated SignedSource<<9b8e5590868c73a2790cf39e6c4488b0>>
 * @relayHash 205e369c7319459db108ccfa02fe21d6
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 19de275007a741fb589ff1a96a23a1abfe69372ed14da77273813b12d921d891

import { ConcreteRequest } from 'relay-runtime';
export type OnConflict = "FAIL" | "RENAME" | "REPLACE" | "%future added value";
export type MoveFilesInput = {
  clientMutationId?: string | null | undefined;
  ids: ReadonlyArray<string>;
  onConflict?: OnConflict | null | undefined;
  parentId?: string | null | undefined;
};
export type moveFilesMutation$variables = {
  input: MoveFilesInput;
};
export type moveFilesMutation$data = {
  readonly moveFiles: {
    readonly __typename: string;
    readonly code?: string;
    readonly files?: ReadonlyArray<{
      readonly id: string;
      readonly name: string;
      readonly parent: {
        readonly id: string;
      } | null | undefined;
    }>;
    readonly message?: string;
  };
};
export type moveFilesMutation = {
  response: moveFilesMutation$data;
  variables: moveFilesMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
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
    "name": "moveFiles",
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
            "concreteType": "File",
            "kind": "LinkedField",
            "name": "files",
            "plural": true,
            "selections": [
              (v1/*:: as any*/),
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
                "concreteType": "File",
                "kind": "LinkedField",
                "name": "parent",
                "plural": false,
                "selections": [
                  (v1/*:: as any*/)
                ],
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "type": "MoveFilesPayload",
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
    "name": "moveFilesMutation",
    "selections": (v2/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "moveFilesMutation",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "id": "19de275007a741fb589ff1a96a23a1abfe69372ed14da77273813b12d921d891",
    "metadata": {},
    "name": "moveFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "adf8167c5bdb4193f93837a922851c8d";

export default node;
