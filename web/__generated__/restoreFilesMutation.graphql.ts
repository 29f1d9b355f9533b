/**
 * @generated SignedSource<<2646f26ce60ef175d06f3cc685cb3a34>>
 * @relayHash 94d97f7ddaec139c8e62ba92c9704d92
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID c5338893f80ab3aa4d8933051a8949856e661837ab4f65a7d53c52a4f26eec7f

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
    readonly failures?: ReadonlyArray<{
      readonly id: string;
      readonly message: string;
    }>;
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
    "name": "restoreFilesMutation",
    "selections": (v3/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "restoreFilesMutation",
    "selections": (v3/*:: as any*/)
  },
  "params": {
    "id": "c5338893f80ab3aa4d8933051a8949856e661837ab4f65a7d53c52a4f26eec7f",
    "metadata": {},
    "name": "restoreFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "b3b86ef394564e577ad230549c833ee9";

export default node;
