/**
 * @generated SignedSource<<10eaf4dcda5d1069f5e95bb1aaae6d7c>>
 * @relayHash 8c33a78c1e53a1abdbb0198cae28d8be
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 12b6cb0ba883d5f480b21e0ba4b3ef3b3c98f8dd1abdc7e04ce149874bccd019

import { ConcreteRequest } from 'relay-runtime';
export type AuthorizeAccountInput = {
  accountId?: string | null | undefined;
  clientMutationId?: string | null | undefined;
  provider: string;
};
export type authorizeAccountMutation$variables = {
  input: AuthorizeAccountInput;
};
export type authorizeAccountMutation$data = {
  readonly authorizeAccount: {
    readonly __typename: string;
    readonly authorizationUrl?: string;
    readonly code?: string;
    readonly message?: string;
    readonly state?: string;
  };
};
export type authorizeAccountMutation = {
  response: authorizeAccountMutation$data;
  variables: authorizeAccountMutation$variables;
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
    "name": "authorizeAccount",
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
            "name": "state",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "authorizationUrl",
            "storageKey": null
          }
        ],
        "type": "AuthorizeAccountPayload",
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
    "name": "authorizeAccountMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "authorizeAccountMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "12b6cb0ba883d5f480b21e0ba4b3ef3b3c98f8dd1abdc7e04ce149874bccd019",
    "metadata": {},
    "name": "authorizeAccountMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "433d77172b1e5a4058b51815e708d798";

export default node;
