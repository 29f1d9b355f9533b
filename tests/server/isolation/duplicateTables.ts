import type { GraphqlRequest } from './graphqlTable.ts'
import type { Table } from './ids.ts'
import type { RestRequest } from './restTable.ts'

const LIST = '/api/v1/duplicates'
const read = (path: string): RestRequest => ({ path, init: { method: 'GET' } })

const trash = (body: object): RestRequest => ({
  path: `${LIST}/trash`,
  init: { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
})

/** Rows of the tables for duplicates. */
export const DUPLICATES_REST: Table<RestRequest> = {
  [`GET ${LIST}`]: {
    accountId: ({ account }) => read(`${LIST}?accountId=${account}`),
    parentId: ({ file }) => read(`${LIST}?parentId=${file}`),
  },
  [`GET ${LIST}/summary`]: {
    accountId: ({ account }) => read(`${LIST}/summary?accountId=${account}`),
    parentId: ({ file }) => read(`${LIST}/summary?parentId=${file}`),
    keepIn: ({ file }) => read(`${LIST}/summary?keep=folder&keepIn=${file}`),
  },
  [`GET ${LIST}/comparisons`]: {},
  [`POST ${LIST}/trash`]: {
    accountId: ({ account }) => trash({ accountId: account, keep: 'oldest' }),
    parentId: ({ file }) => trash({ parentId: file, keep: 'oldest' }),
    keepIn: ({ file }) => trash({ keep: 'folder', keepIn: file }),
  },
  [`POST ${LIST}/compare`]: {
    ids: ({ duplicates }) => ({
      path: `${LIST}/compare`,
      init: {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ids: [duplicates] }),
      },
    }),
  },
}

const LISTED = 'query($filter: DuplicateFilter) { viewer { duplicates(filter: $filter) { edges { node { id } } } } }'
const SUMMED = 'query($filter: DuplicateFilter) { viewer { duplicateSummary(filter: $filter) { certainBytes } } }'
const KEPT = `query($keep: DuplicateRule!, $keepIn: ID) {
  viewer { duplicateSummary { reclaimable(keep: $keep, keepIn: $keepIn) { bytes } } } }`
const TRASH = `mutation($input: TrashDuplicatesInput!) {
  trashDuplicates(input: $input) { __typename ... on Error { code message } } }`
const COMPARE = `mutation($input: CompareDuplicatesInput!) {
  compareDuplicates(input: $input) { __typename ... on Error { code message } } }`

const trashOf = (input: object): GraphqlRequest => ({ query: TRASH, variables: { input } })

export const DUPLICATES_GRAPHQL: Table<GraphqlRequest> = {
  'User.duplicates': {
    'filter.accountId': ({ account }) => ({ query: LISTED, variables: { filter: { accountId: account } } }),
    'filter.parentId': ({ file }) => ({ query: LISTED, variables: { filter: { parentId: file } } }),
  },
  'User.duplicateSummary': {
    'filter.accountId': ({ account }) => ({ query: SUMMED, variables: { filter: { accountId: account } } }),
    'filter.parentId': ({ file }) => ({ query: SUMMED, variables: { filter: { parentId: file } } }),
  },
  'DuplicateSummary.reclaimable': {
    keepIn: ({ file }) => ({ query: KEPT, variables: { keep: 'FOLDER', keepIn: file } }),
  },
  'Mutation.trashDuplicates': {
    'input.filter.accountId': ({ account }) => trashOf({ filter: { accountId: account }, keep: 'OLDEST' }),
    'input.filter.parentId': ({ file }) => trashOf({ filter: { parentId: file }, keep: 'OLDEST' }),
    'input.keepIn': ({ file }) => trashOf({ keep: 'FOLDER', keepIn: file }),
  },
  'Mutation.compareDuplicates': {
    'input.ids': ({ duplicates }) => ({ query: COMPARE, variables: { input: { ids: [duplicates] } } }),
  },
}
