/**
 * @generated SignedSource<<c59150a2a786a943403d723cbc68c4f1>>
 * @relayHash 4e15508bae4ff578e915002a7deb8754
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 5723dccdde9dae74fe99a75e1da663a25ea06d8ca55574e69ff98973b743bd11

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "5723dccdde9dae74fe99a75e1da663a25ea06d8ca55574e69ff98973b743bd11",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
