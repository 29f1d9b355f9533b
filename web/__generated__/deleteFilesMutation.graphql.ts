/**
 * @generated SignedSource<<3487584a95298d346267d0cdc93303ad>>
 * @relayHash addabfb008f26f575632680f4554d3bf
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID ed603fdbe095ba28ff309ffbbc3354013cd3dd530e4631d81dafd6be8a4e6f6f

import { ConcreteRequest } from 'relay-runtime';
export type DeleteFilesInput = {
  clientMutationId?: string | null | undefined;
  ids: ReadonlyArray<string>;
};
export type deleteFilesMutation$variables = {
  input: DeleteFilesInput;
};
export type deleteFilesMutation$data = {
  readonly deleteFiles: {
    readonly __typename: string;
    readonly code?: string;
    readonly deletedIds?: ReadonlyArray<string>;
    readonly message?: string;
  };
};
export type deleteFilesMutation = {
  response: deleteFilesMutation$data;
  variables: deleteFilesMutation$variables;
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
    "name": "deleteFiles",
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
            "kind": "ScalarField",
            "name": "deletedIds",
            "storageKey": null
          }
        ],
        "type": "DeleteFilesPayload",
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
    "name": "deleteFilesMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "deleteFilesMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "ed603fdbe095ba28ff309ffbbc3354013cd3dd530e4631d81dafd6be8a4e6f6f",
    "metadata": {},
    "name": "deleteFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "e8c5c2aceb0f8d78c5d3a3fee804c29f";

export default node;
