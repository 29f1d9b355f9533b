/**
 * @generated SignedSource<<0984e1dc00727025fdd64320dd6302e8>>
 * @relayHash 72d0005f05564dd28cb53a9898700bd0
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 4c11d65e0ed7d333c8bcb3dc76a50e199671b7a0b73941a86520b1a84be80f6b

import { PreloadableConcreteRequest } from 'relay-runtime';
import { DuplicatesQuery } from './DuplicatesQuery.graphql';

const node: PreloadableConcreteRequest<DuplicatesQuery> = {
  "kind": "PreloadableConcreteRequest",
  "params": {
    "id": "4c11d65e0ed7d333c8bcb3dc76a50e199671b7a0b73941a86520b1a84be80f6b",
    "metadata": {},
    "name": "DuplicatesQuery",
    "operationKind": "query",
    "text": null
  }
};

export default node;
