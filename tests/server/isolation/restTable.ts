import { ACCOUNTS_REST } from './accountTables.ts'
import { ACTIVITY_REST } from './activityTables.ts'
import { DUPLICATES_REST } from './duplicateTables.ts'
import type { Table } from './ids.ts'
import { JOBS_REST } from './jobTables.ts'
import { KEYS_REST } from './keyTables.ts'
import { PROTECTION_REST } from './protectionTables.ts'
import { SHARES_REST } from './shareTables.ts'
import { TAGS_REST } from './tagTables.ts'
import { TRANSFERS_REST } from './transferTables.ts'

const json = (method: string, path: string, body: object) => ({
  path,
  init: { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
})
const plain = (method: string, path: string) => ({ path, init: { method } })
const tus = (method: string, path: string, headers: Record<string, string> = {}, body?: string) => ({
  path,
  init: {
    method,
    headers: { 'tus-resumable': '1.0.0', ...headers },
    ...(body !== undefined && { body }),
  },
})
const metadata = (name: string, value: string) =>
  `filename ${Buffer.from('planted.txt').toString('base64')},${name} ${Buffer.from(value).toString('base64')}`
const form = (name: string, value: string) => {
  const body = new FormData()
  body.set(name, value)
  body.set('file', new File(['planted'], 'planted.txt'))
  return { path: '/api/v1/files', init: { method: 'POST', body } }
}
const create = (name: string, value: string) =>
  tus('POST', '/api/v1/uploads', { 'upload-length': '7', 'upload-metadata': metadata(name, value) })
const append = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }

const copy = (body: object) => json('POST', '/api/v1/files/copy', { parentId: null, ...body })
const drain = (groupCloud: string, account: string) =>
  json('PATCH', `/api/v1/group-clouds/${groupCloud}/members/${account}`, { draining: true })

export type RestRequest = { readonly path: string; readonly init: RequestInit & { readonly method: string } }

/** Each operation of the OpenAPI document by the ids that it takes; those without ids have none to try. */
export const REST: Table<RestRequest> = {
  'POST /api/v1/auth/register': {},
  'POST /api/v1/auth/login': {},
  'POST /api/v1/auth/logout': {},
  'GET /api/v1/auth/validate': {},
  'GET /api/v1/auth/me': {},
  'PATCH /api/v1/auth/me': {},
  'DELETE /api/v1/auth/me': {},
  'POST /api/v1/auth/password': {},
  'POST /api/v1/auth/forgot-password': {},
  'POST /api/v1/auth/reset-password': {},
  'GET /api/v1/auth/registration': {},
  'GET /api/v1/administration': {},
  'GET /api/v1/invitations': {},
  'POST /api/v1/invitations': {},
  'DELETE /api/v1/invitations/{id}': { id: ({ invitation }) => plain('DELETE', `/api/v1/invitations/${invitation}`) },
  'GET /api/v1/sessions': {},
  'DELETE /api/v1/sessions': {},
  'DELETE /api/v1/sessions/{id}': { id: ({ session }) => plain('DELETE', `/api/v1/sessions/${session}`) },
  'GET /api/v1/group-clouds': {},
  'POST /api/v1/group-clouds': {
    accountIds: ({ account }) => json('POST', '/api/v1/group-clouds', { name: 'Planted', accountIds: [account] }),
  },
  'PATCH /api/v1/group-clouds/{id}': {
    id: ({ groupCloud }) => json('PATCH', `/api/v1/group-clouds/${groupCloud}`, { name: 'Planted' }),
    accountIds: ({ account, own }) =>
      json('PATCH', `/api/v1/group-clouds/${own.groupCloud}`, { accountIds: [account] }),
    keepFreeBytes: ({ account, own }) =>
      json('PATCH', `/api/v1/group-clouds/${own.groupCloud}`, { keepFreeBytes: { [account]: 1 } }),
  },
  'DELETE /api/v1/group-clouds/{id}': {
    id: ({ groupCloud }) => plain('DELETE', `/api/v1/group-clouds/${groupCloud}`),
    moveTo: ({ groupCloud, own }) => plain('DELETE', `/api/v1/group-clouds/${own.groupCloud}?moveTo=${groupCloud}`),
  },
  'GET /api/v1/group-clouds/{id}': { id: ({ groupCloud }) => plain('GET', `/api/v1/group-clouds/${groupCloud}`) },
  'GET /api/v1/group-clouds/{id}/placement': {
    id: ({ groupCloud }) => plain('GET', `/api/v1/group-clouds/${groupCloud}/placement?size=1`),
  },
  'PATCH /api/v1/group-clouds/{id}/members/{accountId}': {
    id: ({ groupCloud, account }) => drain(groupCloud, account),
    accountId: ({ account, own }) => drain(own.groupCloud, account),
  },
  ...ACCOUNTS_REST,
  ...ACTIVITY_REST,
  ...JOBS_REST,
  ...PROTECTION_REST,
  ...DUPLICATES_REST,
  ...TRANSFERS_REST,
  ...KEYS_REST,
  ...SHARES_REST,
  ...TAGS_REST,
  'GET /api/v1/files': {
    parentId: ({ file }) => plain('GET', `/api/v1/files?view=drive&parentId=${file}`),
    groupCloudId: ({ groupCloud }) => plain('GET', `/api/v1/files?view=all&groupCloudId=${groupCloud}`),
    accountId: ({ account }) => plain('GET', `/api/v1/files?view=all&accountId=${account}`),
    tagId: ({ tag }) => plain('GET', `/api/v1/files?view=all&tagId=${tag}`),
  },
  'POST /api/v1/files': {
    parentId: ({ file }) => form('parentId', file),
    groupCloudId: ({ groupCloud }) => form('groupCloudId', groupCloud),
  },
  'GET /api/v1/files/{id}': { id: ({ file }) => plain('GET', `/api/v1/files/${file}`) },
  'PATCH /api/v1/files/{id}': {
    id: ({ file }) => json('PATCH', `/api/v1/files/${file}`, { name: 'Planted', starred: true }),
    parentId: ({ file, own }) => json('PATCH', `/api/v1/files/${own.file}`, { parentId: file, starred: true }),
    groupCloudId: ({ groupCloud, own }) => json('PATCH', `/api/v1/files/${own.file}`, { groupCloudId: groupCloud }),
  },
  'DELETE /api/v1/files/{id}': {
    id: ({ file }) => plain('DELETE', `/api/v1/files/${file}`),
    'id for good': ({ file }) => plain('DELETE', `/api/v1/files/${file}?permanent=true`),
  },
  'POST /api/v1/files/folders': {
    parentId: ({ file }) => json('POST', '/api/v1/files/folders', { name: 'Planted', parentId: file }),
  },
  'POST /api/v1/files/copy': {
    ids: ({ file, own }) => copy({ ids: [own.file, file] }),
    parentId: ({ file, own }) => copy({ ids: [own.file], parentId: file }),
    groupCloudId: ({ groupCloud, own }) => copy({ ids: [own.file], groupCloudId: groupCloud }),
  },
  'POST /api/v1/copies/{id}/keep': { id: ({ copy }) => plain('POST', `/api/v1/copies/${copy}/keep`) },
  'POST /api/v1/files/move': {
    ids: ({ file }) => json('POST', '/api/v1/files/move', { ids: [file], parentId: null }),
    parentId: ({ file, own }) => json('POST', '/api/v1/files/move', { ids: [own.file], parentId: file }),
    groupCloudId: ({ groupCloud, own }) =>
      json('POST', '/api/v1/files/move', { ids: [own.file], parentId: null, groupCloudId: groupCloud }),
  },
  'POST /api/v1/files/trash': { ids: ({ file }) => json('POST', '/api/v1/files/trash', { ids: [file] }) },
  'POST /api/v1/files/restore': { ids: ({ file }) => json('POST', '/api/v1/files/restore', { ids: [file] }) },
  'POST /api/v1/files/delete': { ids: ({ file }) => json('POST', '/api/v1/files/delete', { ids: [file] }) },
  'POST /api/v1/files/star': { ids: ({ file }) => json('POST', '/api/v1/files/star', { ids: [file], starred: true }) },
  'POST /api/v1/files/trash/empty': {},
  'GET /api/v1/files/by-path': {},
  'GET /api/v1/files/content-matches': {
    groupCloudId: ({ groupCloud }) =>
      plain('GET', `/api/v1/files/content-matches?q=planted&groupCloudId=${groupCloud}`),
    accountId: ({ account }) => plain('GET', `/api/v1/files/content-matches?q=planted&accountId=${account}`),
    tagId: ({ tag }) => plain('GET', `/api/v1/files/content-matches?q=planted&tagId=${tag}`),
  },
  'GET /api/v1/files/{id}/download': {
    id: ({ file }) => plain('GET', `/api/v1/files/${file}/download`),
    'id by HEAD': ({ file }) => plain('HEAD', `/api/v1/files/${file}/download`),
    'id in place': ({ file }) => plain('GET', `/api/v1/files/${file}/download?disposition=inline`),
  },
  'GET /api/v1/files/{id}/export': {
    id: ({ file }) => plain('GET', `/api/v1/files/${file}/export?type=pdf`),
    'id by HEAD': ({ file }) => plain('HEAD', `/api/v1/files/${file}/export`),
  },
  'GET /api/v1/files/{id}/thumbnail': {
    id: ({ file }) => plain('GET', `/api/v1/files/${file}/thumbnail?size=small`),
    'id by HEAD': ({ file }) => plain('HEAD', `/api/v1/files/${file}/thumbnail`),
  },
  'PUT /api/v1/files/{id}/thumbnail': {
    id: ({ file }) => ({
      path: `/api/v1/files/${file}/thumbnail?size=1`,
      init: { method: 'PUT', headers: { 'content-type': 'image/webp' }, body: 'x' },
    }),
  },
  'GET /api/v1/files/archive': {
    ids: ({ file, own }) => plain('GET', `/api/v1/files/archive?ids=${own.file},${file}`),
  },
  'OPTIONS /api/v1/uploads': {},
  'POST /api/v1/uploads': {
    'metadata parentId': ({ file }) => create('parentId', file),
    'metadata groupCloudId': ({ groupCloud }) => create('groupCloudId', groupCloud),
  },
  'GET /api/v1/uploads/{id}': { id: ({ upload }) => plain('GET', `/api/v1/uploads/${upload}`) },
  'HEAD /api/v1/uploads/{id}': { id: ({ upload }) => tus('HEAD', `/api/v1/uploads/${upload}`) },
  'PATCH /api/v1/uploads/{id}': { id: ({ upload }) => tus('PATCH', `/api/v1/uploads/${upload}`, append, 'planted') },
  'DELETE /api/v1/uploads/{id}': { id: ({ upload }) => tus('DELETE', `/api/v1/uploads/${upload}`) },
}

type Schema = { readonly properties?: Record<string, unknown> }
type Operation = {
  readonly parameters?: readonly { readonly name: string }[]
  readonly requestBody?: { readonly content?: Record<string, { readonly schema?: Schema }> }
}
export type OpenApi = { readonly paths: Record<string, Record<string, Operation>> }

/** The operations of the document with the ids that each says it takes. */
export function operationsOf({ paths }: OpenApi): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(methods)) {
      const bodies = Object.values(requestBody?.content ?? {})
      const names = [
        ...parameters.map(({ name }) => name),
        ...bodies.flatMap(({ schema }) => Object.keys(schema?.properties ?? {})),
      ]
      found.set(
        `${method.toUpperCase()} ${path}`,
        names.filter((name) => /^(id|ids|\w+Id|\w+Ids)$/.test(name)),
      )
    }
  }
  return found
}
