/**
 * @generated SignedSource<<c5a84e9595dfb2188ea94672d1e28ea4>>
 * @relayHash 6e5067e00ae91385982df01a619bad33
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 7e20b17149e29f6e591a1b9a45319c431e33f2ff5094a4c2f47b0d562f79c124

import { ConcreteRequest } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type FileHome = "ACCOUNT" | "POOL" | "%future added value";
export type FileState = "AT_RISK" | "RECEIVED" | "STORED" | "STORING" | "%future added value";
export type FileView = "ALL" | "DRIVE" | "SHARED" | "STARRED" | "TRASH" | "%future added value";
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
export type filesSummaryQuery$variables = {
  selection: FileSelection;
};
export type filesSummaryQuery$data = {
  readonly viewer: {
    readonly filesSummary: {
      readonly asOf: string;
      readonly bytes: number;
      readonly count: number;
    };
  } | null | undefined;
};
export type filesSummaryQuery = {
  response: filesSummaryQuery$data;
  variables: filesSummaryQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "selection"
  }
],
v1 = {
  "alias": null,
  "args": [
    {
      "kind": "Variable",
      "name": "selection",
      "variableName": "selection"
    }
  ],
  "concreteType": "FilesSummary",
  "kind": "LinkedField",
  "name": "filesSummary",
  "plural": false,
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "count",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "bytes",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "asOf",
      "storageKey": null
    }
  ],
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "filesSummaryQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v1/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "filesSummaryQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v1/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "id",
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "7e20b17149e29f6e591a1b9a45319c431e33f2ff5094a4c2f47b0d562f79c124",
    "metadata": {},
    "name": "filesSummaryQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "91096673bbf71caa0380e44e0f931347";

export default node;
