/**
 * @generated SignedSource<<9a86e63e046f91d318baed7190a18493>>
 * @relayHash b58dd348c22e52a0438ca3cf038922b4
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 850f247ac09695a0fdee7a2be89f336599ffb7572e9aa06cce4ee570e0b66243

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "850f247ac09695a0fdee7a2be89f336599ffb7572e9aa06cce4ee570e0b66243",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
