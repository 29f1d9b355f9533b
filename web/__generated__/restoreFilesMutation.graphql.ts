/**
 * @generated SignedSource<<dc192749fac02d20b53330f0b2972c64>>
 * @relayHash bcb07bf7d6bcf80d2f0a98e438314adf
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID de51347032f2944516f86e1397898412e5926d482c79c84da1fb91aa450059f3

import { ConcreteRequest } from 'relay-runtime';
export type RestoreFilesInput = {
  clientMutationId?: string | null | undefined;
  ids: ReadonlyArray<string>;
};
export type restoreFilesMutation$variables = {
  input: RestoreFilesInput;
};
export type restoreFilesMutation$data = {
  readonly restoreFiles: {
    readonly __typename: string;
    readonly code?: string;
    readonly files?: ReadonlyArray<{
      readonly id: string;
      readonly name: string;
      readonly trashedAt: string | null | undefined;
    }>;
    readonly message?: string;
  };
};
export type restoreFilesMutation = {
  response: restoreFilesMutation$data;
  variables: restoreFilesMutation$variables;
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
    "name": "restoreFiles",
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
                "name": "name",
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
        "type": "RestoreFilesPayload",
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
    "name": "restoreFilesMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "restoreFilesMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "de51347032f2944516f86e1397898412e5926d482c79c84da1fb91aa450059f3",
    "metadata": {},
    "name": "restoreFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "ee2f4a7ee4de8a19579eeeb3296252be";

export default node;
