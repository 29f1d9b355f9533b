import type { GraphqlRequest } from './graphqlTable.ts'
import type { Table } from './ids.ts'
import type { RestRequest } from './restTable.ts'

const json = (method: string, path: string, body: object): RestRequest => ({
  path,
  init: { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
})

/** Rows of the tables for tags and colours. */
export const TAGS_REST: Table<RestRequest> = {
  'GET /api/v1/tags': {},
  'POST /api/v1/tags': {},
  'PATCH /api/v1/tags/{id}': { id: ({ tag }) => json('PATCH', `/api/v1/tags/${tag}`, { name: 'Planted' }) },
  'DELETE /api/v1/tags/{id}': { id: ({ tag }) => ({ path: `/api/v1/tags/${tag}`, init: { method: 'DELETE' } }) },
  'POST /api/v1/files/tags': {
    ids: ({ file, own }) => json('POST', '/api/v1/files/tags', { ids: [file], add: [own.tag] }),
    add: ({ tag, own }) => json('POST', '/api/v1/files/tags', { ids: [own.file], add: [tag] }),
    remove: ({ tag, own }) => json('POST', '/api/v1/files/tags', { ids: [own.file], remove: [tag] }),
  },
  'POST /api/v1/files/color': {
    ids: ({ file }) => json('POST', '/api/v1/files/color', { ids: [file], color: 'RED' }),
  },
}

const mutation = (name: string, input: Record<string, unknown>): GraphqlRequest => {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
  const query = `mutation($input: ${type}!) { ${name}(input: $input) { __typename ... on Error { code message } } }`
  return { query, variables: { input } }
}

export const TAGS_GRAPHQL: Table<GraphqlRequest> = {
  'Mutation.updateTag': { 'input.id': ({ tag }) => mutation('updateTag', { id: tag, name: 'Planted' }) },
  'Mutation.deleteTag': { 'input.id': ({ tag }) => mutation('deleteTag', { id: tag }) },
  'Mutation.tagFiles': {
    'input.ids': ({ file, own }) => mutation('tagFiles', { ids: [file], addTagIds: [own.tag] }),
    'input.addTagIds': ({ tag, own }) => mutation('tagFiles', { ids: [own.file], addTagIds: [tag] }),
    'input.removeTagIds': ({ tag, own }) => mutation('tagFiles', { ids: [own.file], removeTagIds: [tag] }),
  },
  'Mutation.colorFolders': { 'input.ids': ({ file }) => mutation('colorFolders', { ids: [file], color: 'RED' }) },
}
