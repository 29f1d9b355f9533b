/**
 * @generated SignedSource<<cbf002401b5181192426e5b1ce5bd112>>
 * @relayHash d5d70e0e4a7f775a1c2a5559fbe344f2
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 2bbd57ef345a76a753487c8c7df71c408e497ed1e0b6ee860990fc7f6aaaccc5

import { PreloadableConcreteRequest } from 'relay-runtime';
import { CloudIntegrationQuery } from './CloudIntegrationQuery.graphql';

const node: PreloadableConcreteRequest<CloudIntegrationQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "2bbd57ef345a76a753487c8c7df71c408e497ed1e0b6ee860990fc7f6aaaccc5",
    "metadata": {},
    "name": "CloudIntegrationQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
