/**
 * @generated SignedSource<<f2a22030cf2fa203d787462b62370527>>
 * @relayHash 142fde5ae2448468b84a0ce7ab6479af
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID e0f8fbe7dc7b8540473f674bd7561039b9f04ac34e44be6386e0089e1b1f26e7

import { ConcreteRequest } from 'relay-runtime';
export type DuplicateComparisonState = "DIFFERENT" | "EQUAL" | "FAILED" | "PARTLY_EQUAL" | "RUNNING" | "%future added value";
export type CompareDuplicatesInput = {
  clientMutationId?: string | null | undefined;
  ids: ReadonlyArray<string>;
};
export type compareDuplicatesMutation$variables = {
  input: CompareDuplicatesInput;
};
export type compareDuplicatesMutation$data = {
  readonly compareDuplicates: {
    readonly __typename: string;
    readonly code?: string;
    readonly comparisons?: ReadonlyArray<{
      readonly id: string;
      readonly state: DuplicateComparisonState;
    }>;
    readonly message?: string;
  };
};
export type compareDuplicatesMutation = {
  response: compareDuplicatesMutation$data;
  variables: compareDuplicatesMutation$variables;
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
    "name": "compareDuplicates",
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
            "concreteType": "DuplicateComparison",
            "kind": "LinkedField",
            "name": "comparisons",
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
                "name": "state",
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "type": "CompareDuplicatesPayload",
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
    "name": "compareDuplicatesMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "compareDuplicatesMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "e0f8fbe7dc7b8540473f674bd7561039b9f04ac34e44be6386e0089e1b1f26e7",
    "metadata": {},
    "name": "compareDuplicatesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "164947efb29855d3b22294c3fb8fdfea";

export default node;
