/**
 * @generated SignedSource<<b4c60bcec272b02ed3cf6bd5706a1990>>
 * @relayHash e4f03d47ab8841de69e6eae8e15d42ba
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID d839b2337dce088060ee818e610b14cd36fb6fc1eacc301c9842493c94fccb4b

import { ConcreteRequest } from 'relay-runtime';
export type OnConflict = "FAIL" | "RENAME" | "REPLACE" | "%future added value";
export type MoveFilesInput = {
  clientMutationId?: string | null | undefined;
  groupCloudId?: string | null | undefined;
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
    readonly job?: {
      readonly id: string;
    } | null | undefined;
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
  (v1/*:: as any*/)
],
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "message",
  "storageKey": null
},
v4 = [
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
                "selections": (v2/*:: as any*/),
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
              (v3/*:: as any*/)
            ],
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "concreteType": "Job",
            "kind": "LinkedField",
            "name": "job",
            "plural": false,
            "selections": (v2/*:: as any*/),
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
          (v3/*:: as any*/)
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
    "selections": (v4/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "moveFilesMutation",
    "selections": (v4/*:: as any*/)
  },
  "params": {
    "id": "d839b2337dce088060ee818e610b14cd36fb6fc1eacc301c9842493c94fccb4b",
    "metadata": {},
    "name": "moveFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "1508b1a6a606330b89e2292baf727ca2";

export default node;
