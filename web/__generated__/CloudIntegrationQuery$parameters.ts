/**
 * @generated SignedSource<<d1463b68d4a15b43883453a2a6e57014>>
 * @relayHash 4cc0c8f34902c18f7ea7fb2bd9a2d58f
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 7c8136dae31446cfea2f5397c8ec383ec727fc42e2f09783924f037fffe4b449

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "7c8136dae31446cfea2f5397c8ec383ec727fc42e2f09783924f037fffe4b449",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
