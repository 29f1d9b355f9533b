/**
 * @generated SignedSource<<6d8e522966552b173badc367f221a966>>
 * @relayHash cf18fcc803229e860c96a53d94a7872e
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID f0a92d54cbf905c60c51f2af2fc9ff2caca6fcc6b84a366f7b48814b34eaba2a

import { ConcreteRequest } from 'relay-runtime';
export type RegistrationMode = "CLOSED" | "INVITE" | "OPEN" | "%future added value";
export type RegisterQuery$variables = {
  invite: string;
};
export type RegisterQuery$data = {
  readonly server: {
    readonly invitation: {
      readonly email: string | null | undefined;
    } | null | undefined;
    readonly registration: RegistrationMode;
  };
};
export type RegisterQuery = {
  response: RegisterQuery$data;
  variables: RegisterQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "invite"
  }
],
v1 = [
  {
    "alias": null,
    "args": null,
    "concreteType": "ServerInfo",
    "kind": "LinkedField",
    "name": "server",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "registration",
        "storageKey": null
      },
      {
        "alias": null,
        "args": [
          {
            "kind": "Variable",
            "name": "token",
            "variableName": "invite"
          }
        ],
        "concreteType": "InvitationOffer",
        "kind": "LinkedField",
        "name": "invitation",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "email",
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
    "name": "RegisterQuery",
    "selections": (v1/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "RegisterQuery",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "f0a92d54cbf905c60c51f2af2fc9ff2caca6fcc6b84a366f7b48814b34eaba2a",
    "metadata": {},
    "name": "RegisterQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "e0b8003c2ed3088f912f52f5ddf98eb9";

export default node;
