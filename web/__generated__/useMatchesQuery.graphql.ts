/**
 * @generated SignedSource<<d63d0cccba57685950521e70fb154438>>
 * @relayHash d9633c1020bc0ce67aac5bebe7f11f62
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID a7c820c3e4ec882430c62361743ce03e997a17e2bd0c10c117ebca06d7aa5d67

import { ConcreteRequest } from 'relay-runtime';
export type ContentView = "ALL" | "DRIVE" | "SHARED" | "STARRED" | "%future added value";
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type FileHome = "ACCOUNT" | "POOL" | "%future added value";
export type FileKind = "FILE" | "FOLDER" | "%future added value";
export type FileState = "AT_RISK" | "RECEIVED" | "STORED" | "STORING" | "%future added value";
export type useMatchesQuery$variables = {
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
  provider?: string | null | undefined;
  query: string;
  states?: ReadonlyArray<FileState> | null | undefined;
  tagId?: string | null | undefined;
  view: ContentView;
};
export type useMatchesQuery$data = {
  readonly viewer: {
    readonly contentMatches: {
      readonly edges: ReadonlyArray<{
        readonly node: {
          readonly excerpt: ReadonlyArray<{
            readonly isMatch: boolean;
            readonly text: string;
          }>;
          readonly file: {
            readonly category: FileCategory;
            readonly id: string;
            readonly kind: FileKind;
            readonly name: string;
            readonly path: ReadonlyArray<{
              readonly name: string;
            }>;
            readonly size: number | null | undefined;
            readonly thumbnailUrl: string | null | undefined;
            readonly updatedAt: string;
          };
        };
      }>;
      readonly isReading: boolean;
      readonly pageInfo: {
        readonly endCursor: string | null | undefined;
        readonly hasNextPage: boolean;
      };
    };
  } | null | undefined;
};
export type useMatchesQuery = {
  response: useMatchesQuery$data;
  variables: useMatchesQuery$variables;
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
  "name": "provider"
},
v11 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "query"
},
v12 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "states"
},
v13 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "tagId"
},
v14 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "view"
},
v15 = [
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
    "name": "view",
    "variableName": "view"
  }
],
v16 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "isReading",
  "storageKey": null
},
v17 = {
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
},
v18 = {
  "alias": null,
  "args": null,
  "concreteType": "ExcerptPart",
  "kind": "LinkedField",
  "name": "excerpt",
  "plural": true,
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "text",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "isMatch",
      "storageKey": null
    }
  ],
  "storageKey": null
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
  "args": null,
  "kind": "ScalarField",
  "name": "kind",
  "storageKey": null
},
v22 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "category",
  "storageKey": null
},
v23 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "size",
  "storageKey": null
},
v24 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "updatedAt",
  "storageKey": null
},
v25 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "thumbnailUrl",
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
      (v14/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "useMatchesQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": (v15/*:: as any*/),
            "concreteType": "UserContentMatchesConnection",
            "kind": "LinkedField",
            "name": "contentMatches",
            "plural": false,
            "selections": [
              (v16/*:: as any*/),
              (v17/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "concreteType": "UserContentMatchesConnectionEdge",
                "kind": "LinkedField",
                "name": "edges",
                "plural": true,
                "selections": [
                  {
                    "alias": null,
                    "args": null,
                    "concreteType": "ContentMatch",
                    "kind": "LinkedField",
                    "name": "node",
                    "plural": false,
                    "selections": [
                      (v18/*:: as any*/),
                      {
                        "alias": null,
                        "args": null,
                        "concreteType": "File",
                        "kind": "LinkedField",
                        "name": "file",
                        "plural": false,
                        "selections": [
                          (v19/*:: as any*/),
                          (v20/*:: as any*/),
                          (v21/*:: as any*/),
                          (v22/*:: as any*/),
                          (v23/*:: as any*/),
                          (v24/*:: as any*/),
                          (v25/*:: as any*/),
                          {
                            "alias": null,
                            "args": null,
                            "concreteType": "File",
                            "kind": "LinkedField",
                            "name": "path",
                            "plural": true,
                            "selections": [
                              (v20/*:: as any*/)
                            ],
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
            ],
            "storageKey": null
          }
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
      (v11/*:: as any*/),
      (v14/*:: as any*/),
      (v2/*:: as any*/),
      (v4/*:: as any*/),
      (v10/*:: as any*/),
      (v0/*:: as any*/),
      (v13/*:: as any*/),
      (v5/*:: as any*/),
      (v7/*:: as any*/),
      (v6/*:: as any*/),
      (v8/*:: as any*/),
      (v9/*:: as any*/),
      (v12/*:: as any*/),
      (v3/*:: as any*/),
      (v1/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "useMatchesQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "User",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": (v15/*:: as any*/),
            "concreteType": "UserContentMatchesConnection",
            "kind": "LinkedField",
            "name": "contentMatches",
            "plural": false,
            "selections": [
              (v16/*:: as any*/),
              (v17/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "concreteType": "UserContentMatchesConnectionEdge",
                "kind": "LinkedField",
                "name": "edges",
                "plural": true,
                "selections": [
                  {
                    "alias": null,
                    "args": null,
                    "concreteType": "ContentMatch",
                    "kind": "LinkedField",
                    "name": "node",
                    "plural": false,
                    "selections": [
                      (v18/*:: as any*/),
                      {
                        "alias": null,
                        "args": null,
                        "concreteType": "File",
                        "kind": "LinkedField",
                        "name": "file",
                        "plural": false,
                        "selections": [
                          (v19/*:: as any*/),
                          (v20/*:: as any*/),
                          (v21/*:: as any*/),
                          (v22/*:: as any*/),
                          (v23/*:: as any*/),
                          (v24/*:: as any*/),
                          (v25/*:: as any*/),
                          {
                            "alias": null,
                            "args": null,
                            "concreteType": "File",
                            "kind": "LinkedField",
                            "name": "path",
                            "plural": true,
                            "selections": [
                              (v20/*:: as any*/),
                              (v19/*:: as any*/)
                            ],
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
            ],
            "storageKey": null
          },
          (v19/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "a7c820c3e4ec882430c62361743ce03e997a17e2bd0c10c117ebca06d7aa5d67",
    "metadata": {},
    "name": "useMatchesQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "a21083428ae5300dc1ad0931cef593de";

export default node;
