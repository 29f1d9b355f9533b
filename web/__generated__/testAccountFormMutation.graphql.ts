/**
 * @generated SignedSource<<ec7cb02f8498fc0870a355e1133c0700>>
 * @relayHash baf9379ac3835c9090379c5a16897918
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID fed09d1a1bba7819b78b731023482e5da1339165ab0d40fb1bac38f4f285630b

import { ConcreteRequest } from 'relay-runtime';
export type QuotaState = "KNOWN" | "UNKNOWN" | "UNLIMITED" | "%future added value";
export type TestAccountFormInput = {
  accountId?: string | null | undefined;
  clientMutationId?: string | null | undefined;
  fields: ReadonlyArray<FieldValue>;
  provider: string;
};
export type FieldValue = {
  name: string;
  value: string;
};
export type testAccountFormMutation$variables = {
  input: TestAccountFormInput;
};
export type testAccountFormMutation$data = {
  readonly testAccountForm: {
    readonly __typename: string;
    readonly code?: string;
    readonly fields?: ReadonlyArray<{
      readonly message: string;
      readonly path: string;
    }>;
    readonly fingerprint?: string | null | undefined;
    readonly folderField?: string | null | undefined;
    readonly folders?: ReadonlyArray<{
      readonly name: string;
      readonly value: string;
    }>;
    readonly identity?: string | null | undefined;
    readonly message?: string;
    readonly ok?: boolean;
    readonly problem?: string | null | undefined;
    readonly quota?: {
      readonly state: QuotaState;
      readonly totalBytes: number | null | undefined;
      readonly usedBytes: number | null | undefined;
    } | null | undefined;
  };
};
export type testAccountFormMutation = {
  response: testAccountFormMutation$data;
  variables: testAccountFormMutation$variables;
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
    "name": "testAccountForm",
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
            "name": "ok",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "identity",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "concreteType": "TestedQuota",
            "kind": "LinkedField",
            "name": "quota",
            "plural": false,
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
                "name": "usedBytes",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "totalBytes",
                "storageKey": null
              }
            ],
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "fingerprint",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "folderField",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "concreteType": "TestedFolder",
            "kind": "LinkedField",
            "name": "folders",
            "plural": true,
            "selections": [
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
                "name": "value",
                "storageKey": null
              }
            ],
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "problem",
            "storageKey": null
          }
        ],
        "type": "TestAccountFormPayload",
        "abstractKey": null
      },
      {
        "kind": "InlineFragment",
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "FieldError",
            "kind": "LinkedField",
            "name": "fields",
            "plural": true,
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "path",
                "storageKey": null
              },
              (v1/*:: as any*/)
            ],
            "storageKey": null
          }
        ],
        "type": "InvalidInputError",
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
    "name": "testAccountFormMutation",
    "selections": (v2/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "testAccountFormMutation",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "id": "fed09d1a1bba7819b78b731023482e5da1339165ab0d40fb1bac38f4f285630b",
    "metadata": {},
    "name": "testAccountFormMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "2058f77dec5818dbecb4b5b5bb40575f";

export default node;
