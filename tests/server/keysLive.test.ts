import { randomBytes } from 'node:crypto'
import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { TooManyRequestsError } from '../../server/domain/errors.ts'
import { newKeyText } from '../../server/domain/keys/contract.ts'
import { publicId } from '../../server/lib/ids.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

/** Keys as programs use them: over HTTP, with what comes along, until they end. */
let server: TestServer
let ada: TestUser
let bob: TestUser

beforeAll(async () => {
  server = await startTestServer({ acceptAnyType: true }, { logLevel: 'trace' })
  ada = await createUser(server.services.users)
  bob = await createUser(server.services.users)
})
afterAll(() => server?.close())

const makeKey = (user = ada, more: object = {}) => server.services.keys.create(user.viewer, { name: 'CI', ...more })
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const ask = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
  fetch(`${server.url}${path}`, { ...init, headers })
const statusOf = async (path: string, headers: Record<string, string>, init: RequestInit = {}) => {
  const response = await ask(path, headers, init)
  await response.arrayBuffer()
  return response.status
}

describe('who comes', () => {
  it('is judged by Authorization alone, whatever cookie comes along', async () => {
    const { key } = await makeKey(bob)
    const cookie = `sid=${ada.token}`
    const body = JSON.stringify({ query: '{ viewer { email } }' })
    const type = { 'content-type': 'application/json' }
    const viewerOf = async (headers: Record<string, string>) =>
      (await ask('/graphql', { ...headers, ...type }, { method: 'POST', body })).json()
    // No Origin: no browser adds a key by itself.
    expect((await viewerOf({ ...bearer(key), cookie })).data.viewer).toEqual({ email: bob.email })
    for (const authorization of ['Bearer', 'Bearer x', `Bearer ${newKeyText()}`, `Basic ${btoa('a:b')}`, '']) {
      expect((await ask('/api/v1/files', { authorization, cookie })).status, authorization).toBe(401)
      const refused = await ask('/graphql', { authorization, cookie, ...type }, { method: 'POST', body })
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      expect(await refused.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] })
    }
    expect(await statusOf('/api/v1/files', { authorization: `bearer  ${key}` })).toBe(200)
  })

  it('is let in with a good key wherever the request comes from, and with no other', async () => {
    const { key } = await makeKey()
    const elsewhere = { origin: 'https://evil.example', 'content-type': 'application/json' }
    const post = (headers: Record<string, string>) =>
      statusOf('/api/v1/files/folders', { ...elsewhere, ...headers }, { method: 'POST', body: '{"name":"Planned"}' })
    expect(await post(bearer(key))).toBe(201)
    expect(await post(bearer(`${key}x`))).toBe(401)
    expect(await post({ authorization: key })).toBe(403)
  })

  it('costs no statement when the checksum is wrong, and one when it is right', async () => {
    const { key } = await makeKey()
    // Statements are counted in this process' server.
    const status = async (text: string) =>
      (await fetch(`${server.ownUrl}/api/v1/files`, { headers: bearer(text) })).status
    const asked = vi.spyOn(server.pool, 'query')
    const statements = () => asked.mock.calls.filter(([query]) => JSON.stringify(query).includes('key_hash')).length
    const wrong = `${key.slice(0, -1)}${key.endsWith('a') ? 'b' : 'a'}`
    for (let count = 0; count < 5; count += 1) expect(await status(wrong)).toBe(401)
    expect(statements()).toBe(0)
    expect(await status(newKeyText())).toBe(401)
    expect(statements()).toBe(1)
    asked.mockRestore()
  })

  it('is slowed down when their network tries keys; keys that were seen to be there go on', async () => {
    const { key, id } = await makeKey()
    const { key: unseen } = await makeKey()
    const from = (address: string) => (text: string) => server.services.keys.viewerOf(text, address)
    const here = from('2001:db8:77::1')
    expect((await here(key))?.key?.id).toBe(id)
    const guesses = await Promise.allSettled(Array.from({ length: 70 }, () => here(newKeyText())))
    expect(guesses.filter(({ status }) => status === 'fulfilled')).toHaveLength(60)
    expect((await here(key))?.key?.id).toBe(id)
    await expect(here(unseen)).rejects.toThrow(TooManyRequestsError)
    expect(await from('2001:db8:78::1')(unseen)).not.toBeNull()
    await server.services.keys.revoke(ada.viewer, id)
    for (let turn = 0; turn < 3; turn += 1) expect(await here(key)).toBeNull()
  })

  it('sees their own picture, and the schema', async () => {
    const { key } = await makeKey(ada, { scopes: ['READ'] })
    expect(await statusOf(`/avatars/${publicId('User', ada.user.id)}`, bearer(key))).toBe(200)
    expect(await statusOf(`/avatars/${publicId('User', bob.user.id)}`, bearer(key))).toBe(404)
    const body = JSON.stringify({ query: getIntrospectionQuery() })
    const headers = { ...bearer(key), 'content-type': 'application/json' }
    const { data } = await (await ask('/graphql', headers, { method: 'POST', body })).json()
    expect(data.__schema.types.length).toBeGreaterThan(50)
  })

  it('uploads by tus only with a key that may write', async () => {
    const tus = { 'tus-resumable': '1.0.0', 'upload-length': '4', 'upload-metadata': `filename ${btoa('a.txt')}` }
    const bytes = { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
    const writer = bearer((await makeKey(ada, { scopes: ['WRITE'] })).key)
    const reader = bearer((await makeKey(ada, { scopes: ['READ', 'SHARE'] })).key)
    expect(await statusOf('/api/v1/uploads', { ...reader, ...tus }, { method: 'POST' })).toBe(403)
    const begun = await ask('/api/v1/uploads', { ...writer, ...tus }, { method: 'POST' })
    const at = String(begun.headers.get('location'))
    expect(await statusOf(at, { ...reader, ...bytes }, { method: 'PATCH', body: 'abcd' })).toBe(403)
    for (const method of ['HEAD', 'DELETE']) expect(await statusOf(at, { ...reader, ...tus }, { method })).toBe(403)
    expect((await ask(at, { ...writer, ...tus }, { method: 'HEAD' })).headers.get('upload-offset')).toBe('0')
    expect(await statusOf(at, { ...writer, ...bytes }, { method: 'PATCH', body: 'abcd' })).toBe(204)
  })
})

describe('a key that ends', () => {
  it('is refused at the very next request, fifty times out of fifty', async () => {
    for (let round = 0; round < 50; round += 1) {
      const { id, key } = await makeKey()
      expect(await statusOf('/api/v1/auth/validate', bearer(key))).toBe(403)
      const next =
        round % 2
          ? await server.services.keys.revoke(ada.viewer, id)
          : await server.services.keys.regenerate(ada.viewer, id)
      expect(await statusOf('/api/v1/auth/validate', bearer(key))).toBe(401)
      expect(await statusOf('/api/v1/auth/validate', bearer(next.key))).toBe(round % 2 ? 401 : 403)
    }
  })

  it('takes along within five seconds what it is sending, receiving or listening to; so does a session', {
    timeout: 30_000,
  }, async () => {
    const owner = await createUser(server.services.users)
    const id = await bigFile(owner)
    const fileId = publicId('File', id)
    const cookie = { cookie: `sid=${owner.token}` }
    const [revoked, anew, expired, kept] = await Promise.all([1, 2, 3, 4].map(() => makeKey(owner)))
    if (!revoked || !anew || !expired || !kept) throw new Error('Four keys have to be there.')
    const paths = [`/api/v1/files/${fileId}/download`, `/api/v1/files/archive?ids=${fileId}`]
    const doomed = [revoked, anew, expired].flatMap(({ key }) => paths.map((path) => download(path, bearer(key))))
    doomed.push(...paths.map((path) => download(path, cookie)), upload(bearer(revoked.key)))
    doomed.push(multipart(bearer(revoked.key)), multipart({ ...cookie, origin: server.ownUrl }))
    const lasting = paths.map((path) => download(path, bearer(kept.key)))
    const listening = listen(bearer(revoked.key))
    const uses = [...doomed, ...lasting]
    await Promise.all([...uses.map(({ begun }) => begun), listening.begun])

    const { keys, users } = server.services
    await keys.revoke(owner.viewer, revoked.id)
    await keys.regenerate(owner.viewer, anew.id)
    await server.pool.query(`update api_keys set expires_at = now() where id = $1`, [expired.id])
    await users.logout(owner.viewer)
    const since = performance.now()
    const ends = await Promise.all(doomed.map(({ ended }) => ended))
    const code = await listening.ended
    expect(performance.now() - since).toBeLessThan(5_500)
    expect(ends).toEqual(doomed.map(() => 'CUT'))
    expect(code).toBe('UNAUTHENTICATED')
    expect(await Promise.race([...lasting.map(({ ended }) => ended), sleep(50, 'GOES ON')])).toBe('GOES ON')
    for (const { stop } of uses) stop()
  })
})

const BIG = 48 * 1024 * 1024

async function bigFile({ viewer }: TestUser): Promise<string> {
  const bytes = randomBytes(1024 * 1024)
  const body = Readable.from(Array.from({ length: BIG / bytes.length }, () => bytes))
  return (await server.services.uploads.receive(viewer, { name: 'big.bin', size: BIG }, body)).id
}

type Use = { readonly begun: Promise<void>; readonly ended: Promise<'CUT' | 'COMPLETE'>; readonly stop: () => void }

/** Past a balancer, which would still send what it has received before the end. */
const askDirectly = (path: string, headers: Record<string, string>, init: RequestInit = {}) =>
  fetch(`${server.ownUrl}${path}`, { headers, ...init })

/** Takes a little at a time, so that it does not come to an end by itself. */
function download(path: string, headers: Record<string, string>): Use {
  const stopped = new AbortController()
  const response = askDirectly(path, headers, { signal: stopped.signal })
  const ended = response.then(async ({ body, status }) => {
    expect(status).toBe(200)
    const reader = body?.getReader()
    try {
      while (!(await reader?.read())?.done) await sleep(25)
      return 'COMPLETE'
    } catch {
      return 'CUT'
    }
  })
  return { begun: response.then(() => {}), ended, stop: () => stopped.abort() }
}

/** A tus upload. */
function upload(headers: Record<string, string>): Use {
  const tus = {
    'tus-resumable': '1.0.0',
    'upload-length': String(BIG),
    'upload-metadata': `filename ${btoa('up.bin')}`,
    'content-type': 'application/offset+octet-stream',
  }
  return sendSlowly('/api/v1/uploads', { ...headers, ...tus })
}

/** The same over GraphQL. */
function multipart(headers: Record<string, string>): Use {
  const query = 'mutation($input: UploadFileInput!) { uploadFile(input: $input) { __typename } }'
  const part = (name: string, content: string) =>
    `--slow\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${content}\r\n`
  const head = [
    part('operations', JSON.stringify({ query, variables: { input: { file: null } } })),
    part('map', '{"f":["variables.input.file"]}'),
    '--slow\r\ncontent-disposition: form-data; name="f"; filename="up.bin"\r\n\r\n',
  ]
  const type = { 'content-type': 'multipart/form-data; boundary=slow', 'graphql-require-preflight': '1' }
  return sendSlowly('/graphql', { ...headers, ...type }, head.join(''))
}

/** Sends a little now and then, and never ends by itself. */
function sendSlowly(path: string, headers: Record<string, string>, head = ''): Use {
  const stopped = new AbortController()
  let sent = () => {}
  const begun = new Promise<void>((resolve) => {
    sent = resolve
  })
  const body = new ReadableStream({
    start: (controller) => head === '' || controller.enqueue(new TextEncoder().encode(head)),
    async pull(controller) {
      await sleep(50)
      controller.enqueue(new Uint8Array(64))
      sent()
    },
  })
  const init = { method: 'POST', body, duplex: 'half', signal: stopped.signal } as RequestInit
  const ended = askDirectly(path, headers, init).then(
    () => 'COMPLETE' as const,
    () => 'CUT' as const,
  )
  return { begun, ended, stop: () => stopped.abort() }
}

/** A subscription to what never happens; ends with the code that it is told. */
function listen(headers: Record<string, string>) {
  const body = JSON.stringify({ query: 'subscription { filesChanged { removedIds } }' })
  const stream = { accept: 'text/event-stream', 'content-type': 'application/json' }
  const response = askDirectly('/graphql', { ...headers, ...stream }, { method: 'POST', body })
  const ended = response.then(async (answer) => /"code":"(\w+)"/.exec(await answer.text())?.[1])
  return { begun: response.then(() => {}), ended }
}

describe('the rate limit', () => {
  let limited: TestServer
  beforeAll(async () => {
    limited = await startTestServer({ rateLimit: 5 })
  })
  afterAll(() => limited?.close())

  it('is each key’s own, holds at every door, and is not for sessions', async () => {
    const user = await createUser(limited.services.users)
    const [one, two] = await Promise.all(
      [1, 2].map((name) => limited.services.keys.create(user.viewer, { name: `${name}` })),
    )
    const call = (path: string, headers: Record<string, string>) => fetch(`${limited.url}${path}`, { headers })
    const first = bearer(one?.key ?? '')
    for (let count = 0; count < 5; count += 1) expect((await call('/api/v1/files', first)).status).toBe(200)
    const query = '/graphql?query={__typename}'
    for (const path of ['/api/v1/files', query, '/avatars/x']) {
      const refused = await call(path, first)
      expect(refused.status, path).toBe(429)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      const answer = await refused.json()
      expect(answer.code ?? answer.errors[0].extensions.code).toBe('TOO_MANY_REQUESTS')
    }
    expect((await call('/api/v1/files', bearer(two?.key ?? ''))).status).toBe(200)
    const session = { cookie: `sid=${user.token}` }
    for (let count = 0; count < 20; count += 1) expect((await call('/api/v1/files', session)).status).toBe(200)
  })
})

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const { rows } = await server.pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const tables = await Promise.all(
    rows.map(({ name }) => server.pool.query(`select t::text as row, to_jsonb(t)::text as json from ${name} t`)),
  )
  return JSON.stringify(tables.map((table) => table.rows))
}

async function filesOf(folder: string): Promise<string> {
  let found = ''
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || readFileSync(path).length > 1024 * 1024) continue
    for await (const chunk of createReadStream(path)) found += chunk
  }
  return found
}

describe('the text of a key', () => {
  it('is nowhere in clear: not in the database, the log, the data folder or an answer to others', async () => {
    const { id, key } = await makeKey(ada, { scopes: ['READ'] })
    const anew = await server.services.keys.regenerate(ada.viewer, id)
    const client = createGraphqlClient(server.url, ada.token)
    const answers: string[] = []
    const keep = async (response: Promise<Response>) => {
      const answer = await response
      answers.push(JSON.stringify([...answer.headers]) + (await answer.text()))
    }
    for (const text of [key, anew.key]) {
      await keep(ask('/api/v1/files', bearer(text)))
      await keep(ask('/api/v1/keys', bearer(text)))
      await keep(ask('/api/v1/files/nothing', bearer(text)))
      await keep(ask('/api/v1/files?limit=x', bearer(text)))
      await keep(ask('/api/v1/files', { authorization: `Basic ${text}` }))
      await keep(
        ask('/graphql', { ...bearer(text), 'content-type': 'application/json' }, { method: 'POST', body: '{' }),
      )
    }
    await server.services.keys.revoke(ada.viewer, id)
    const list = await client('{ viewer { apiKeys { key } } }')
    expect(list.data.viewer.apiKeys.length).toBeGreaterThan(0)
    answers.push(JSON.stringify((await server.services.keys.getMany(ada.viewer, [id]))[0]))
    const places = {
      database: await dump(),
      log: server.logs.join(''),
      'data folder': await filesOf(server.dataDir),
      answers: answers.join(''),
    }
    for (const [place, text] of Object.entries(places)) {
      expect(text.length, place).toBeGreaterThan(10)
      for (const canary of [key, anew.key]) expect(text.includes(canary.slice(9, 39)), place).toBe(false)
    }
  })
})
