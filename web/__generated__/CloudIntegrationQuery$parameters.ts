/**
 * @generated SignedSource<<91dd850cb133fad8e83886a49982dc9a>>
 * @relayHash 9b9d9909ec1ace03f32a00ca67e225d8
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID ee555e5c6904de53cbca4b4d067df5ed03b64b61222460de99ebccbf1415c1a7

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "ee555e5c6904de53cbca4b4d067df5ed03b64b61222460de99ebccbf1415c1a7",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
