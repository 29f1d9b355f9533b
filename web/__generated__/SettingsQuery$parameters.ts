/**
 * @generated SignedSource<<18133c9c9ae670fe6b35c622c5d46c88>>
 * @relayHash 79d0c9b4aba656855bbb4ec4df79354a
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID d472664786ec63d1079bbf76da30a52d06f1e130b6c662251fa86cc41ea6a609

import { PreloadableConcreteRequest } from 'relay-runtime';
import { SettingsQuery } from './SettingsQuery.graphql';

const node: PreloadableConcreteRequest<SettingsQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "d472664786ec63d1079bbf76da30a52d06f1e130b6c662251fa86cc41ea6a609",
    "metadata": {},
    "name": "SettingsQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
