/**
 * @generated SignedSource<<d860293cd6d047d782e3222bddb87f19>>
 * @relayHash 67e8492273f356c351fac6df6c5591d7
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 6fa4341b9c8f9086732a9c67fbbf977d5817d07adcefbbbc3503a753ccdb8bb9

import { PreloadableConcreteRequest } from 'relay-runtime';
import { GroupCloudsQuery } from './GroupCloudsQuery.graphql';

const node: PreloadableConcreteRequest<GroupCloudsQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "6fa4341b9c8f9086732a9c67fbbf977d5817d07adcefbbbc3503a753ccdb8bb9",
    "metadata": {},
    "name": "GroupCloudsQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
