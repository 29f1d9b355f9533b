/**
 * @generated SignedSource<<13c64c5778702848aa85154efeefffa2>>
 * @relayHash c372367358961f5127bf6a89c30552ba
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID f3d6fda7a55afdac0b298b269554fc4c7edd3cdf9a4ffd6dd8d769e958dda30e

import { ConcreteRequest } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type FileHome = "ACCOUNT" | "POOL" | "%future added value";
export type FileState = "AT_RISK" | "RECEIVED" | "STORED" | "STORING" | "%future added value";
export type FileView = "ALL" | "DRIVE" | "SHARED" | "STARRED" | "TRASH" | "%future added value";
export type FilesAction = "DELETE" | "MOVE" | "MOVE_TO_GROUP_CLOUD" | "RESTORE" | "STAR" | "TAG" | "TRASH" | "UNSTAR" | "UNTAG" | "%future added value";
export type OnConflict = "FAIL" | "RENAME" | "REPLACE" | "%future added value";
export type ChangeFilesInput = {
  action: FilesAction;
  after?: string | null | undefined;
  clientMutationId?: string | null | undefined;
  groupCloudId?: string | null | undefined;
  onConflict?: OnConflict | null | undefined;
  parentId?: string | null | undefined;
  selection: FileSelection;
  tagId?: string | null | undefined;
};
export type FileSelection = {
  accountId?: string | null | undefined;
  asOf?: string | null | undefined;
  categories?: ReadonlyArray<FileCategory> | null | undefined;
  exceptIds?: ReadonlyArray<string> | null | undefined;
  groupCloudId?: string | null | undefined;
  home?: FileHome | null | undefined;
  maxSize?: number | null | undefined;
  minSize?: number | null | undefined;
  modifiedAfter?: string | null | undefined;
  modifiedBefore?: string | null | undefined;
  parentId?: string | null | undefined;
  provider?: string | null | undefined;
  query?: string | null | undefined;
  states?: ReadonlyArray<FileState> | null | undefined;
  tagId?: string | null | undefined;
  trashedFrom?: string | null | undefined;
  trashedUntil?: string | null | undefined;
  view: FileView;
};
export type changeFilesMutation$variables = {
  input: ChangeFilesInput;
};
export type changeFilesMutation$data = {
  readonly changeFiles: {
    readonly __typename: string;
    readonly changedCount?: number;
    readonly code?: string;
    readonly failedCount?: number;
    readonly failures?: ReadonlyArray<{
      readonly id: string;
      readonly message: string;
      readonly name: string | null | undefined;
    }>;
    readonly from?: string;
    readonly message?: string;
    readonly next?: string | null | undefined;
    readonly until?: string;
  };
};
export type changeFilesMutation = {
  response: changeFilesMutation$data;
  variables: changeFilesMutation$variables;
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
    "name": "changeFiles",
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
            "name": "changedCount",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "failedCount",
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
                "name": "name",
                "storageKey": null
              },
              (v1/*:: as any*/)
            ],
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "next",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "from",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "until",
            "storageKey": null
          }
        ],
        "type": "ChangeFilesPayload",
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
    "name": "changeFilesMutation",
    "selections": (v2/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "changeFilesMutation",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "id": "f3d6fda7a55afdac0b298b269554fc4c7edd3cdf9a4ffd6dd8d769e958dda30e",
    "metadata": {},
    "name": "changeFilesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "97c279dad69add7ab357ff95553a082b";

export default node;
