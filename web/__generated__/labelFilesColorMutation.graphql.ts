/**
 * @generated SignedSource<<284a15348941f9c2e61ae401e28f1cac>>
 * @relayHash 2b65c0966c83aee714c89b5a1d07a766
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 986759851d2ee990636f13bcc958a7b8b4c2a6c8002b9292dac5d766a783e5bb

import { ConcreteRequest } from 'relay-runtime';
export type LabelColor = "BLUE" | "GREEN" | "ORANGE" | "PINK" | "PURPLE" | "RED" | "TEAL" | "YELLOW" | "%future added value";
export type ColorFoldersInput = {
  clientMutationId?: string | null | undefined;
  color?: LabelColor | null | undefined;
  ids: ReadonlyArray<string>;
};
export type labelFilesColorMutation$variables = {
  input: ColorFoldersInput;
};
export type labelFilesColorMutation$data = {
  readonly colorFolders: {
    readonly __typename: string;
    readonly code?: string;
    readonly failures?: ReadonlyArray<{
      readonly id: string;
      readonly message: string;
    }>;
    readonly files?: ReadonlyArray<{
      readonly color: LabelColor | null | undefined;
      readonly id: string;
    }>;
    readonly message?: string;
  };
};
export type labelFilesColorMutation = {
  response: labelFilesColorMutation$data;
  variables: labelFilesColorMutation$variables;
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
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "message",
  "storageKey": null
},
v3 = [
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
    "name": "colorFolders",
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
              (v1/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "color",
                "storageKey": null
              }
            ],
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
              (v1/*:: as any*/),
              (v2/*:: as any*/)
            ],
            "storageKey": null
          }
        ],
        "type": "ColorFoldersPayload",
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
          (v2/*:: as any*/)
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
    "name": "labelFilesColorMutation",
    "selections": (v3/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "labelFilesColorMutation",
    "selections": (v3/*:: as any*/)
  },
  "params": {
    "id": "986759851d2ee990636f13bcc958a7b8b4c2a6c8002b9292dac5d766a783e5bb",
    "metadata": {},
    "name": "labelFilesColorMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "de92037643925e26ef70789cb57d0cec";

export default node;
