/**
 * @generated SignedSource<<b5078f4dcf1c122fc72fedbd9a063996>>
 * @relayHash a3716912a9ecd9c27f54884be918463b
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 695a9103b4503a23ff52aa1b6ca47cf089552f38ae777416c7b0b35f061f93fa

import { ConcreteRequest } from 'relay-runtime';
export type CreateFolderInput = {
  clientMutationId?: string | null | undefined;
  name: string;
  parentId?: string | null | undefined;
};
export type folderDoorCreateMutation$variables = {
  input: CreateFolderInput;
};
export type folderDoorCreateMutation$data = {
  readonly createFolder: {
    readonly __typename: string;
    readonly file?: {
      readonly id: string;
      readonly name: string;
    };
    readonly message?: string;
  };
};
export type folderDoorCreateMutation = {
  response: folderDoorCreateMutation$data;
  variables: folderDoorCreateMutation$variables;
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
    "name": "createFolder",
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
              }
            ],
            "storageKey": null
          }
        ],
        "type": "CreateFolderPayload",
        "abstractKey": null
      },
      {
        "kind": "InlineFragment",
        "selections": [
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
    "name": "folderDoorCreateMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "folderDoorCreateMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "695a9103b4503a23ff52aa1b6ca47cf089552f38ae777416c7b0b35f061f93fa",
    "metadata": {},
    "name": "folderDoorCreateMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "11c10252edf8af202704acea4950137e";

export default node;
