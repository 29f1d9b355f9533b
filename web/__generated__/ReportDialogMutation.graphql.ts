/**
 * @generated SignedSource<<3e235ddaf7a1ba8a728d15b68d7af768>>
 * @relayHash 6402bcd221ff6bd3a9ad2fd3bbcc7920
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 23d4d34f28fbd80f18312ee191c481ccfdad60b95dc31aa80273e96b503adf9b

import { ConcreteRequest } from 'relay-runtime';
export type ReportReason = "ILLEGAL" | "MALWARE" | "OTHER" | "PRIVACY" | "%future added value";
export type ReportShareInput = {
  clientMutationId?: string | null | undefined;
  id: string;
  reason: ReportReason;
};
export type ReportDialogMutation$variables = {
  input: ReportShareInput;
};
export type ReportDialogMutation$data = {
  readonly reportShare: {
    readonly __typename: string;
    readonly code?: string;
    readonly message?: string;
  };
};
export type ReportDialogMutation = {
  response: ReportDialogMutation$data;
  variables: ReportDialogMutation$variables;
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
    "name": "reportShare",
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
    "name": "ReportDialogMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "ReportDialogMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "23d4d34f28fbd80f18312ee191c481ccfdad60b95dc31aa80273e96b503adf9b",
    "metadata": {},
    "name": "ReportDialogMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "7769a822c11efaf7f613e6a4901cd7d6";

export default node;
