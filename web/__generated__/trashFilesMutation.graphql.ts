/**
 * @generated SignedSource<<589320db6738b241427f3b806d709882>>
 * @relayHash 1bb768ccab5b5050f50706a785c7b06d
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 3f70d1af51d8dc419d7b8b4315bcd250c0890409bf5bac078b75f6b184282e1c

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
    readonly failures?: ReadonlyArray<{
      readonly id: string;
      readonly message: string;
    }>;
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
              (v1/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "trashedAt",
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
    "name": "trashFilesMutation",
    "selections": (v3/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "trashFilesMutation",
    "selections": (v3/*:: as any*/)
  },
  "params": {
    "id": "3f70d1af51d8dc419d7b8b4315bcd250c0890409bf5bac078b75f6b184282e1c",
    "metadata": {},
    "name": "trashFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "183cb6ccbb22e01022550f05eb97321f";

export default node;
