/**
 * @generated SignedSource<<78ec22d5cbdbe297260fd007c313e10a>>
 * @relayHash 65727b3c3edc5fe68366abbb1b17be0d
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 3b505cdc0783f11f754d6abe0080cab53ad8b84424c598efc754819d158c31f8

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
export type ReclaimableBarQuery$variables = {
  filter: DuplicateFilter;
  keep: DuplicateRule;
  keepIn?: string | null | undefined;
};
export type ReclaimableBarQuery$data = {
  readonly viewer: {
    readonly duplicateSummary: {
      readonly reclaimable: ReadonlyArray<{
        readonly account: {
          readonly hue: number;
          readonly id: string;
          readonly name: string;
          readonly provider: string;
          readonly providerName: string;
        } | null | undefined;
        readonly bytes: number;
      }>;
    };
    readonly id: string;
  } | null | undefined;
};
export type ReclaimableBarQuery = {
  response: ReclaimableBarQuery$data;
  variables: ReclaimableBarQuery$variables;
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
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v2 = [
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
                "concreteType": "Account",
                "kind": "LinkedField",
                "name": "account",
                "plural": false,
                "selections": [
                  (v1/*:: as any*/),
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "name",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "provider",
                    "storageKey": null
                  },
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
                    "name": "hue",
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
];
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "ReclaimableBarQuery",
    "selections": (v2/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "ReclaimableBarQuery",
    "selections": (v2/*:: as any*/)
  },
  "params": {
    "id": "3b505cdc0783f11f754d6abe0080cab53ad8b84424c598efc754819d158c31f8",
    "metadata": {},
    "name": "ReclaimableBarQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "c5373d97290cb8ea5e11b6f857cfb39c";

export default node;
