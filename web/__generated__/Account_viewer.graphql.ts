/**
 * @generated SignedSource<<37b05481e7be6d716bc97c67ff85aeaa>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import { ReaderFragment } from 'relay-runtime';
import { FragmentRefs } from "relay-runtime";
export type Account_viewer$data = {
  readonly avatarUrl: string | null | undefined;
  readonly email: string;
  readonly fullName: string;
  readonly " $fragmentType": "Account_viewer";
};
export type Account_viewer$key = {
  readonly " $data"?: Account_viewer$data;
  readonly " $fragmentSpreads": FragmentRefs<"Account_viewer">;
};

const node: ReaderFragment = {
  "argumentDefinitions": [],
  "kind": "Fragment",
  "metadata": null,
  "name": "Account_viewer",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "fullName",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "email",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "avatarUrl",
      "storageKey": null
    }
  ],
  "type": "User",
  "abstractKey": null
};

(node as any).hash = "30f3879c07601ec2f6513d704e382589";

export default node;
