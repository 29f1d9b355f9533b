/**
 * @generated SignedSource<<6deec9266e7870cb2ab70ef6a4712eff>>
 * @relayHash 2388ed87522f486e02301932543159e6
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID c4c370c3a34f251a1c126f65426852c926d7e36d8ddae712cfd3b5ab5501478a

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "c4c370c3a34f251a1c126f65426852c926d7e36d8ddae712cfd3b5ab5501478a",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
