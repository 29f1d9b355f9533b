/**
 * @generated SignedSource<<f1ecf94fb09228dc7efce1eabf233015>>
 * @relayHash 3611f38c257b0de35125bc4f990010a7
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 7f37a61cba6aba844fd28366f9b4a8174bfec9422f54ba75b58114ef130665f4

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "7f37a61cba6aba844fd28366f9b4a8174bfec9422f54ba75b58114ef130665f4",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
