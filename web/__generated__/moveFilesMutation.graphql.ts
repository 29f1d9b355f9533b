/**
 * @generated SignedSource<<46d72421b8534dbf1ba3460edd4641bb>>
 * @relayHash 4fb89c1a8a090f1ffd6648812acea977
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID ebdf8319e55c1480153d073d61ba55a2337b0b675947de8fdd8a082c46d9f668

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
    readonly failures?: ReadonlyArray<{
      readonly id: string;
      readonly message: string;
    }>;
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
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "message",
  "storageKey": null
},
v3 = [
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
          },
          {
            "alias": null,
            "args": null,
            "concreteType": "FileFailure",
            "kind": "LinkedField",
            "name": "failures",
            "plural": true,
            "selections": [
              (v1/*:: as any*/),
              (v2/*:: as any*/)
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
          (v2/*:: as any*/)
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
    "selections": (v3/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "moveFilesMutation",
    "selections": (v3/*:: as any*/)
  },
  "params": {
    "id": "ebdf8319e55c1480153d073d61ba55a2337b0b675947de8fdd8a082c46d9f668",
    "metadata": {},
    "name": "moveFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "6a3d12d1c8d6695ec2c4539294c66b30";

export default node;
