/**
 * @generated SignedSource<<76b9554c7d165011eb8c0625e32474b6>>
 * @relayHash fa466c7503f8bfc5e2001adceb33c707
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID f3b3aca9f4492983e03f870c972fd22c60648f21bf25df3cfcc44d7627299533

import { PreloadableConcreteRequest } from 'relay-runtime';
import { GroupCloudsQuery } from './GroupCloudsQuery.graphql';

const node: PreloadableConcreteRequest<GroupCloudsQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "f3b3aca9f4492983e03f870c972fd22c60648f21bf25df3cfcc44d7627299533",
    "metadata": {},
    "name": "GroupCloudsQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
