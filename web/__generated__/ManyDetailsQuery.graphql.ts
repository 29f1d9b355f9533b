/**
 * @generated SignedSource<<57ec6ec2457f1565a3795c9121178b36>>
 * @relayHash 22df644b4a3469a27ddc5b9982552250
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID f223ce8c5463de4015c94ac4216e70224f31278faaed57a4ed464f988118779e

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
export type ManyDetailsQuery$variables = {
  ids?: ReadonlyArray<string> | null | undefined;
  selection?: FileSelection | null | undefined;
};
export type ManyDetailsQuery$data = {
  readonly viewer: {
    readonly filesSummary: {
      readonly contentBytes: number;
      readonly count: number;
      readonly files: number;
      readonly folders: number;
      readonly storedIn: ReadonlyArray<{
        readonly id: string;
        readonly name: string;
      }>;
    };
  } | null | undefined;
};
export type ManyDetailsQuery = {
  response: ManyDetailsQuery$data;
  variables: ManyDetailsQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "ids"
  },
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "selection"
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
  "args": [
    {
      "kind": "Variable",
      "name": "ids",
      "variableName": "ids"
    },
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
      "name": "files",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "folders",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "contentBytes",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "concreteType": "Account",
      "kind": "LinkedField",
      "name": "storedIn",
      "plural": true,
      "selections": [
        (v1/*:: as any*/),
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "name",
          "storageKey": null
        }
      ],
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
    "name": "ManyDetailsQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v2/*:: as any*/)
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
    "name": "ManyDetailsQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          (v1/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "f223ce8c5463de4015c94ac4216e70224f31278faaed57a4ed464f988118779e",
    "metadata": {},
    "name": "ManyDetailsQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "b16be111032b1c53dcf30c9f83e0e50c";

export default node;
