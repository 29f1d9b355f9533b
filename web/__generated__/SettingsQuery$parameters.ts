/**
 * @generated SignedSource<<f73bab2d5ed560a463331d71fec16353>>
 * @relayHash e069fd3d62f47dccfa00fbd66222c9cc
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 7ea36bcdbb2b12ae5ea73850b4dd652ce0feda6e93b52506b94747640436a712

import { PreloadableConcreteRequest } from 'relay-runtime';
import { SettingsQuery } from './SettingsQuery.graphql';

const node: PreloadableConcreteRequest<SettingsQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "7ea36bcdbb2b12ae5ea73850b4dd652ce0feda6e93b52506b94747640436a712",
    "metadata": {},
    "name": "SettingsQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
