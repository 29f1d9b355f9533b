/**
 * @generated SignedSource<<6aa85b5033c25094c1364f43e57ea75e>>
 * @relayHash e73b16944427471615d4f57c4b065cfa
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 62ece9ef8c7bb7dc2613346df520354255c04d9f961dd871b18ad98a6aad2b67

import { ConcreteRequest } from 'relay-runtime';
export type RestoreEarlierVersionInput = {
  clientMutationId?: string | null | undefined;
  id: string;
};
export type ProtectionSectionMutation$variables = {
  input: RestoreEarlierVersionInput;
};
export type ProtectionSectionMutation$data = {
  readonly restoreEarlierVersion: {
    readonly __typename: string;
    readonly code?: string;
    readonly folderName?: string | null | undefined;
    readonly intoAccount?: boolean;
    readonly message?: string;
  };
};
export type ProtectionSectionMutation = {
  response: ProtectionSectionMutation$data;
  variables: ProtectionSectionMutation$variables;
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
    "name": "restoreEarlierVersion",
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
            "name": "intoAccount",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "folderName",
            "storageKey": null
          }
        ],
        "type": "RestoreEarlierVersionPayload",
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
    "name": "ProtectionSectionMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "ProtectionSectionMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "62ece9ef8c7bb7dc2613346df520354255c04d9f961dd871b18ad98a6aad2b67",
    "metadata": {},
    "name": "ProtectionSectionMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "665c6ecfbc547076e57ad61a396a1f96";

export default node;
