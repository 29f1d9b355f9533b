/**
 * @generated SignedSource<<4bc916c17240cbbd0a2d660d639faf98>>
 * @relayHash 2b4a99c60db5504ec2dc20fdf366287d
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 4e5f96ecbfbbede94d73afbf7f47a778dbf0ef854a92d1d310b9ab0a8c272a65

import { ConcreteRequest } from 'relay-runtime';
export type Action = "ACCOUNT_CHANGED" | "ACCOUNT_CONNECTED" | "ACCOUNT_CONTENT_CHOSEN" | "ACCOUNT_DISCONNECTED" | "ACCOUNT_EXPIRED" | "ACCOUNT_RECONNECTED" | "FILE_COPIED" | "FILE_DELETED" | "FILE_DOWNLOADED" | "FILE_EDITED" | "FILE_MOVED" | "FILE_MOVED_TO_GROUP_CLOUD" | "FILE_RECEIVED" | "FILE_RENAMED" | "FILE_RESTORED" | "FILE_STARRED" | "FILE_TAGGED" | "FILE_TRASHED" | "FILE_UNSTARRED" | "FILE_UNTAGGED" | "FILE_UPLOADED" | "FOLDER_COLORED" | "FOLDER_CREATED" | "FOLDER_PROTECTED" | "FOLDER_UNPROTECTED" | "GROUP_CLOUD_CHANGED" | "GROUP_CLOUD_CREATED" | "GROUP_CLOUD_DELETED" | "KEY_CREATED" | "KEY_REGENERATED" | "KEY_REVOKED" | "MEMBER_DRAINED" | "NAME_CHANGED" | "PASSWORD_CHANGED" | "PASSWORD_RESET" | "PASSWORD_RESET_ASKED" | "SESSION_ENDED" | "SHARE_CHANGED" | "SHARE_CREATED" | "SHARE_DOWNLOADED" | "SHARE_OPENED" | "SHARE_PASSWORD_REFUSED" | "SHARE_REPORTED" | "SHARE_REVOKED" | "SHARE_UNAVAILABLE" | "SIGNED_IN" | "SIGNED_OUT" | "SIGNED_UP" | "SIGN_IN_REFUSED" | "TRANSFER_CANCELLED" | "TRASH_EMPTIED" | "UPLOAD_LINK_CHANGED" | "UPLOAD_LINK_CREATED" | "UPLOAD_LINK_PASSWORD_REFUSED" | "UPLOAD_LINK_REVOKED" | "VERSION_DELETED" | "VERSION_RESTORED" | "%future added value";
export type ActorKind = "KEY" | "SESSION" | "SYSTEM" | "VISITOR" | "%future added value";
export type ActivityPageQuery$variables = {
  actions?: ReadonlyArray<Action> | null | undefined;
  after?: string | null | undefined;
  fileId?: string | null | undefined;
  first: number;
  query?: string | null | undefined;
};
export type ActivityPageQuery$data = {
  readonly viewer: {
    readonly activities: {
      readonly edges: ReadonlyArray<{
        readonly node: {
          readonly actorKind: ActorKind;
          readonly actorName: string;
          readonly address: string;
          readonly at: string;
          readonly id: string;
          readonly sentence: string;
        };
      }>;
      readonly pageInfo: {
        readonly endCursor: string | null | undefined;
        readonly hasNextPage: boolean;
      };
    };
    readonly id: string;
  } | null | undefined;
};
export type ActivityPageQuery = {
  response: ActivityPageQuery$data;
  variables: ActivityPageQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "actions"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "after"
},
v2 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "fileId"
},
v3 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "first"
},
v4 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "query"
},
v5 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v6 = [
  {
    "alias": null,
    "args": null,
    "concreteType": "User",
    "kind": "LinkedField",
    "name": "viewer",
    "plural": false,
    "selections": [
      (v5/*:: as any*/),
      {
        "alias": null,
        "args": [
          {
            "kind": "Variable",
            "name": "actions",
            "variableName": "actions"
          },
          {
            "kind": "Variable",
            "name": "after",
            "variableName": "after"
          },
          {
            "kind": "Variable",
            "name": "fileId",
            "variableName": "fileId"
          },
          {
            "kind": "Variable",
            "name": "first",
            "variableName": "first"
          },
          {
            "kind": "Variable",
            "name": "query",
            "variableName": "query"
          }
        ],
        "concreteType": "UserActivitiesConnection",
        "kind": "LinkedField",
        "name": "activities",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "concreteType": "UserActivitiesConnectionEdge",
            "kind": "LinkedField",
            "name": "edges",
            "plural": true,
            "selections": [
              {
                "alias": null,
                "args": null,
                "concreteType": "Activity",
                "kind": "LinkedField",
                "name": "node",
                "plural": false,
                "selections": [
                  (v5/*:: as any*/),
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "at",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "sentence",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "actorKind",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "actorName",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "address",
                    "storageKey": null
                  }
                ],
                "storageKey": null
              }
            ],
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "concreteType": "PageInfo",
            "kind": "LinkedField",
            "name": "pageInfo",
            "plural": false,
            "selections": [
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "endCursor",
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "kind": "ScalarField",
                "name": "hasNextPage",
                "storageKey": null
              }
            ],
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
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/),
      (v2/*:: as any*/),
      (v3/*:: as any*/),
      (v4/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "ActivityPageQuery",
    "selections": (v6/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v3/*:: as any*/),
      (v1/*:: as any*/),
      (v4/*:: as any*/),
      (v0/*:: as any*/),
      (v2/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "ActivityPageQuery",
    "selections": (v6/*:: as any*/)
  },
  "params": {
    "id": "4e5f96ecbfbbede94d73afbf7f47a778dbf0ef854a92d1d310b9ab0a8c272a65",
    "metadata": {},
    "name": "ActivityPageQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "99445797ee5d75a3d01a912e64e3681f";

export default node;
