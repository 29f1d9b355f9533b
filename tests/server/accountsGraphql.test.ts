import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { publicId } from '../../server/lib/ids.ts'
import { type AccountsServer, startAccountsServer } from '../setup/accountsServer.ts'
import { FLEET } from '../setup/fleet.ts'
import { createGraphqlClient, type GraphqlClient, mutate } from '../setup/graphqlClient.ts'

let server: AccountsServer
let ada: Awaited<ReturnType<AccountsServer['signIn']>>
let client: GraphqlClient

beforeAll(async () => {
  server = await startAccountsServer()
})
beforeEach(async () => {
  ada = await server.signIn()
  client = createGraphqlClient(server.url, ada.token)
})
afterAll(() => server?.close())

const ACCOUNT =
  'id name hue status provider providerName statusReason unreachableSince atRiskFiles quota { state usedBytes totalBytes }'

async function authorize(login: Parameters<AccountsServer['authorized']>[1], accountId?: string) {
  const { state, authorizationUrl } = await mutate(
    client,
    'authorizeAccount',
    { provider: 'google-drive', ...(accountId && { accountId }) },
    'state authorizationUrl',
  )
  const grant = server.google.consent(authorizationUrl, login)
  expect(grant.state).toBe(state)
  return grant
}

async function connect(login = server.newLogin()) {
  const input = { provider: 'google-drive', name: 'Drive', ...(await authorize(login)) }
  return mutate(client, 'connectAccount', input, `account { ${ACCOUNT} } viewer { accounts { id } quota { state } }`)
}

describe('accounts', () => {
  it('are connected, shown with their user, renamed, reconnected and disconnected', async () => {
    const login = server.newLogin()
    const { account, viewer } = await connect(login)
    expect(account).toEqual({
      id: expect.stringMatching(/^acct_/),
      name: 'Drive',
      hue: 1,
      status: 'CONNECTED',
      provider: 'google-drive',
      providerName: 'Google Drive',
      statusReason: null,
      unreachableSince: null,
      atRiskFiles: 0,
      quota: { state: 'KNOWN', usedBytes: 0, totalBytes: 15 * 1024 ** 3 },
    })
    expect(viewer.accounts).toHaveLength(2)
    const { id } = account
    const renamed = await mutate(client, 'updateAccount', { id, name: 'Photos', hue: 4 }, 'account { name hue }')
    expect(renamed.account).toEqual({ name: 'Photos', hue: 4 })
    const again = await mutate(client, 'reconnectAccount', { id, ...(await authorize(login, id)) }, 'account { id }')
    expect(again.account).toEqual({ id })
    const { data } = await client(
      'query($id: ID!) { node(id: $id) { ... on Account { lossPreview { lostFiles lostBytes keptFiles } } } }',
      { id },
    )
    expect(data.node.lossPreview).toEqual({ lostFiles: 0, lostBytes: 0, keptFiles: 0 })
    const gone = await mutate(client, 'disconnectAccount', { id }, 'disconnectedId viewer { accounts { id } }')
    expect([gone.disconnectedId, gone.viewer.accounts.length]).toEqual([id, 1])
    expect((await client('query($id: ID!) { node(id: $id) { id } }', { id })).data.node).toBeNull()
  })

  // A spy sees one server.
  it.skipIf(FLEET.servers > 1)(
    'say what their loss would cost with one look each, wherever a list names them',
    async () => {
      const { id } = (await connect()).account
      const look = vi.spyOn(server.services.accounts, 'previewLoss')
      const one = 'node(id: $id) { ... on Account { lossPreview { lostFiles } } }'
      const { data } = await client(`query($id: ID!) { a: ${one} b: ${one} c: ${one} }`, { id })
      expect([data.a, data.b, data.c]).toEqual(Array(3).fill({ lossPreview: { lostFiles: 0 } }))
      expect(look).toHaveBeenCalledTimes(1)
      look.mockRestore()
    },
  )

  it('are refused with errors of a type of their own', async () => {
    const login = server.newLogin()
    const { account } = await connect(login)
    const name = async (promise: Promise<{ __typename: string; code: string }>) => {
      const { __typename, code } = await promise
      return [__typename, code]
    }
    const grant = { code: 'x', state: 'y' }
    expect(await name(connect(login))).toEqual(['AccountConnectedError', 'ACCOUNT_CONNECTED'])
    expect(
      await name(mutate(client, 'connectAccount', { provider: 'google-drive', name: 'x', ...grant }, '__typename')),
    ).toEqual(['AuthorizationFailedError', 'AUTHORIZATION_FAILED'])
    expect(
      await name(mutate(client, 'connectAccount', { provider: 'google-drive', name: ' ', ...grant }, '__typename')),
    ).toEqual(['InvalidInputError', 'INVALID_INPUT'])
    expect(await name(mutate(client, 'authorizeAccount', { provider: 'dropbox' }, '__typename'))).toEqual([
      'ProviderUnavailableError',
      'PROVIDER_UNAVAILABLE',
    ])
    const other = await authorize(server.newLogin(), account.id)
    expect(await name(mutate(client, 'reconnectAccount', { id: account.id, ...other }, '__typename'))).toEqual([
      'OtherLoginError',
      'OTHER_LOGIN',
    ])
    const [local] = await server.services.accounts.list(ada.viewer)
    const localId = publicId('Account', local?.id ?? '')
    expect(await name(mutate(client, 'disconnectAccount', { id: localId, force: true }, '__typename'))).toEqual([
      'ConflictError',
      'CONFLICT',
    ])
  })

  it('say how full they are, and why that is not known', async () => {
    const login = server.newLogin()
    const { account } = await connect(login)
    login.usedBytes = 3
    await server.pool.query('update accounts set quota_checked_at = null')
    const payload = 'accounts { id quota { usedBytes } } readings { account { id } error }'
    const fresh = await mutate(client, 'refreshQuotas', { ids: [account.id] }, payload)
    expect(fresh).toMatchObject({
      accounts: [{ id: account.id, quota: { usedBytes: 3 } }],
      readings: [{ account: { id: account.id }, error: null }],
    })
    server.google.withdraw(login)
    await server.pool.query('update accounts set quota_checked_at = null')
    const failed = await mutate(client, 'refreshQuotas', { ids: [account.id] }, payload)
    expect(failed.readings[0].error).toMatch(/needs to be connected again/)
  })
})

it('the catalogue is told to those who are signed in', async () => {
  const query = '{ providers { id name description popular availability settings access } viewer { providers { id } } }'
  const { data } = await client(query)
  expect(data.providers).toEqual([
    expect.objectContaining({ id: 'google-drive', availability: 'READY', access: expect.stringMatching(/all files/) }),
    expect.objectContaining({ id: 'dropbox', availability: 'NOT_CONFIGURED', settings: expect.any(Array) }),
    expect.objectContaining({ id: 'mega', availability: 'UNAVAILABLE', access: null }),
  ])
  expect(data.viewer.providers).toHaveLength(3)
  const nobody = await createGraphqlClient(server.url, null)('{ providers { id } }')
  expect(nobody.errors?.[0]?.extensions?.code).toBe('UNAUTHENTICATED')
})

it('a change reaches the subscriber with accounts and group clouds as they are, and nobody else', async () => {
  const { account } = await connect()
  const stop = new AbortController()
  const query = '{ quotaChanged { accounts { id name } removedIds groupClouds { name quota { usedBytes } } } }'
  const events = client.stream(`subscription ${query}`, {}, stop.signal)
  const bob = await server.signIn()
  const others = createGraphqlClient(server.url, bob.token).stream(`subscription ${query}`, {}, stop.signal)
  const [next, nothing] = [
    events.next(),
    others.next().then(
      () => 'something',
      () => 'nothing',
    ),
  ]
  const renameUntilHeard = setInterval(
    () => void mutate(client, 'updateAccount', { id: account.id, name: 'New' }, 'account { id }'),
    50,
  )
  const { value } = await next
  clearInterval(renameUntilHeard)
  expect(value?.data.quotaChanged).toEqual({
    accounts: [{ id: account.id, name: 'New' }],
    removedIds: [],
    groupClouds: [{ name: 'My Cloud', quota: { usedBytes: 0 } }],
  })
  await mutate(client, 'disconnectAccount', { id: account.id }, 'disconnectedId')
  let last = await events.next()
  while (last.value?.data.quotaChanged.removedIds.length === 0) last = await events.next()
  expect(last.value?.data.quotaChanged).toMatchObject({ accounts: [], removedIds: [account.id] })
  stop.abort()
  expect(await nothing).toBe('nothing')
})
