import type { GraphqlRequest } from './graphqlTable.ts'
import type { Table } from './ids.ts'
import type { RestRequest } from './restTable.ts'

const put = (file: string, groupCloudId: string): RestRequest => ({
  path: `/api/v1/files/${file}/protection`,
  init: {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ groupCloudId, copies: 1 }),
  },
})
const call = (method: string, path: string): RestRequest => ({ path, init: { method } })

/** Rows of the tables for protecting copies, and for versions. */
export const PROTECTION_REST: Table<RestRequest> = {
  'PUT /api/v1/files/{id}/protection': {
    id: ({ file, own }) => put(file, own.groupCloud),
    groupCloudId: ({ groupCloud, own }) => put(own.protectedFolder, groupCloud),
  },
  'DELETE /api/v1/files/{id}/protection': {
    id: ({ file }) => call('DELETE', `/api/v1/files/${file}/protection`),
  },
  'GET /api/v1/files/{id}/earlier-versions': {
    id: ({ file }) => call('GET', `/api/v1/files/${file}/earlier-versions`),
  },
  'POST /api/v1/earlier-versions/{id}/restore': {
    id: ({ earlierVersion }) => call('POST', `/api/v1/earlier-versions/${earlierVersion}/restore`),
  },
  'GET /api/v1/files/{id}/versions': { id: ({ file }) => call('GET', `/api/v1/files/${file}/versions`) },
  'PUT /api/v1/files/{id}/content': {
    id: ({ file }) => ({ path: `/api/v1/files/${file}/content`, init: { method: 'PUT', body: 'x' } }),
  },
  'GET /api/v1/versions/{id}/download': { id: ({ version }) => call('GET', `/api/v1/versions/${version}/download`) },
  'POST /api/v1/versions/{id}/restore': { id: ({ version }) => call('POST', `/api/v1/versions/${version}/restore`) },
  'GET /api/v1/version-limits': {},
  'PATCH /api/v1/version-limits': {},
  'DELETE /api/v1/versions/{id}': { id: ({ version }) => call('DELETE', `/api/v1/versions/${version}`) },
}

function mutation(name: string, input: Record<string, unknown>): GraphqlRequest {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
  return {
    query: `mutation($input: ${type}!) { ${name}(input: $input) { __typename ... on Error { code message } } }`,
    variables: { input },
  }
}

export const PROTECTION_GRAPHQL: Table<GraphqlRequest> = {
  'Mutation.protectFolder': {
    'input.id': ({ file, own }) => mutation('protectFolder', { id: file, groupCloudId: own.groupCloud, copies: 1 }),
    'input.groupCloudId': ({ groupCloud, own }) =>
      mutation('protectFolder', { id: own.protectedFolder, groupCloudId: groupCloud, copies: 1 }),
  },
  'Mutation.unprotectFolder': { 'input.id': ({ file }) => mutation('unprotectFolder', { id: file }) },
  'Mutation.restoreEarlierVersion': {
    'input.id': ({ earlierVersion }) => mutation('restoreEarlierVersion', { id: earlierVersion }),
  },
  'Mutation.restoreVersion': { 'input.id': ({ version }) => mutation('restoreVersion', { id: version }) },
  'Mutation.deleteVersion': { 'input.id': ({ version }) => mutation('deleteVersion', { id: version }) },
}
