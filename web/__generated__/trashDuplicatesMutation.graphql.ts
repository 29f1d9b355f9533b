/**
 * @generated SignedSource<<17bfd49ad2de1f60d5f49becfb443dfb>>
 * @relayHash 18c6c6f657f2437871b702073adbf01c
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID b78de396daeae73e6dfec06a76da22d793bd73a99fa219ebcd72797f7bc6ff0b

import { ConcreteRequest } from 'relay-runtime';
export type DuplicateCertainty = "CERTAIN" | "LIKELY" | "%future added value";
export type DuplicateHome = "POOL" | "%future added value";
export type DuplicateRule = "ACCOUNT" | "FOLDER" | "NEWEST" | "OLDEST" | "POOL" | "%future added value";
export type FileCategory = "AUDIO" | "DOCUMENT" | "FOLDER" | "IMAGE" | "OTHER" | "PDF" | "PRESENTATION" | "SPREADSHEET" | "TEXT" | "VIDEO" | "%future added value";
export type TrashDuplicatesInput = {
  clientMutationId?: string | null | undefined;
  filter?: DuplicateFilter | null | undefined;
  keep: DuplicateRule;
  keepIn?: string | null | undefined;
};
export type DuplicateFilter = {
  accountId?: string | null | undefined;
  categories?: ReadonlyArray<FileCategory> | null | undefined;
  certainty?: DuplicateCertainty | null | undefined;
  home?: DuplicateHome | null | undefined;
  minSize?: number | null | undefined;
  parentId?: string | null | undefined;
};
export type trashDuplicatesMutation$variables = {
  input: TrashDuplicatesInput;
};
export type trashDuplicatesMutation$data = {
  readonly trashDuplicates: {
    readonly __typename: string;
    readonly code?: string;
    readonly job?: {
      readonly id: string;
      readonly total: number;
    };
    readonly message?: string;
  };
};
export type trashDuplicatesMutation = {
  response: trashDuplicatesMutation$data;
  variables: trashDuplicatesMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
  }
],
v1 = [
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
    "name": "trashDuplicates",
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
            "concreteType": "Job",
            "kind": "LinkedField",
            "name": "job",
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
                "name": "total",
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "type": "TrashDuplicatesPayload",
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
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "message",
            "storageKey": null
          }
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
    "name": "trashDuplicatesMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "trashDuplicatesMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "b78de396daeae73e6dfec06a76da22d793bd73a99fa219ebcd72797f7bc6ff0b",
    "metadata": {},
    "name": "trashDuplicatesMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "a84f92c1a455ae044986d25c369d64d6";

export default node;
