/**
 * @generated SignedSource<<29329d38fa575c5e690abbcd15353b08>>
 * @relayHash d7a6b2b84f8d0caae3bc3c4aadd28fbd
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 44e283fef5be668e6aa99a197b404a32b570da66f8e153cfc5cf4829a0de55ac

import { ConcreteRequest } from 'relay-runtime';
export type DeleteGroupCloudInput = {
  clientMutationId?: string | null | undefined;
  id: string;
  moveTo?: string | null | undefined;
  trash?: boolean | null | undefined;
};
export type deleteGroupCloudMutation$variables = {
  input: DeleteGroupCloudInput;
};
export type deleteGroupCloudMutation$data = {
  readonly deleteGroupCloud: {
    readonly __typename: string;
    readonly code?: string;
    readonly deletedId?: string;
    readonly message?: string;
  };
};
export type deleteGroupCloudMutation = {
  response: deleteGroupCloudMutation$data;
  variables: deleteGroupCloudMutation$variables;
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
    "kind": "Variable",
    "name": "input",
    "variableName": "input"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "__typename",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "deletedId",
  "storageKey": null
},
v4 = {
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
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "deleteGroupCloudMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "deleteGroupCloud",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          {
            "kind": "InlineFragment",
            "selections": [
              (v3/*:: as any*/)
            ],
            "type": "DeleteGroupCloudPayload",
            "abstractKey": null
          },
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "deleteGroupCloudMutation",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": null,
        "kind": "LinkedField",
        "name": "deleteGroupCloud",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          {
            "kind": "InlineFragment",
            "selections": [
              (v3/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "filters": null,
                "handle": "deleteRecord",
                "key": "",
                "kind": "ScalarHandle",
                "name": "deletedId"
              }
            ],
            "type": "DeleteGroupCloudPayload",
            "abstractKey": null
          },
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "44e283fef5be668e6aa99a197b404a32b570da66f8e153cfc5cf4829a0de55ac",
    "metadata": {},
    "name": "deleteGroupCloudMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "95629578c9e3f958c5fa5fed6fe1c236";

export default node;
