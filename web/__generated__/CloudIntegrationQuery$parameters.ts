/**
 * @generated SignedSource<<7c7084e5b175d8e7b7f2f9d2f871fc0a>>
 * @relayHash e536f4529941cb2cb76818dc04d70a7c
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID f21179bec3545bb3d312d58bba4d1fe82edf16c6c10ffbf335f27bae9f35dcc1

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "f21179bec3545bb3d312d58bba4d1fe82edf16c6c10ffbf335f27bae9f35dcc1",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
