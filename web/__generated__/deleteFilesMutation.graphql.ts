/**
 * @generated SignedSource<<23c05bbae211474c626bf6977a6d4bea>>
 * @relayHash 02b33e000c6e282db4b347ba0c8d2e79
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID f6181746813ba442494ebe62560b4c258b3168b41053f43c06426f9ed16ee3ba

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
    readonly failures?: ReadonlyArray<{
      readonly id: string;
      readonly message: string;
    }>;
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
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "message",
  "storageKey": null
},
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
          },
          {
            "alias": null,
            "args": null,
            "concreteType": "FileFailure",
            "kind": "LinkedField",
            "name": "failures",
            "plural": true,
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "id",
                "storageKey": null
              },
              (v1/*:: as any*/)
            ],
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
          (v1/*:: as any*/)
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
    "selections": (v2/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "deleteFilesMutation",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "id": "f6181746813ba442494ebe62560b4c258b3168b41053f43c06426f9ed16ee3ba",
    "metadata": {},
    "name": "deleteFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "8fa1b6384e52c397769ff20ff6a2ce62";

export default node;
