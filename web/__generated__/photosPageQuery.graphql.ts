/**
 * @generated SignedSource<<c4ace696b0649793622d45bab79c2cbb>>
 * @relayHash dc8459804f352a169d823fbd7f487b34
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 347306843b07140e254bc6a1e6b6524c0a9ac4ce528bddb66d8ede73b2c3bdf1

import { ConcreteRequest } from 'relay-runtime';
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type FileHome = "ACCOUNT" | "POOL" | "%future added value";
export type FileKind = "FILE" | "FOLDER" | "%future added value";
export type FileSortField = "MODIFIED" | "NAME" | "SIZE" | "TAKEN" | "%future added value";
export type FileState = "AT_RISK" | "RECEIVED" | "STORED" | "STORING" | "%future added value";
export type FileView = "ALL" | "DRIVE" | "SHARED" | "STARRED" | "TRASH" | "%future added value";
export type NativeKind = "DOCUMENT" | "DRAWING" | "OTHER" | "PRESENTATION" | "SHORTCUT" | "SPREADSHEET" | "%future added value";
export type SortDirection = "ASC" | "DESC" | "%future added value";
export type FileSort = {
  direction: SortDirection;
  field: FileSortField;
};
export type photosPageQuery$variables = {
  accountId?: string | null | undefined;
  after?: string | null | undefined;
  categories?: ReadonlyArray<FileCategory> | null | undefined;
  first: number;
  groupCloudId?: string | null | undefined;
  home?: FileHome | null | undefined;
  maxSize?: number | null | undefined;
  minSize?: number | null | undefined;
  modifiedAfter?: string | null | undefined;
  modifiedBefore?: string | null | undefined;
  parentId?: string | null | undefined;
  provider?: string | null | undefined;
  query?: string | null | undefined;
  sort?: FileSort | null | undefined;
  states?: ReadonlyArray<FileState> | null | undefined;
  tagId?: string | null | undefined;
  until?: string | null | undefined;
  view: FileView;
  withPath: boolean;
};
export type photosPageQuery$data = {
  readonly viewer: {
    readonly files: {
      readonly edges: ReadonlyArray<{
        readonly node: {
          readonly account: {
            readonly id: string;
            readonly providerName: string;
            readonly rootFileId: string | null | undefined;
          } | null | undefined;
          readonly category: FileCategory;
          readonly childCount: number | null | undefined;
          readonly downloadUrl: string;
          readonly durationMs: number | null | undefined;
          readonly exportTypes: ReadonlyArray<string>;
          readonly id: string;
          readonly kind: FileKind;
          readonly largeUrl: string | null | undefined;
          readonly mediumUrl: string | null | undefined;
          readonly mimeType: string | null | undefined;
          readonly name: string;
          readonly nativeKind: NativeKind | null | undefined;
          readonly path?: ReadonlyArray<{
            readonly id: string;
            readonly name: string;
          }>;
          readonly picture: {
            readonly height: number;
            readonly takenAt: string | null | undefined;
            readonly width: number;
          } | null | undefined;
          readonly rights: {
            readonly delete: boolean;
            readonly move: boolean;
            readonly read: boolean;
            readonly rename: boolean;
            readonly write: boolean;
          } | null | undefined;
          readonly size: number | null | undefined;
          readonly starred: boolean;
          readonly updatedAt: string;
          readonly webUrl: string | null | undefined;
        };
      }>;
      readonly pageInfo: {
        readonly endCursor: string | null | undefined;
        readonly hasNextPage: boolean;
      };
    };
  } | null | undefined;
};
export type photosPageQuery = {
  response: photosPageQuery$data;
  variables: photosPageQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "accountId"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "after"
},
v2 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "categories"
},
v3 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "first"
},
v4 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "groupCloudId"
},
v5 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "home"
},
v6 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "maxSize"
},
v7 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "minSize"
},
v8 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "modifiedAfter"
},
v9 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "modifiedBefore"
},
v10 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "parentId"
},
v11 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "provider"
},
v12 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "query"
},
v13 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "sort"
},
v14 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "states"
},
v15 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "tagId"
},
v16 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "until"
},
v17 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "view"
},
v18 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "withPath"
},
v19 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v20 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "name",
  "storageKey": null
},
v21 = {
  "alias": null,
  "args": [
    {
      "kind": "Variable",
      "name": "accountId",
      "variableName": "accountId"
    },
    {
      "kind": "Variable",
      "name": "after",
      "variableName": "after"
    },
    {
      "kind": "Variable",
      "name": "categories",
      "variableName": "categories"
    },
    {
      "kind": "Variable",
      "name": "first",
      "variableName": "first"
    },
    {
      "kind": "Variable",
      "name": "groupCloudId",
      "variableName": "groupCloudId"
    },
    {
      "kind": "Variable",
      "name": "home",
      "variableName": "home"
    },
    {
      "kind": "Variable",
      "name": "maxSize",
      "variableName": "maxSize"
    },
    {
      "kind": "Variable",
      "name": "minSize",
      "variableName": "minSize"
    },
    {
      "kind": "Variable",
      "name": "modifiedAfter",
      "variableName": "modifiedAfter"
    },
    {
      "kind": "Variable",
      "name": "modifiedBefore",
      "variableName": "modifiedBefore"
    },
    {
      "kind": "Variable",
      "name": "parentId",
      "variableName": "parentId"
    },
    {
      "kind": "Variable",
      "name": "provider",
      "variableName": "provider"
    },
    {
      "kind": "Variable",
      "name": "query",
      "variableName": "query"
    },
    {
      "kind": "Variable",
      "name": "sort",
      "variableName": "sort"
    },
    {
      "kind": "Variable",
      "name": "states",
      "variableName": "states"
    },
    {
      "kind": "Variable",
      "name": "tagId",
      "variableName": "tagId"
    },
    {
      "kind": "Variable",
      "name": "until",
      "variableName": "until"
    },
    {
      "kind": "Variable",
      "name": "view",
      "variableName": "view"
    }
  ],
  "concreteType": "UserFilesConnection",
  "kind": "LinkedField",
  "name": "files",
  "plural": false,
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "UserFilesConnectionEdge",
      "kind": "LinkedField",
      "name": "edges",
      "plural": true,
      "selections": [
        {
          "alias": null,
          "args": null,
          "concreteType": "File",
          "kind": "LinkedField",
          "name": "node",
          "plural": false,
          "selections": [
            (v19/*:: as any*/),
            (v20/*:: as any*/),
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "kind",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "category",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "mimeType",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "size",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "starred",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "updatedAt",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "childCount",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "downloadUrl",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "concreteType": "FileRights",
              "kind": "LinkedField",
              "name": "rights",
              "plural": false,
              "selections": [
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "read",
                  "storageKey": null
                },
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "rename",
                  "storageKey": null
                },
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "move",
                  "storageKey": null
                },
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "delete",
                  "storageKey": null
                },
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "write",
                  "storageKey": null
                }
              ],
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "webUrl",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "nativeKind",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "exportTypes",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "concreteType": "Account",
              "kind": "LinkedField",
              "name": "account",
              "plural": false,
              "selections": [
                (v19/*:: as any*/),
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "providerName",
                  "storageKey": null
                },
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "rootFileId",
                  "storageKey": null
                }
              ],
              "storageKey": null
            },
            {
              "condition": "withPath",
              "kind": "Condition",
              "passingValue": true,
              "selections": [
                {
                  "alias": null,
                  "args": null,
                  "concreteType": "File",
                  "kind": "LinkedField",
                  "name": "path",
                  "plural": true,
                  "selections": [
                    (v19/*:: as any*/),
                    (v20/*:: as any*/)
                  ],
                  "storageKey": null
                }
              ]
            },
            {
              "alias": null,
              "args": null,
              "concreteType": "Picture",
              "kind": "LinkedField",
              "name": "picture",
              "plural": false,
              "selections": [
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "width",
                  "storageKey": null
                },
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "height",
                  "storageKey": null
                },
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "takenAt",
                  "storageKey": null
                }
              ],
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "durationMs",
              "storageKey": null
            },
            {
              "alias": "mediumUrl",
              "args": [
                {
                  "kind": "Literal",
                  "name": "size",
                  "value": "MEDIUM"
                }
              ],
              "kind": "ScalarField",
              "name": "thumbnailUrl",
              "storageKey": "thumbnailUrl(size:\"MEDIUM\")"
            },
            {
              "alias": "largeUrl",
              "args": [
                {
                  "kind": "Literal",
                  "name": "size",
                  "value": "LARGE"
                }
              ],
              "kind": "ScalarField",
              "name": "thumbnailUrl",
              "storageKey": "thumbnailUrl(size:\"LARGE\")"
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
};
return {
  "fragment": {
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/),
      (v2/*:: as any*/),
      (v3/*:: as any*/),
      (v4/*:: as any*/),
      (v5/*:: as any*/),
      (v6/*:: as any*/),
      (v7/*:: as any*/),
      (v8/*:: as any*/),
      (v9/*:: as any*/),
      (v10/*:: as any*/),
      (v11/*:: as any*/),
      (v12/*:: as any*/),
      (v13/*:: as any*/),
      (v14/*:: as any*/),
      (v15/*:: as any*/),
      (v16/*:: as any*/),
      (v17/*:: as any*/),
      (v18/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "photosPageQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v21/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v17/*:: as any*/),
      (v10/*:: as any*/),
      (v12/*:: as any*/),
      (v2/*:: as any*/),
      (v4/*:: as any*/),
      (v11/*:: as any*/),
      (v0/*:: as any*/),
      (v5/*:: as any*/),
      (v15/*:: as any*/),
      (v7/*:: as any*/),
      (v6/*:: as any*/),
      (v8/*:: as any*/),
      (v9/*:: as any*/),
      (v14/*:: as any*/),
      (v13/*:: as any*/),
      (v18/*:: as any*/),
      (v3/*:: as any*/),
      (v1/*:: as any*/),
      (v16/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "photosPageQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v21/*:: as any*/),
          (v19/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "347306843b07140e254bc6a1e6b6524c0a9ac4ce528bddb66d8ede73b2c3bdf1",
    "metadata": {},
    "name": "photosPageQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "d646ba36ecd36a08ca0db822de18d4d1";

export default node;
