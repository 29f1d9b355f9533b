/**
 * @generated SignedSource<<6fbc237210e5c928112d3113c12c3ada>>
 * @relayHash de5e7f5232997a2337465967aa6c1f29
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 63afe8c3fa8577579a2825e111dd720b5779f1334170e1a081f15fafc1960cea

import { ConcreteRequest } from 'relay-runtime';
export type AccountScope = "EVERYTHING" | "OWN" | "%future added value";
export type UpdateAccountInput = {
  capacityBytes?: number | null | undefined;
  clientMutationId?: string | null | undefined;
  drives?: ReadonlyArray<string> | null | undefined;
  hue?: number | null | undefined;
  id: string;
  name?: string | null | undefined;
  scope?: AccountScope | null | undefined;
  searchContents?: boolean | null | undefined;
  sharedWithMe?: boolean | null | undefined;
};
export type ContentSearchMutation$variables = {
  input: UpdateAccountInput;
};
export type ContentSearchMutation$data = {
  readonly updateAccount: {
    readonly __typename: string;
    readonly account?: {
      readonly id: string;
      readonly searchContents: boolean;
    };
    readonly code?: string;
    readonly message?: string;
  };
};
export type ContentSearchMutation = {
  response: ContentSearchMutation$data;
  variables: ContentSearchMutation$variables;
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
    "name": "updateAccount",
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
            "concreteType": "Account",
            "kind": "LinkedField",
            "name": "account",
            "plural": false,
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
                "name": "searchContents",
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "type": "UpdateAccountPayload",
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
    "name": "ContentSearchMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "ContentSearchMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "63afe8c3fa8577579a2825e111dd720b5779f1334170e1a081f15fafc1960cea",
    "metadata": {},
    "name": "ContentSearchMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "8880be142454b75e0ac9048708f9a007";

export default node;
