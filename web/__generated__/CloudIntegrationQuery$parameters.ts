/**
 * @generated SignedSource<<9a12dbd535c87f35d772cf319d460a96>>
 * @relayHash 5c7f0b344e5ce9001655ceb8714dac6a
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID d879e06eb26b0c710e3264fccfe140ac53836e9a605f367f841f340ba3974f3e

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "d879e06eb26b0c710e3264fccfe140ac53836e9a605f367f841f340ba3974f3e",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
