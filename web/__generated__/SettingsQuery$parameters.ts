/**
 * @generated SignedSource<<599700e01d66f91d603cac767af36797>>
 * @relayHash 71687e15b02627d708fc8577230dfca5
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 6dddf7a424840a39e292aa81f7cc124f46eec7f73a01e5f0667f209d7304de81

import { PreloadableConcreteRequest } from 'relay-runtime';
import { SettingsQuery } from './SettingsQuery.graphql';

const node: PreloadableConcreteRequest<SettingsQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "6dddf7a424840a39e292aa81f7cc124f46eec7f73a01e5f0667f209d7304de81",
    "metadata": {},
    "name": "SettingsQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
