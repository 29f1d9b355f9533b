/**
 * @generated SignedSource<<87859ed0be04109aa09dec22899d8e3d>>
 * @relayHash 6c96133b43cda4b326f366fb3ecddd18
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 957d04acf0825953e129e3807abc75c199776cfef6ccc3f5bf1271d757355b13

import { ConcreteRequest } from 'relay-runtime';
export type RenameFileInput = {
  clientMutationId?: string | null | undefined;
  id: string;
  ifMatch?: string | null | undefined;
  name: string;
};
export type renameFileMutation$variables = {
  input: RenameFileInput;
};
export type renameFileMutation$data = {
  readonly renameFile: {
    readonly __typename: string;
    readonly code?: string;
    readonly file?: {
      readonly id: string;
      readonly name: string;
      readonly updatedAt: string;
    };
    readonly message?: string;
  };
};
export type renameFileMutation = {
  response: renameFileMutation$data;
  variables: renameFileMutation$variables;
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
    "name": "renameFile",
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
            "name": "file",
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
                "kind": "ScalarField",
                "name": "name",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "updatedAt",
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "type": "RenameFilePayload",
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
    "name": "renameFileMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "renameFileMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "957d04acf0825953e129e3807abc75c199776cfef6ccc3f5bf1271d757355b13",
    "metadata": {},
    "name": "renameFileMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "17615072dd47e6c355f47e89ae9c5603";

export default node;
