/**
 * @generated SignedSource<<42153c22d1732a03500973a0572a3f95>>
 * @relayHash 42d6223f62ebb15e7f52513808b10413
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID b4e50f8d84a9cdb8e04c964cb569e4794686d5a4a8c0c48f8c52d1c5f4e74278

import { ConcreteRequest } from 'relay-runtime';
export type RevokeUploadLinkInput = {
  clientMutationId?: string | null | undefined;
  id: string;
};
export type revokeUploadLinkMutation$variables = {
  input: RevokeUploadLinkInput;
};
export type revokeUploadLinkMutation$data = {
  readonly revokeUploadLink: {
    readonly __typename: string;
    readonly code?: string;
    readonly folder?: {
      readonly id: string;
      readonly uploadLinks: ReadonlyArray<{
        readonly id: string;
      }>;
    };
    readonly message?: string;
  };
};
export type revokeUploadLinkMutation = {
  response: revokeUploadLinkMutation$data;
  variables: revokeUploadLinkMutation$variables;
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
    "name": "revokeUploadLink",
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
            "name": "folder",
            "plural": false,
            "selections": [
              (v1/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "concreteType": "UploadLink",
                "kind": "LinkedField",
                "name": "uploadLinks",
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
        "type": "RevokeUploadLinkPayload",
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
    "name": "revokeUploadLinkMutation",
    "selections": (v2/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "revokeUploadLinkMutation",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "id": "b4e50f8d84a9cdb8e04c964cb569e4794686d5a4a8c0c48f8c52d1c5f4e74278",
    "metadata": {},
    "name": "revokeUploadLinkMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "8258c71b0a1bb71aed1e4f67b6f54d2d";

export default node;
