/**
 * @generated SignedSource<<28815cc48b36d1e6c34d996db64570ab>>
 * @relayHash 821c9c24362660df5d5d39c3ecfb97d1
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 541865e6722b468ec7e91abe254268b5ff6e2583b5bdd50be50e4c7a4d3f426e

import { PreloadableConcreteRequest } from 'relay-runtime';
import { SettingsQuery } from './SettingsQuery.graphql';

const node: PreloadableConcreteRequest<SettingsQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "541865e6722b468ec7e91abe254268b5ff6e2583b5bdd50be50e4c7a4d3f426e",
    "metadata": {},
    "name": "SettingsQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
