/**
 * @generated SignedSource<<277f881cc65a36441f1e82941fa66c25>>
 * @relayHash a9c04886d00919f5c73ff708e190b311
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 5858934e59a989fcb8064d4ee9e71b9a2cab1f5dfc502d97f4c97edfde1e1396

import { ConcreteRequest } from 'relay-runtime';
export type StarFilesInput = {
  clientMutationId?: string | null | undefined;
  ids: ReadonlyArray<string>;
  starred: boolean;
};
export type starFilesMutation$variables = {
  input: StarFilesInput;
};
export type starFilesMutation$data = {
  readonly starFiles: {
    readonly __typename: string;
    readonly code?: string;
    readonly files?: ReadonlyArray<{
      readonly id: string;
      readonly starred: boolean;
    }>;
    readonly message?: string;
  };
};
export type starFilesMutation = {
  response: starFilesMutation$data;
  variables: starFilesMutation$variables;
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
    "name": "starFiles",
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
                "name": "starred",
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "type": "StarFilesPayload",
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
    "name": "starFilesMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "starFilesMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "5858934e59a989fcb8064d4ee9e71b9a2cab1f5dfc502d97f4c97edfde1e1396",
    "metadata": {},
    "name": "starFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "bfa9a89042e75acfc0453344f05182e6";

export default node;
