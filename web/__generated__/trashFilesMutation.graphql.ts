/**
 * @generated SignedSource<<5cce82be90eb760a6c6c60b009ce5f17>>
 * @relayHash 18c39969c17b13c8d8b304a2c27c7ff2
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 26036edca19c2d3f3aa312c30217958ebc1f32a8ac3788b75a66ba4706fc2abc

import { ConcreteRequest } from 'relay-runtime';
export type TrashFilesInput = {
  clientMutationId?: string | null | undefined;
  ids: ReadonlyArray<string>;
};
export type trashFilesMutation$variables = {
  input: TrashFilesInput;
};
export type trashFilesMutation$data = {
  readonly trashFiles: {
    readonly __typename: string;
    readonly code?: string;
    readonly files?: ReadonlyArray<{
      readonly id: string;
      readonly trashedAt: string | null | undefined;
    }>;
    readonly message?: string;
  };
};
export type trashFilesMutation = {
  response: trashFilesMutation$data;
  variables: trashFilesMutation$variables;
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
    "name": "trashFiles",
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
                "name": "trashedAt",
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "type": "TrashFilesPayload",
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
    "name": "trashFilesMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "trashFilesMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "26036edca19c2d3f3aa312c30217958ebc1f32a8ac3788b75a66ba4706fc2abc",
    "metadata": {},
    "name": "trashFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "03775bf69746d2530905ebf56c83c2db";

export default node;
