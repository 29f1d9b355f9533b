import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TooManyRequestsError } from '../../server/domain/errors.ts'
import { createRate } from '../../server/domain/keys/service.ts'
import { publicId } from '../../server/lib/ids.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

const FRIEND = 'https://app.example.org'
const STRANGER = 'https://evil.example'

let listed: TestServer
let open: TestServer
let closed: TestServer
beforeAll(async () => {
  listed = await startTestServer({ corsOrigins: new Set([FRIEND]) })
  open = await startTestServer({ corsOrigins: new Set(['*']) })
  closed = await startTestServer()
})
afterAll(async () => {
  await listed?.close()
  await open?.close()
  await closed?.close()
})

type Headers = Record<string, string>

/** A new user of the server, with a key that may do all. */
async function newUser(server: TestServer): Promise<TestUser & { readonly key: Headers }> {
  const user = await createUser(server.services.users)
  const { key } = await server.services.keys.create(user.viewer, { name: 'A program' })
  return { ...user, key: { authorization: `Bearer ${key}` } }
}

const cors = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('access-control')))

const preflight = (server: TestServer, origin: string, path: string, method: string, names: string) =>
  fetch(server.url + path, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': names },
  })

describe('pages of other sites', () => {
  const PATHS = [
    ['POST', '/api/v1/files/folders', '{"name":"From elsewhere"}', 201],
    ['POST', '/graphql', '{"query":"{ viewer { id } }"}', 200],
    ['GET', '/api/v1/files', undefined, 200],
  ] as const

  it.each(PATHS)('may %s %s with a key where CORS_ORIGINS allows', async (method, path, body, status) => {
    for (const [server, origin] of [
      [listed, FRIEND],
      [open, STRANGER],
      [open, 'null'],
    ] as const) {
      const { key } = await newUser(server)
      const asked = await preflight(server, origin, path, method, 'authorization,content-type')
      const allowed = server === open ? '*' : origin
      expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, allowed])
      expect(asked.headers.get('access-control-allow-methods')).toContain(method)
      expect(asked.headers.get('access-control-allow-headers')).toContain('Authorization')
      const answer = await fetch(server.url + path, {
        method,
        headers: { ...key, origin, 'content-type': 'application/json' },
        ...(body && { body }),
      })
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, allowed])
      expect(answer.headers.get('access-control-expose-headers')).toContain('Upload-Offset')
      expect(answer.headers.get('vary')).toContain('Origin')
      expect(cors(answer)).not.toHaveProperty('access-control-allow-credentials')
    }
  })

  it('are not let in by a browser where it does not', async () => {
    for (const [server, origin] of [
      [closed, FRIEND],
      [listed, STRANGER],
      [listed, 'null'],
      [listed, `${FRIEND}.evil.example`],
    ] as const) {
      for (const [method, path] of PATHS) {
        expect(cors(await preflight(server, origin, path, method, 'authorization'))).toEqual({})
        expect(cors(await fetch(server.url + path, { headers: { origin } }))).toEqual({})
      }
    }
  })

  it('may read why a key is refused', async () => {
    const answer = await fetch(`${open.url}/api/v1/files`, {
      headers: { origin: STRANGER, authorization: 'Bearer sky_live_x' },
    })
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([401, '*'])
  })

  it('may read nothing without a key where all are allowed, not even what is public', async () => {
    expect(cors(await preflight(open, STRANGER, '/graphql', 'POST', 'content-type'))).toEqual({})
    expect(cors(await fetch(`${open.url}/api/v1/shares/share_x`, { headers: { origin: STRANGER } }))).toEqual({})
  })

  it('cannot use cookies, whatever they ask and wherever they are', async () => {
    for (const server of [listed, open, closed]) {
      const { token } = await createUser(server.services.users)
      for (const origin of [FRIEND, STRANGER]) {
        const headers = { origin, cookie: `sid=${token}`, 'content-type': 'application/json' }
        expect((await fetch(`${server.url}/api/v1/auth/me`, { headers })).status).toBe(401)
        const posted = await fetch(`${server.url}/api/v1/files/folders`, {
          method: 'POST',
          headers,
          body: '{"name":"x"}',
        })
        expect([posted.status, (await posted.json()).code]).toEqual([403, 'FOREIGN_ORIGIN'])
        const query = new URLSearchParams({ query: '{ viewer { id } }' })
        const got = await fetch(`${server.url}/graphql?${query}`, { headers })
        expect(await got.json()).toEqual({ data: { viewer: null } })
      }
    }
  })
})

it('a key counts from any Origin for clients that are no browsers', async () => {
  const { key } = await newUser(closed)
  const headers = { ...key, origin: 'capacitor://localhost', 'content-type': 'application/json' }
  const made = await fetch(`${closed.url}/api/v1/files/folders`, { method: 'POST', headers, body: '{"name":"Notes"}' })
  expect([made.status, cors(made)]).toEqual([201, {}])
  const basic = { ...headers, authorization: 'Basic eDp5' }
  const refused = await fetch(`${closed.url}/api/v1/files/folders`, { method: 'POST', headers: basic, body: '{}' })
  expect([refused.status, (await refused.json()).code]).toEqual([403, 'FOREIGN_ORIGIN'])
})

describe('a GraphQL multipart request', () => {
  const UPLOAD = `mutation($input: UploadFileInput!) { uploadFile(input: $input) {
    ... on UploadFilePayload { file { name } } ... on Error { code message } } }`
  const upload = (headers: Headers) => {
    const body = new FormData()
    body.set('operations', JSON.stringify({ query: UPLOAD, variables: { input: { file: null } } }))
    body.set('map', '{"0":["variables.input.file"]}')
    body.set('0', new File(['1'], 'a.txt', { type: 'text/plain' }))
    return fetch(`${closed.url}/graphql`, { method: 'POST', headers, body })
  }

  it('needs no preflight header with a key', async () => {
    const { key } = await newUser(closed)
    expect(await (await upload(key)).json()).toEqual({ data: { uploadFile: { file: { name: 'a.txt' } } } })
  })

  it('needs one with a session, as ours or as Apollo’s', async () => {
    const { token } = await createUser(closed.services.users)
    const session = { origin: closed.url, cookie: `sid=${token}` }
    expect((await upload(session)).status).toBe(403)
    for (const name of ['GraphQL-Require-Preflight', 'Apollo-Require-Preflight', 'X-Apollo-Operation-Name']) {
      expect((await upload({ ...session, [name]: 'x' })).status, name).toBe(200)
    }
  })
})

describe('an Accept that names multipart/mixed', () => {
  const ACCEPTS = [
    'multipart/mixed',
    'multipart/mixed;deferSpec=20220824, application/json',
    'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json',
    'text/event-stream',
    'application/graphql-response+json, multipart/mixed, text/event-stream',
    '*/*',
  ]

  it.each(ACCEPTS)('is answered whole: %s', async (accept) => {
    for (const query of ['{ viewer { id } }', '{ nothing }', '{']) {
      const answer = await fetch(`${closed.url}/graphql`, {
        method: 'POST',
        headers: { accept, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      })
      expect(await answer.text()).toMatch(/"(data|errors)":/)
    }
  })

  it.each(ACCEPTS)('never gets a length beside chunks: %s', async (accept) => {
    const body = '{"query":"{ viewer { id } }"}'
    const head = [
      'POST /graphql HTTP/1.1',
      `Host: ${new URL(closed.url).host}`,
      `Accept: ${accept}`,
      'Content-Type: application/json',
    ]
    const answer = await exchange([...head, `Content-Length: ${body.length}`, 'Connection: close', '', body])
    const names = answer.split('\r\n\r\n')[0]?.toLowerCase() ?? ''
    expect(names).toMatch(/^http\/1\.1 200 /)
    expect([names.includes('content-length:'), names.includes('transfer-encoding:')].filter(Boolean)).toHaveLength(1)
    expect(names.match(/\r\nconnection:/g)).toHaveLength(1)
  })

  /** One request as it stands; all that comes until the server closes. */
  function exchange(lines: readonly string[]): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(Number(new URL(closed.url).port), '127.0.0.1')
      let text = ''
      socket.on('data', (chunk) => (text += chunk))
      socket.on('error', reject)
      socket.on('close', () => resolve(text))
      socket.write(lines.join('\r\n'))
    })
  }
})

describe('an Accept that takes no answer of ours', () => {
  const post = async (key: Headers, accept: string, query: string, variables = {}) => {
    const headers = { ...key, accept, 'content-type': 'application/json' }
    const answer = await fetch(`${closed.url}/graphql`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ query, variables }),
    })
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
  }
  const CREATE = 'mutation ($input: CreateFolderInput!) { createFolder(input: $input) { __typename } }'
  const refused = (text: string) => expect(JSON.parse(text).errors[0].extensions.code).toBe('NOT_ACCEPTABLE')

  it.each(['text/html', 'application/xml, image/*', 'application/json;charset=iso-8859-1', 'nonsense'])(
    'is refused before the operation is done: %s',
    async (accept) => {
      const { key } = await newUser(closed)
      const { status, type, text } = await post(key, accept, CREATE, { input: { name: 'Not asked for' } })
      expect([status, type]).toEqual([406, 'application/json; charset=utf-8'])
      refused(text)
      const listed = await fetch(`${closed.url}/api/v1/files`, { headers: key })
      expect((await listed.json()).items).toEqual([])
    },
  )

  it.each(['application/json', 'multipart/mixed;boundary=graphql;subscriptionSpec=1.0,application/json;q=0.9'])(
    'says what a subscription is answered as: %s',
    async (accept) => {
      const { key } = await newUser(closed)
      // One more than a user may have open: none of them stays open.
      for (let count = 0; count < 6; count++) {
        const { status, text } = await post(key, accept, 'subscription { changes(since: "now") { position } }')
        expect(status).toBe(406)
        expect(text).toContain('text/event-stream')
        refused(text)
      }
    },
  )

  it.each(['', '*/*', 'application/*', 'text/html, */*;q=0.1', 'Application/JSON ; charset=UTF-8'])(
    'is none of these: %s',
    async (accept) => {
      const { key } = await newUser(closed)
      expect((await post(key, accept, '{ viewer { id } }')).status).toBe(200)
    },
  )
})

it('an automatic persisted query is answered so that its client sends the text', async () => {
  const { key } = await newUser(closed)
  const headers = { ...key, 'content-type': 'application/json' }
  const query = '{ viewer { __typename } }'
  const hash = Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(query))).toString('hex')
  const extensions = { persistedQuery: { version: 1, sha256Hash: hash } }
  const ask = async (body: object) => {
    const answer = await fetch(`${closed.url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: answer.status, ...(await answer.json()) }
  }
  expect(await ask({ extensions })).toMatchObject({
    status: 200,
    errors: [{ message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } }],
  })
  expect(await ask({ query, extensions })).toMatchObject({ status: 200, data: { viewer: { __typename: 'User' } } })
  const address = new URLSearchParams({ extensions: JSON.stringify(extensions) })
  const got = await fetch(`${closed.url}/graphql?${address}`, { headers: key })
  expect((await got.json()).errors[0].message).toBe('PersistedQueryNotSupported')
})

it('the rate of a key is counted in seconds of the right number', () => {
  const rate = createRate(60, () => 0)
  const message = () => {
    try {
      for (;;) rate.take('key')
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(message()).toBe('This API key has made too many requests. Please try again in 1 second.')
  expect(new TooManyRequestsError(2).message).toBe('Too many attempts. Please try again in 2 seconds.')
})

it('every id names one type, so that clients may keep what they read by it', async () => {
  const { viewer, key } = await newUser(closed)
  const { files, shares } = closed.services
  const folder = await files.createFolder(viewer, { name: 'Shared', parentId: null })
  const inner = await files.createFolder(viewer, { name: 'Inner', parentId: folder.id })
  await files.createFolder(viewer, { name: 'Innermost', parentId: inner.id })
  const { id } = await shares.create(viewer, { fileId: folder.id })
  const ask = async (query: string, variables: object) => {
    const headers = { ...key, 'content-type': 'application/json' }
    const body = JSON.stringify({ query, variables })
    return (await fetch(`${closed.url}/graphql`, { method: 'POST', headers, body })).json()
  }
  const shareId = publicId('Share', id)
  const folderId = publicId('File', inner.id)
  const both = await ask(
    `query ($id: ID!, $folderId: ID!) {
      node(id: $id) { __typename id ... on Share { file { __typename id } } }
      folder: node(id: $folderId) { __typename id }
      share(id: $id) {
        __typename id shareId
        top: files { edges { node { __typename id fileId } } }
        files(folderId: $folderId) { path { __typename id fileId } edges { node { __typename id fileId } } }
      }
    }`,
    { id: shareId, folderId },
  )
  const types = new Map<string, string>()
  JSON.stringify(both.data, (_key, value) => {
    if (typeof value?.id === 'string') {
      expect(types.get(value.id) ?? value.__typename, value.id).toBe(value.__typename)
      types.set(value.id, value.__typename)
    }
    return value
  })
  expect([...new Set(types.values())].sort()).toEqual(['File', 'PublicShare', 'Share', 'SharedFile', 'SharedFolder'])
  const { share } = both.data
  expect(share).toMatchObject({ shareId, files: { path: [{ fileId: folderId }] } })
  // Whatever an old client kept, and whatever a new one has: all doors take both.
  const again = await ask(
    'query($id: ID!, $folderId: ID!) { share(id: $id) { files(folderId: $folderId) { edges { node { id } } } } }',
    {
      id: share.id,
      folderId: share.top.edges[0].node.id,
    },
  )
  expect(again.data.share.files.edges).toHaveLength(1)
  const url = `${closed.url}/api/v1/shares/${share.id}/files?folderId=${share.files.path[0].id}`
  expect((await (await fetch(url)).json()).items).toHaveLength(1)
  expect(await ask('query($id: ID!) { node(id: $id) { id } }', { id: share.id })).toEqual({ data: { node: null } })
})

it('a body that is missing is said without a path', async () => {
  const { key } = await newUser(closed)
  for (const path of ['/api/v1/files/folders', '/api/v1/shares', '/api/v1/auth/login']) {
    const headers: Headers = path.endsWith('login') ? {} : key
    const answer = await fetch(closed.url + path, { method: 'POST', headers })
    const { status, detail } = await answer.json()
    expect([status, detail], path).toEqual([400, expect.stringMatching(/^[A-Z]/)])
  }
})
