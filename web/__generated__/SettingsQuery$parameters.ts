/**
 * @generated SignedSource<<dece397c3b66ceeb973f08863efe3531>>
 * @relayHash 1c56b8dc3b41aa2175bfb59c695ae69e
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID f82b89a4158880e063af8ccc62cb0c7718651725258bb528c1e5ebc474d80a43

import { PreloadableConcreteRequest } from 'relay-runtime';
import { SettingsQuery } from './SettingsQuery.graphql';

const node: PreloadableConcreteRequest<SettingsQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "f82b89a4158880e063af8ccc62cb0c7718651725258bb528c1e5ebc474d80a43",
    "metadata": {},
    "name": "SettingsQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
