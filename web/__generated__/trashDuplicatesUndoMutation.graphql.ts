/**
 * @generated SignedSource<<0afc5303630470cfab3dcdb3832c16eb>>
 * @relayHash a5a9d6ec109fc9da8e12571a6b279a4d
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 2e7c347e63961016a60583fba81a2bd1860c2db445f22a1cbd052a65bb39a53e

import { ConcreteRequest } from 'relay-runtime';
export type UndoJobInput = {
  clientMutationId?: string | null | undefined;
  id: string;
};
export type trashDuplicatesUndoMutation$variables = {
  input: UndoJobInput;
};
export type trashDuplicatesUndoMutation$data = {
  readonly undoJob: {
    readonly __typename: string;
    readonly code?: string;
    readonly job?: {
      readonly id: string;
    };
    readonly message?: string;
  };
};
export type trashDuplicatesUndoMutation = {
  response: trashDuplicatesUndoMutation$data;
  variables: trashDuplicatesUndoMutation$variables;
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
    "name": "undoJob",
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
            "concreteType": "Job",
            "kind": "LinkedField",
            "name": "job",
            "plural": false,
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "id",
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "type": "UndoJobPayload",
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
    "name": "trashDuplicatesUndoMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "trashDuplicatesUndoMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "2e7c347e63961016a60583fba81a2bd1860c2db445f22a1cbd052a65bb39a53e",
    "metadata": {},
    "name": "trashDuplicatesUndoMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "ba9c7806947e8f334a8e17abdb56e9cd";

export default node;
