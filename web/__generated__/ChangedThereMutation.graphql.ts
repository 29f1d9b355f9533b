/**
 * @generated SignedSource<<ab8c81a0652bb957e7a5f94a40e31e2c>>
 * @relayHash 056d98196398186296b835e62993c120
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 4f5d62d6fc441a554436df3e3636f662ef39e410c8e7bd85d7f95fc53b5fb4a0

import { ConcreteRequest } from 'relay-runtime';
export type KeepChangedVersionInput = {
  clientMutationId?: string | null | undefined;
  copyId: string;
};
export type ChangedThereMutation$variables = {
  input: KeepChangedVersionInput;
};
export type ChangedThereMutation$data = {
  readonly keepChangedVersion: {
    readonly __typename: string;
    readonly code?: string;
    readonly file?: {
      readonly id: string;
      readonly name: string;
    };
    readonly message?: string;
  };
};
export type ChangedThereMutation = {
  response: ChangedThereMutation$data;
  variables: ChangedThereMutation$variables;
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
    "name": "keepChangedVersion",
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
        "type": "KeepChangedVersionPayload",
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
    "name": "ChangedThereMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "ChangedThereMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "4f5d62d6fc441a554436df3e3636f662ef39e410c8e7bd85d7f95fc53b5fb4a0",
    "metadata": {},
    "name": "ChangedThereMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "509adaed56d5f1fc2d9ede0db1cdd04f";

export default node;
