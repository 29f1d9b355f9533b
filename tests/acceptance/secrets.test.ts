import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createGraphqlClient, mutate } from '../setup/graphqlClient.ts'
import { openDatabase } from './support/database.ts'
import { type Kind, MIB, type Providers, startProviders } from './support/emulators.ts'
import { expectStatus, newCredentials, register, until } from './support/person.ts'
import { type ServerProcess, startProcess } from './support/process.ts'
import { type Exchange, startProxy } from './support/proxy.ts'
import { createSecrets } from './support/secrets.ts'

/** Only the answers that begin an authorization hold its state: that is how the specification has it. */
const BEGINS = /"authorizationUrl":/
const EVERYTHING = `{ server { version } viewer { id fullName email avatarUrl quota { usedBytes }
  accounts { id name email status statusReason unreachableSince atRiskFiles lossPreview { lostFiles } quota { usedBytes } }
  providers { id name access availability settings }
  groupClouds { id name health { atRiskFiles } members { account { id } } }
  files(view: ALL) { edges { node { id name state stateReason copies { id why pieces { index account { id } } } } } }
  transfers { id state error why fileName accounts { id } } } }`

const clients = {
  GOOGLE_CLIENT_SECRET: `google-${randomBytes(24).toString('hex')}`,
  DROPBOX_CLIENT_SECRET: `dropbox-${randomBytes(24).toString('hex')}`,
}
const env = {
  ...clients,
  GOOGLE_CLIENT_ID: 'canary.apps.googleusercontent.com',
  DROPBOX_CLIENT_ID: 'canary-app-key',
  SECRET_KEY: randomBytes(32).toString('base64url'),
  LOG_LEVEL: 'trace',
}

const secrets = createSecrets()
/** No secrets: they show that what is looked for would be found. */
const known = createSecrets()
const answers: Exchange[] = []
let providers: Providers
let server: ServerProcess
let database: Awaited<ReturnType<typeof openDatabase>>
/** Stand between all that talk to each other, and listen. */
let proxies: Awaited<ReturnType<typeof startProxy>>[]

beforeAll(async () => {
  providers = await startProviders()
  await providers.command('google', 'addClient', { id: env.GOOGLE_CLIENT_ID, secret: clients.GOOGLE_CLIENT_SECRET })
  await providers.command('dropbox', 'addClient', { id: env.DROPBOX_CLIENT_ID, secret: clients.DROPBOX_CLIENT_SECRET })
  const back = await startProxy(providers.url, secrets.addExchange)
  proxies = [back]
  server = await startProcess(back.url, env)
  proxies.push(await startProxy(server.url, (exchange) => answers.push(exchange)))
  database = await openDatabase(server.dataDir)
  await database.keepAll()
  for (const [name, value] of Object.entries({ ...clients, SECRET_KEY: env.SECRET_KEY })) secrets.add(name, value)
})
afterAll(async () => {
  await database?.close()
  for (const proxy of proxies ?? []) await proxy.close()
  await server?.close()
  await providers?.close()
})

/** Everything that has to do with a secret, going well and going wrong. */
async function useEverySecret(kind: Kind, path: string): Promise<void> {
  const credentials = newCredentials()
  secrets.add('password', credentials.password)
  const ada = await register(proxies[1]?.url ?? '', credentials)
  const wrong = { ...credentials, password: `wrong ${credentials.password}` }
  expect((await ada.request('POST', '/api/v1/auth/login', wrong)).status).toBe(401)
  secrets.add('session', ada.token)
  known.add('address', credentials.email)
  const [email, other] = [providers.addPerson(kind, 100 * MIB), providers.addPerson(kind, 100 * MIB)]
  const id = await ada.connect(kind, email)
  const page = await ada.consent(kind, email)
  const graphql = createGraphqlClient(ada.url, ada.token)
  await fetch(`${ada.url}/oauth/${kind}/callback?${new URLSearchParams(page)}`, { headers: ada.headers() })
  // The login is connected already, and the code is spent by asking.
  for (const _ of [1, 2]) await ada.request('POST', `${path}/auth`, { ...page, name: 'Again' })
  await ada.request('PUT', `${path}/${id}`, await ada.consent(kind, other, id))
  const provider = kind === 'google' ? 'google-drive' : 'dropbox'
  const begun = await mutate(graphql, 'authorizeAccount', { provider, accountId: id }, 'state authorizationUrl')
  secrets.add('state', begun.state)

  const poolId = await ada.pool([id])
  providers.throttle(kind, email, 20 * MIB)
  const upload = `${kind === 'google' ? 'drive.upload.chunk' : 'files/upload_session/append_v2'}`
  for (const fault of ['cutUp', 'serverError', 'rateLimit', 'lostReply'] as const)
    providers.plan({ kind: fault, service: kind, user: email, operation: upload, retryAfter: 0, bytes: MIB })
  const { body } = await expectStatus(201, ada.upload('Film.bin', randomBytes(20 * MIB), poolId))
  await until(
    () => ada.file(body.id),
    ({ state }) => state === 'STORED',
    60,
  )
  await providers.command(kind, 'expireAccessTokens', { user: email })
  providers.plan({
    kind: 'serverError',
    service: kind,
    user: email,
    operation: kind === 'google' ? 'oauth.token.refresh' : 'oauth2/token',
  })
  await ada.read(body.id)
  await graphql(EVERYTHING)
  await providers.command(kind, 'revokeUser', { user: email })
  await until(
    () => ada.read(body.id),
    ({ status }) => status === 503,
  )
  await ada.reconnect(kind, email, id)
  await ada.read(body.id)
  for (const address of [
    '/accounts',
    '/files',
    `/files/${body.id}`,
    '/transfers',
    '/group-clouds',
    path.replace('/api/v1', ''),
  ])
    await ada.request('GET', `/api/v1${address}`)
  for (const address of ['/', '/cloud-integration', '/file-manager']) await ada.request('GET', address)
  await graphql(EVERYTHING)
  await expectStatus(204, ada.request('DELETE', `${path}/${id}?force=true`))
  await ada.request('POST', '/api/v1/auth/logout')
}

it('no secret is in the database at any time, in logs at trace level, in answers or in pages', async () => {
  await Promise.all([
    useEverySecret('google', '/api/v1/google-accounts'),
    useEverySecret('dropbox', '/api/v1/dropbox-accounts'),
  ])

  expect([...secrets.kinds()].toSorted()).toEqual(
    expect.arrayContaining(['access_token', 'code', 'code_verifier', 'password', 'refresh_token', 'session', 'state']),
  )
  expect([...secrets.kinds()]).toEqual(
    expect.arrayContaining(['GOOGLE_CLIENT_SECRET', 'DROPBOX_CLIENT_SECRET', 'SECRET_KEY', 'session_id', 'upload_id']),
  )

  const dump = await database.dump()
  expect([...dump.keys()]).toEqual(expect.arrayContaining(['kept.rows', 'graphile_worker._private_jobs']))
  for (const table of ['account_credentials', 'oauth_states', 'pieces', '_private_jobs', 'sessions'])
    expect(dump.get('kept.rows')).toContain(`(${table},`)
  for (const [table, text] of dump) expect(secrets.hits(text), table).toEqual([])

  expect(known.hits(dump.get('kept.rows') ?? '')).toEqual(['address', 'address'])
  expect(known.hits(answers.map(({ text }) => text).join())).toEqual(['address', 'address'])

  expect(server.output()).toContain('"level":"trace"')
  expect(server.output()).toContain('"msg":"provider call failed"')
  expect(secrets.hits(server.output())).toEqual([])

  expect(answers.some(({ text }) => /<!doctype html/i.test(text))).toBe(true)
  for (const { method, path, headers, text } of answers) {
    const { 'set-cookie': _own, ...shown } = headers
    const hits = secrets.hits(JSON.stringify(shown) + text, BEGINS.test(text) ? ['state'] : [])
    expect(hits, `${method} ${path.split('?')[0]}`).toEqual([])
  }
})
