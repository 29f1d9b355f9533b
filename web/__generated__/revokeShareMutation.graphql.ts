/**
 * @generated SignedSource<<9bb5ea84513753041f8114a330205a15>>
 * @relayHash 2e15242cf746297e2930c0e480acda32
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID d37875813b9bdc44b91c0a79bd210850471290882657bfa3086a3834edd3d575

import { ConcreteRequest } from 'relay-runtime';
export type RevokeShareInput = {
  clientMutationId?: string | null | undefined;
  id: string;
};
export type revokeShareMutation$variables = {
  input: RevokeShareInput;
};
export type revokeShareMutation$data = {
  readonly revokeShare: {
    readonly __typename: string;
    readonly code?: string;
    readonly file?: {
      readonly id: string;
      readonly shares: ReadonlyArray<{
        readonly id: string;
      }>;
    };
    readonly message?: string;
  };
};
export type revokeShareMutation = {
  response: revokeShareMutation$data;
  variables: revokeShareMutation$variables;
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
    "name": "revokeShare",
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
            "name": "file",
            "plural": false,
            "selections": [
              (v1/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "concreteType": "Share",
                "kind": "LinkedField",
                "name": "shares",
                "plural": true,
                "selections": [
                  (v1/*:: as any*/)
                ],
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "type": "RevokeSharePayload",
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
    "name": "revokeShareMutation",
    "selections": (v2/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "revokeShareMutation",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "id": "d37875813b9bdc44b91c0a79bd210850471290882657bfa3086a3834edd3d575",
    "metadata": {},
    "name": "revokeShareMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "7b51a2ea5823347cdcf8b05f734a8df4";

export default node;
