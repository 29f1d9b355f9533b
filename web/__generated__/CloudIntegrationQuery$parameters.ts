/**
 * @generated SignedSource<<390f99b7809d1f3bc1c8c15746fe5c49>>
 * @relayHash a2f89d8f7d583ad3c17d0e5d221c0a1e
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 58feb91f9a3bde91f832bb69fdf0298e6c53e73490bc37fddbe591127b27e150

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "58feb91f9a3bde91f832bb69fdf0298e6c53e73490bc37fddbe591127b27e150",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
