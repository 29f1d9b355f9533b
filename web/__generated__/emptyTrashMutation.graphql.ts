/**
 * @generated SignedSource<<4e6957d54d1cccc94dda7d0d3fa5b03c>>
 * @relayHash ba9f52fa9542ee92c2d2ce8003f37408
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID d34d01e2d6316e1c3295737fc6ed084ad68b80cb5a2741fc08efbd227508c7d8

import { ConcreteRequest } from 'relay-runtime';
export type EmptyTrashInput = {
  clientMutationId?: string | null | undefined;
};
export type emptyTrashMutation$variables = {
  input: EmptyTrashInput;
};
export type emptyTrashMutation$data = {
  readonly emptyTrash: {
    readonly __typename: "EmptyTrashPayload";
    readonly deletedCount: number;
  };
};
export type emptyTrashMutation = {
  response: emptyTrashMutation$data;
  variables: emptyTrashMutation$variables;
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
    "concreteType": "EmptyTrashPayload",
    "kind": "LinkedField",
    "name": "emptyTrash",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "deletedCount",
        "storageKey": null
      },
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "__typename",
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
    "name": "emptyTrashMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "emptyTrashMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "d34d01e2d6316e1c3295737fc6ed084ad68b80cb5a2741fc08efbd227508c7d8",
    "metadata": {},
    "name": "emptyTrashMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "ac0d04cd7def75ac807343b30a4d7c96";

export default node;
