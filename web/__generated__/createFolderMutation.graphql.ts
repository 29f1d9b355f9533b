/**
 * @generated SignedSource<<3bb61846586a510f4e251e87f548aeb8>>
 * @relayHash f70e12c4dd51e4b6f94c60b0834af8b5
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 50325331d1ea9c26c2a5d956ac4b9bc81f951208aba8c3c1266c34b4f57070d2

import { ConcreteRequest } from 'relay-runtime';
export type CreateFolderInput = {
  clientMutationId?: string | null | undefined;
  name: string;
  parentId?: string | null | undefined;
};
export type createFolderMutation$variables = {
  input: CreateFolderInput;
};
export type createFolderMutation$data = {
  readonly createFolder: {
    readonly __typename: string;
    readonly code?: string;
    readonly file?: {
      readonly id: string;
      readonly name: string;
    };
    readonly message?: string;
  };
};
export type createFolderMutation = {
  response: createFolderMutation$data;
  variables: createFolderMutation$variables;
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
    "name": "createFolderMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "createFolderMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "50325331d1ea9c26c2a5d956ac4b9bc81f951208aba8c3c1266c34b4f57070d2",
    "metadata": {},
    "name": "createFolderMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "b5acd48203e8c790ffc9759107c23780";

export default node;
