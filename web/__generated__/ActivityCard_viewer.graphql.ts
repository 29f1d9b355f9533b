/**
 * @generated SignedSource<<a26cadcbbb5698a5127f48a86f2cbecf>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
export type Action = "ACCOUNT_CHANGED" | "ACCOUNT_CONNECTED" | "ACCOUNT_CONTENT_CHOSEN" | "ACCOUNT_DISCONNECTED" | "ACCOUNT_EXPIRED" | "ACCOUNT_RECONNECTED" | "FILE_COPIED" | "FILE_DELETED" | "FILE_DOWNLOADED" | "FILE_EDITED" | "FILE_MOVED" | "FILE_MOVED_TO_GROUP_CLOUD" | "FILE_RECEIVED" | "FILE_RENAMED" | "FILE_RESTORED" | "FILE_STARRED" | "FILE_TAGGED" | "FILE_TRASHED" | "FILE_UNSTARRED" | "FILE_UNTAGGED" | "FILE_UPLOADED" | "FOLDER_COLORED" | "FOLDER_CREATED" | "FOLDER_PROTECTED" | "FOLDER_UNPROTECTED" | "GROUP_CLOUD_CHANGED" | "GROUP_CLOUD_CREATED" | "GROUP_CLOUD_DELETED" | "KEY_CREATED" | "KEY_REGENERATED" | "KEY_REVOKED" | "MEMBER_DRAINED" | "NAME_CHANGED" | "PASSWORD_CHANGED" | "PASSWORD_RESET" | "PASSWORD_RESET_ASKED" | "SESSION_ENDED" | "SHARE_CHANGED" | "SHARE_CREATED" | "SHARE_DOWNLOADED" | "SHARE_OPENED" | "SHARE_PASSWORD_REFUSED" | "SHARE_REPORTED" | "SHARE_REVOKED" | "SHARE_UNAVAILABLE" | "SIGNED_IN" | "SIGNED_OUT" | "SIGNED_UP" | "SIGN_IN_REFUSED" | "TRANSFER_CANCELLED" | "TRASH_EMPTIED" | "UPLOAD_LINK_CHANGED" | "UPLOAD_LINK_CREATED" | "UPLOAD_LINK_PASSWORD_REFUSED" | "UPLOAD_LINK_REVOKED" | "VERSION_DELETED" | "VERSION_RESTORED" | "%future added value";
import { FragmentRefs } from "relay-runtime";
export type ActivityCard_viewer$data = {
  readonly activities: {
    readonly edges: ReadonlyArray<{
      readonly node: {
        readonly action: Action;
        readonly at: string;
        readonly id: string;
        readonly sentence: string;
      };
    }>;
  };
  readonly " $fragmentType": "ActivityCard_viewer";
};
export type ActivityCard_viewer$key = {
  readonly " $data"?: ActivityCard_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"ActivityCard_viewer">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "ActivityCard_viewer",
  "selections": [
    {
      "alias": null,
      "args": [
        {
          "kind": "Literal",
          "name": "first",
          "value": 8
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
                  "name": "at",
                  "storageKey": null
                },
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "action",
                  "storageKey": null
                },
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "sentence",
                  "storageKey": null
                }
              ],
              "storageKey": null
            }
          ],
          "storageKey": null
        }
      ],
      "storageKey": "activities(first:8)"
    }
  ],
  "type": "User",
  "abstractKey": null
};

(node as any).hash = "4eae8913f2295f1ba41e43d36a04fb90";

export default node;
