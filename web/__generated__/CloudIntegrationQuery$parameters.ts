/**
 * @generated SignedSource<<6b83833db06c4eaba3d5ddea73bb3f9d>>
 * @relayHash b76f4da6f1fe3bf413f2386e79ee5eb6
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 420585ef5f6eb3de96b264d062138e1c5c7fe75798fbff3201c5ebd66b3a7aed

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "420585ef5f6eb3de96b264d062138e1c5c7fe75798fbff3201c5ebd66b3a7aed",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
