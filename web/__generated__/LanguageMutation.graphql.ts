/**
 * @generated SignedSource<<21cd68d7fa59b654d502d25b256dbcea>>
 * @relayHash 42120fece380cb317b6ce39ae1cd7170
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID e8f63bfd971383c1030a637ce85833ba54c56bc559578a644ef92456704e73e4

import { ConcreteRequest } from 'relay-runtime';
export type Language = "DE" | "EN" | "%future added value";
export type ChangeLanguageInput = {
  clientMutationId?: string | null | undefined;
  language?: Language | null | undefined;
};
export type LanguageMutation$variables = {
  input: ChangeLanguageInput;
};
export type LanguageMutation$data = {
  readonly changeLanguage: {
    readonly viewer: {
      readonly id: string;
      readonly language: Language | null | undefined;
    };
  };
};
export type LanguageMutation = {
  response: LanguageMutation$data;
  variables: LanguageMutation$variables;
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
    "concreteType": "ChangeLanguagePayload",
    "kind": "LinkedField",
    "name": "changeLanguage",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
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
            "name": "language",
            "storageKey": null
          }
        ],
        "storageKey": null
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
    "name": "LanguageMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "LanguageMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "e8f63bfd971383c1030a637ce85833ba54c56bc559578a644ef92456704e73e4",
    "metadata": {},
    "name": "LanguageMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "a5025d833d003f0f417dbe1ce7f826c0";

export default node;
