/**
 * @generated SignedSource<<5330bc4f8f028937878b074fd2160b87>>
 * @relayHash 0e05dfef797c4ecd3e682c7c9ceb4f24
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 5d462f261bf9aa097ff94301c6343655c7c17cf75f83150ae62761532dbbc59f

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "5d462f261bf9aa097ff94301c6343655c7c17cf75f83150ae62761532dbbc59f",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
