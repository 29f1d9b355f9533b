/**
 * @generated SignedSource<<9bf7b98a95e25b224c3258b566ec9533>>
 * @relayHash 958f4979752a34654c2d3921a349af34
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 5008e19bb5d01c273f7804a8e1f1a2a6bec5b0a7d85acd6bb75dad42babc6ae1

import { PreloadableConcreteRequest } from 'relay-runtime';
import { DuplicatesQuery } from './DuplicatesQuery.graphql';

const node: PreloadableConcreteRequest<DuplicatesQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "5008e19bb5d01c273f7804a8e1f1a2a6bec5b0a7d85acd6bb75dad42babc6ae1",
    "metadata": {},
    "name": "DuplicatesQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
