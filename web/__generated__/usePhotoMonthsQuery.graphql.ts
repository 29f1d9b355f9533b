/**
 * @generated SignedSource<<c038a1203cd42820f529038ad0ed0808>>
 * @relayHash 3830baa7338657da2c858834caa06e65
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID d686ac264132d2a06cef055bc7eaed36144cc3955a0581c26e6364a3faaae400

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
export type usePhotoMonthsQuery$variables = {
  selection: FileSelection;
};
export type usePhotoMonthsQuery$data = {
  readonly viewer: {
    readonly filesSummary: {
      readonly photoMonths: ReadonlyArray<{
        readonly count: number;
        readonly month: string;
      }>;
    };
  } | null | undefined;
};
export type usePhotoMonthsQuery = {
  response: usePhotoMonthsQuery$data;
  variables: usePhotoMonthsQuery$variables;
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
      "concreteType": "PhotoMonth",
      "kind": "LinkedField",
      "name": "photoMonths",
      "plural": true,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "month",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "count",
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
    "name": "usePhotoMonthsQuery",
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
    "name": "usePhotoMonthsQuery",
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
    "id": "d686ac264132d2a06cef055bc7eaed36144cc3955a0581c26e6364a3faaae400",
    "metadata": {},
    "name": "usePhotoMonthsQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "fea657368a04a2fbeff95fd959790331";

export default node;
