/**
 * @generated SignedSource<<daa70e2e17f414bb77d1ba41fcc6015c>>
 * @relayHash 138d93b8e40842d0ae978095ac769c1f
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID f102d55bb9078b9e0297b40c0db85bf6a426763839554a034cb4a371d537f0ce

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "f102d55bb9078b9e0297b40c0db85bf6a426763839554a034cb4a371d537f0ce",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
