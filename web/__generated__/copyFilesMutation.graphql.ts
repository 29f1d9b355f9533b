/**
 * @generated SignedSource<<e0a2c1477a7d097d94dfc5419df68e5e>>
 * @relayHash 57a986a10a85d249515fc02cf3a469f3
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID cdb64d218a8b97aec39540fe30c0d12add441ddd2a896e0e41f737a21a6eb07b

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
    readonly job?: {
      readonly id: string;
    } | null | undefined;
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
    "args": null,
    "kind": "ScalarField",
    "name": "id",
    "storageKey": null
  }
],
v2 = [
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
            "selections": (v1/*:: as any*/),
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "concreteType": "Job",
            "kind": "LinkedField",
            "name": "job",
            "plural": false,
            "selections": (v1/*:: as any*/),
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
    "selections": (v2/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "copyFilesMutation",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "id": "cdb64d218a8b97aec39540fe30c0d12add441ddd2a896e0e41f737a21a6eb07b",
    "metadata": {},
    "name": "copyFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "0b9d05e15088882d7c4c5ec162395801";

export default node;
