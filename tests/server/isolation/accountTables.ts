import type { GraphqlRequest } from './graphqlTable.ts'
import type { Table } from './ids.ts'
import type { RestRequest } from './restTable.ts'

const json = (method: string, path: string, body: object): RestRequest => ({
  path,
  init: { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
})
const plain = (method: string, path: string): RestRequest => ({ path, init: { method } })

const ofProvider = (path: string): Table<RestRequest> => ({
  [`GET ${path}`]: {},
  [`GET ${path}/client-id`]: {},
  [`GET ${path}/init`]: { accountId: ({ account }) => plain('GET', `${path}/init?accountId=${account}`) },
  [`POST ${path}/auth`]: {},
  [`PUT ${path}/{id}`]: { id: ({ account }) => json('PUT', `${path}/${account}`, { code: 'planted' }) },
  [`DELETE ${path}/{id}`]: { id: ({ account }) => plain('DELETE', `${path}/${account}?force=true`) },
})

/** Of accounts: as REST in restTable.ts. */
export const ACCOUNTS_REST: Table<RestRequest> = {
  ...ofProvider('/api/v1/google-accounts'),
  ...ofProvider('/api/v1/dropbox-accounts'),
  'GET /api/v1/telegram-accounts': {},
  'POST /api/v1/telegram-accounts': {},
  'POST /api/v1/telegram-accounts/registration-code': {},
  'PUT /api/v1/telegram-accounts/{id}': {
    id: ({ telegramAccount }) => json('PUT', `/api/v1/telegram-accounts/${telegramAccount}`, { code: 'planted' }),
  },
  'GET /api/v1/providers': {},
  'GET /api/v1/accounts': {},
  'GET /api/v1/accounts/{id}': {
    id: ({ account }) => plain('GET', `/api/v1/accounts/${account}`),
  },
  'POST /api/v1/accounts/{id}/index/refresh': {
    id: ({ account }) => json('POST', `/api/v1/accounts/${account}/index/refresh`, {}),
  },
  'POST /api/v1/accounts/{id}/index/deletions': {
    id: ({ account }) => json('POST', `/api/v1/accounts/${account}/index/deletions`, { accept: true }),
  },
  'PATCH /api/v1/accounts/{id}': {
    id: ({ account }) => json('PATCH', `/api/v1/accounts/${account}`, { name: 'Planted', hue: 3 }),
  },
  'GET /api/v1/accounts/{id}/drives': {
    id: ({ account }) => plain('GET', `/api/v1/accounts/${account}/drives`),
  },
  'POST /api/v1/accounts': {},
  'POST /api/v1/accounts/test': {
    accountId: ({ account }) =>
      json('POST', '/api/v1/accounts/test', { provider: 'sftp', fields: {}, accountId: account }),
  },
  'GET /api/v1/accounts/{id}/form': {
    id: ({ account }) => plain('GET', `/api/v1/accounts/${account}/form`),
  },
  'PUT /api/v1/accounts/{id}': {
    id: ({ account }) => json('PUT', `/api/v1/accounts/${account}`, { fields: {} }),
  },
  'GET /api/v1/room': {
    accountId: ({ account }) => plain('GET', `/api/v1/room?accountId=${account}`),
    parentId: ({ file, own }) => plain('GET', `/api/v1/room?accountId=${own.account}&parentId=${file}`),
  },
  'POST /api/v1/quotas/by-ids-and-types': {
    id: ({ account }) => json('POST', '/api/v1/quotas/by-ids-and-types', [{ id: account, type: 'google' }]),
  },
}

const mutation = (name: string, input: Record<string, unknown>): GraphqlRequest => {
  const type = `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
  const query = `mutation($input: ${type}!) { ${name}(input: $input) { __typename ... on Error { code message } } }`
  return { query, variables: { input } }
}

/** Of accounts: as GRAPHQL in graphqlTable.ts. */
export const ACCOUNTS_GRAPHQL: Table<GraphqlRequest> = {
  'Mutation.authorizeAccount': {
    'input.accountId': ({ account }) => mutation('authorizeAccount', { provider: 'google-drive', accountId: account }),
  },
  'Mutation.reconnectAccount': {
    'input.id': ({ account }) => mutation('reconnectAccount', { id: account, code: 'planted' }),
  },
  'Mutation.reconnectAccountByForm': {
    'input.id': ({ account }) => mutation('reconnectAccountByForm', { id: account, fields: [] }),
  },
  'Mutation.testAccountForm': {
    'input.accountId': ({ account }) =>
      mutation('testAccountForm', { provider: 'sftp', accountId: account, fields: [] }),
  },
  'Mutation.updateAccount': {
    'input.id': ({ account }) => mutation('updateAccount', { id: account, name: 'Planted' }),
  },
  'Mutation.setAccountScope': {
    'input.id': ({ account }) => mutation('setAccountScope', { id: account, scope: 'OWN' }),
  },
  'Mutation.refreshAccountIndex': {
    'input.id': ({ account }) => mutation('refreshAccountIndex', { id: account }),
  },
  'Mutation.decideAccountDeletions': {
    'input.id': ({ account }) => mutation('decideAccountDeletions', { id: account, accept: true }),
  },
  'Mutation.disconnectAccount': {
    'input.id': ({ account }) => mutation('disconnectAccount', { id: account, force: true }),
  },
  'Mutation.refreshQuotas': { 'input.ids': ({ account }) => mutation('refreshQuotas', { ids: [account] }) },
}
