/**
 * @generated SignedSource<<5518ad1ed266d486d5d548df45ff1e13>>
 * @relayHash 8f70d1add4052797dd6761b8c4dbc234
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID e6daff8f40da7c275e271e576fbe863bfd1bb3f053ac383221735cddd46fd8cc

import { ConcreteRequest } from 'relay-runtime';
export type DuplicateCertainty = "CERTAIN" | "LIKELY" | "%future added value";
export type DuplicateHome = "POOL" | "%future added value";
export type DuplicateRule = "ACCOUNT" | "FOLDER" | "NEWEST" | "OLDEST" | "POOL" | "%future added value";
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type DuplicateFilter = {
  accountId?: string | null | undefined;
  categories?: ReadonlyArray<FileCategory> | null | undefined;
  certainty?: DuplicateCertainty | null | undefined;
  home?: DuplicateHome | null | undefined;
  minSize?: number | null | undefined;
  parentId?: string | null | undefined;
};
export type AllGroupsQuery$variables = {
  filter: DuplicateFilter;
  keep: DuplicateRule;
  keepIn?: string | null | undefined;
};
export type AllGroupsQuery$data = {
  readonly viewer: {
    readonly duplicateSummary: {
      readonly reclaimable: ReadonlyArray<{
        readonly bytes: number;
        readonly files: number;
      }>;
    };
    readonly id: string;
  } | null | undefined;
};
export type AllGroupsQuery = {
  response: AllGroupsQuery$data;
  variables: AllGroupsQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "filter"
  },
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "keep"
  },
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "keepIn"
  }
],
v1 = [
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
        "args": null,
        "kind": "ScalarField",
        "name": "id",
        "storageKey": null
      },
      {
        "alias": null,
        "args": [
          {
            "kind": "Variable",
            "name": "filter",
            "variableName": "filter"
          }
        ],
        "concreteType": "DuplicateSummary",
        "kind": "LinkedField",
        "name": "duplicateSummary",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": [
              {
                "kind": "Variable",
                "name": "keep",
                "variableName": "keep"
              },
              {
                "kind": "Variable",
                "name": "keepIn",
                "variableName": "keepIn"
              }
            ],
            "concreteType": "DuplicateReclaimable",
            "kind": "LinkedField",
            "name": "reclaimable",
            "plural": true,
            "selections": [
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
                "name": "files",
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
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "AllGroupsQuery",
    "selections": (v1/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "AllGroupsQuery",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "e6daff8f40da7c275e271e576fbe863bfd1bb3f053ac383221735cddd46fd8cc",
    "metadata": {},
    "name": "AllGroupsQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "3e90692e6e2af74fe5fbb57e15bd62d0";

export default node;
