/**
 * @generated SignedSource<<1caabdabcc1148fc8cd25683c4513465>>
 * @relayHash 1ca3bdba04701e522bd6bddac4eb3210
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 8d91891b81770aae17466e9f69365130d89aa7a4a252479efab56f410b38ae53

import { ConcreteRequest } from 'relay-runtime';
export type CopyFilesInput = {
  clientMutationId?: string | null | undefined;
  groupCloudId?: string | null | undefined;
  ids: ReadonlyArray<string>;
  parentId?: string | null | undefined;
};
export type copyFilesMutation$variables = {
  input: CopyFilesInput;
};
export type copyFilesMutation$data = {
  readonly copyFiles: {
    readonly __typename: string;
    readonly code?: string;
    readonly files?: ReadonlyArray<{
      readonly id: string;
    }>;
    readonly message?: string;
  };
};
export type copyFilesMutation = {
  response: copyFilesMutation$data;
  variables: copyFilesMutation$variables;
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
    "name": "copyFiles",
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
              }
            ],
            "storageKey": null
          }
        ],
        "type": "CopyFilesPayload",
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
    "name": "copyFilesMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "copyFilesMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "8d91891b81770aae17466e9f69365130d89aa7a4a252479efab56f410b38ae53",
    "metadata": {},
    "name": "copyFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "e49473123987c35b6e239adf72a56212";

export default node;
