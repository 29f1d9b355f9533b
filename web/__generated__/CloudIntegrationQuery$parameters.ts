/**
 * @generated SignedSource<<2dd92c1a49e8a17818c7beba505c6363>>
 * @relayHash c1d16cf64b19133a1c40569d2eb217b0
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID f7b9c6aa73ec7f20c40dbb3217bd297daad8462c0acdf23f5daf8ebf1f9c430a

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "f7b9c6aa73ec7f20c40dbb3217bd297daad8462c0acdf23f5daf8ebf1f9c430a",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
