import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isObjectType,
} from 'graphql'
import { ACCOUNTS_GRAPHQL } from './accountTables.ts'
import { ACTIVITY_GRAPHQL } from './activityTables.ts'
import { DUPLICATES_GRAPHQL } from './duplicateTables.ts'
import type { Table } from './ids.ts'
import { JOBS_GRAPHQL } from './jobTables.ts'
import { KEYS_GRAPHQL } from './keyTables.ts'
import { PROTECTION_GRAPHQL } from './protectionTables.ts'
import { SHARES_GRAPHQL } from './shareTables.ts'
import { TAGS_GRAPHQL } from './tagTables.ts'
import { TRANSFERS_GRAPHQL } from './transferTables.ts'

export type GraphqlRequest = {
  readonly query: string
  readonly variables: Record<string, unknown>
  /** Sent as multipart with a file at `input.file`. */
  readonly withFile?: boolean
}

const mutation = (name: string, input: Record<string, unknown>): GraphqlRequest => {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
  const query = `mutation($input: ${type}!) { ${name}(input: $input) { __typename ... on Error { code message } } }`
  return { query, variables: { input } }
}
const upload = (input: Record<string, unknown>) => ({
  ...mutation('uploadFile', { file: null, ...input }),
  withFile: true,
})
const drain = (id: string, accountId: string) => mutation('drainMember', { id, accountId, draining: true })
const query = (text: string, variables: Record<string, unknown>) => ({ query: text, variables })
const page = (args: string, variables: Record<string, unknown>) =>
  query(
    `query(${args}: ID) { viewer { files(view: ALL, ${args.slice(1)}: ${args}) { edges { node { name } } } } }`,
    variables,
  )

const contents = (args: string, variables: Record<string, unknown>) =>
  query(
    `query(${args}: ID) { viewer { contentMatches(query: "planted", ${args.slice(1)}: ${args}) { edges { node { file { name } } } } } }`,
    variables,
  )

const summary = (variables: Record<string, unknown>) =>
  query(
    `query($ids: [ID!], $selection: FileSelection) { viewer { filesSummary(ids: $ids, selection: $selection) { count } } }`,
    variables,
  )
const room = (variables: Record<string, unknown>) =>
  query(
    `query($accountId: ID!, $parentId: ID) { viewer { room(accountId: $accountId, parentId: $parentId) { isComputing } } }`,
    variables,
  )
/** A selection of nothing of one's own. */
const NOTHING = { view: 'ALL', query: 'there is no such name' }
const change = (selection: Record<string, unknown>) =>
  query(
    `mutation($input: ChangeFilesInput!) { changeFiles(input: $input) { __typename
       ... on ChangeFilesPayload { changedCount } ... on Error { code message } } }`,
    { input: { selection, action: 'TRASH' } },
  )

/** Each field of the schema that takes ids, by argument. */
export const GRAPHQL: Table<GraphqlRequest> = {
  'Query.node': {
    id: ({ node }) => query('query($id: ID!) { node(id: $id) { __typename id } }', { id: node }),
  },
  'Query.nodes': {
    ids: ({ node, own }) =>
      query('query($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', { ids: [own.file, node] }),
  },
  'User.file': { id: ({ file }) => query('query($id: ID!) { viewer { file(id: $id) { name } } }', { id: file }) },
  'GroupCloud.freeBytesWith': {
    accountId: ({ account, own }) =>
      query('query($id: ID!, $pool: ID!) { node(id: $pool) { ... on GroupCloud { freeBytesWith(accountId: $id) } } }', {
        id: account,
        pool: own.groupCloud,
      }),
  },
  'User.files': {
    parentId: ({ file }) =>
      query('query($id: ID) { viewer { files(view: DRIVE, parentId: $id) { edges { node { name } } } } }', {
        id: file,
      }),
    groupCloudId: ({ groupCloud }) => page('$groupCloudId', { groupCloudId: groupCloud }),
    accountId: ({ account }) => page('$accountId', { accountId: account }),
    tagId: ({ tag }) => page('$tagId', { tagId: tag }),
  },
  'User.contentMatches': {
    groupCloudId: ({ groupCloud }) => contents('$groupCloudId', { groupCloudId: groupCloud }),
    accountId: ({ account }) => contents('$accountId', { accountId: account }),
    tagId: ({ tag }) => contents('$tagId', { tagId: tag }),
  },
  'Mutation.revokeInvitation': { 'input.id': ({ invitation }) => mutation('revokeInvitation', { id: invitation }) },
  'Mutation.createFolder': {
    'input.parentId': ({ file }) => mutation('createFolder', { name: 'Planted', parentId: file }),
  },
  'Mutation.renameFile': { 'input.id': ({ file }) => mutation('renameFile', { id: file, name: 'Planted' }) },
  'Mutation.moveFiles': {
    'input.ids': ({ file }) => mutation('moveFiles', { ids: [file], parentId: null }),
    'input.parentId': ({ file, own }) => mutation('moveFiles', { ids: [own.file], parentId: file }),
    'input.groupCloudId': ({ groupCloud, own }) => mutation('moveFiles', { ids: [own.file], groupCloudId: groupCloud }),
  },
  'Mutation.copyFiles': {
    'input.ids': ({ file, own }) => mutation('copyFiles', { ids: [own.file, file], parentId: null }),
    'input.parentId': ({ file, own }) => mutation('copyFiles', { ids: [own.file], parentId: file }),
    'input.groupCloudId': ({ groupCloud, own }) => mutation('copyFiles', { ids: [own.file], groupCloudId: groupCloud }),
  },
  'Mutation.keepChangedVersion': { 'input.copyId': ({ copy }) => mutation('keepChangedVersion', { copyId: copy }) },
  'Mutation.moveFilesToGroupCloud': {
    'input.ids': ({ file, own }) =>
      mutation('moveFilesToGroupCloud', { ids: [own.file, file], groupCloudId: own.groupCloud }),
    'input.groupCloudId': ({ groupCloud, own }) =>
      mutation('moveFilesToGroupCloud', { ids: [own.file], groupCloudId: groupCloud }),
  },
  'User.filesSummary': {
    ids: ({ file }) => summary({ ids: [file] }),
    'selection.parentId': ({ file }) => summary({ selection: { view: 'DRIVE', parentId: file } }),
    'selection.groupCloudId': ({ groupCloud }) => summary({ selection: { view: 'ALL', groupCloudId: groupCloud } }),
    'selection.accountId': ({ account }) => summary({ selection: { view: 'ALL', accountId: account } }),
    'selection.tagId': ({ tag }) => summary({ selection: { view: 'ALL', tagId: tag } }),
    'selection.exceptIds': ({ file }) => summary({ selection: { ...NOTHING, exceptIds: [file] } }),
  },
  'User.room': {
    accountId: ({ account }) => room({ accountId: account }),
    parentId: ({ file, own }) => room({ accountId: own.account, parentId: file }),
  },
  'Mutation.changeFiles': {
    'input.selection.parentId': ({ file }) => change({ view: 'DRIVE', parentId: file }),
    'input.selection.groupCloudId': ({ groupCloud }) => change({ view: 'ALL', groupCloudId: groupCloud }),
    'input.selection.accountId': ({ account }) => change({ view: 'ALL', accountId: account }),
    'input.selection.tagId': ({ tag }) => change({ view: 'ALL', tagId: tag }),
    'input.tagId': ({ tag }) => mutation('changeFiles', { selection: { view: 'DRIVE' }, action: 'TAG', tagId: tag }),
    'input.selection.exceptIds': ({ file }) => change({ ...NOTHING, exceptIds: [file] }),
    'input.parentId': ({ file }) =>
      mutation('changeFiles', { selection: { view: 'DRIVE' }, action: 'MOVE', parentId: file }),
    'input.groupCloudId': ({ groupCloud }) =>
      mutation('changeFiles', {
        selection: { view: 'DRIVE' },
        action: 'MOVE_TO_GROUP_CLOUD',
        groupCloudId: groupCloud,
      }),
  },
  'Mutation.starFiles': {
    'input.ids': ({ file }) => mutation('starFiles', { ids: [file], starred: true }),
  },
  ...TAGS_GRAPHQL,
  'Mutation.trashFiles': { 'input.ids': ({ file }) => mutation('trashFiles', { ids: [file] }) },
  'Mutation.restoreFiles': { 'input.ids': ({ file }) => mutation('restoreFiles', { ids: [file] }) },
  'Mutation.deleteFiles': { 'input.ids': ({ file }) => mutation('deleteFiles', { ids: [file] }) },
  'Mutation.uploadFile': {
    'input.parentId': ({ file }) => upload({ parentId: file }),
    'input.groupCloudId': ({ groupCloud }) => upload({ groupCloudId: groupCloud }),
  },
  'Mutation.endSession': { 'input.id': ({ session }) => mutation('endSession', { id: session }) },
  ...ACCOUNTS_GRAPHQL,
  ...ACTIVITY_GRAPHQL,
  ...JOBS_GRAPHQL,
  ...PROTECTION_GRAPHQL,
  ...DUPLICATES_GRAPHQL,
  ...TRANSFERS_GRAPHQL,
  ...KEYS_GRAPHQL,
  ...SHARES_GRAPHQL,
  'Mutation.createGroupCloud': {
    'input.accountIds': ({ account }) => mutation('createGroupCloud', { name: 'Planted', accountIds: [account] }),
    'input.allowOnlyCopy': ({ account, own }) =>
      mutation('createGroupCloud', { name: 'Planted', accountIds: [own.account], allowOnlyCopy: [account] }),
  },
  'Mutation.updateGroupCloud': {
    'input.id': ({ groupCloud }) => mutation('updateGroupCloud', { id: groupCloud, name: 'Planted' }),
    'input.accountIds': ({ account, own }) =>
      mutation('updateGroupCloud', { id: own.groupCloud, accountIds: [account] }),
    'input.allowOnlyCopy': ({ account, own }) =>
      mutation('updateGroupCloud', { id: own.groupCloud, allowOnlyCopy: [account] }),
    'input.keepFreeBytes.accountId': ({ account, own }) =>
      mutation('updateGroupCloud', { id: own.groupCloud, keepFreeBytes: [{ accountId: account, bytes: 1 }] }),
  },
  'Mutation.drainMember': {
    'input.id': ({ groupCloud, account }) => drain(groupCloud, account),
    'input.accountId': ({ account, own }) => drain(own.groupCloud, account),
  },
  'Mutation.deleteGroupCloud': {
    'input.id': ({ groupCloud }) => mutation('deleteGroupCloud', { id: groupCloud }),
    'input.moveTo': ({ groupCloud, own }) => mutation('deleteGroupCloud', { id: own.groupCloud, moveTo: groupCloud }),
  },
  'Subscription.uploadProgress': {
    uploadId: ({ upload: id }) =>
      query('subscription($id: ID!) { uploadProgress(uploadId: $id) { receivedBytes } }', { id }),
  },
}

/** The fields of the schema that take ids, with the arguments that do. */
export function fieldsWithIds(schema: GraphQLSchema): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const ids = field.args.flatMap((arg: GraphQLArgument) => idsOf(arg.name, arg.type))
      if (ids.length > 0 && !type.name.startsWith('__')) found.set(`${type.name}.${field.name}`, ids)
    }
  }
  return found
}

function idsOf(path: string, type: GraphQLInputType): string[] {
  const named = getNamedType(type)
  if (isInputObjectType(named)) {
    return Object.values(named.getFields()).flatMap((field) => idsOf(`${path}.${field.name}`, field.type))
  }
  return named.name === 'ID' && !path.endsWith('clientMutationId') ? [path] : []
}
