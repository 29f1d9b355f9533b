import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ActivityLog } from '../../server/domain/activity/contract.ts'
import { createShareLog } from '../../server/domain/shares/watch.ts'
import { parsePublicId } from '../../server/lib/ids.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { createOwner, createVisitor, eventually, type Owner, PASSWORD, SECRET, unknownShare } from './shares/world.ts'

/** Every route of a share in every state that it can be in. */
let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ trustProxy: true })
})
afterAll(() => server?.close())

/** What a link leads to: a file, a folder, and a file in it. */
type Target = { readonly file: string; readonly folder: string; readonly inner: string }
type Route = {
  readonly method: string
  readonly path: (target: Target) => string
  readonly headers?: Record<string, string>
  readonly body?: (target: Target) => unknown
}

const at =
  (rest: string, of: 'file' | 'folder' = 'file') =>
  (target: Target) =>
    `/api/v1/shares/${target[of]}${rest}`
const graphql = (query: string, of: 'file' | 'folder'): Route => ({
  method: 'POST',
  path: () => '/graphql',
  body: (target) => ({ query, variables: { id: target[of], password: PASSWORD } }),
})
const META =
  '{ __typename id: shareId needsPassword name kind category mimeType size sharedBy expiresAt downloadsLeft previews available }'

const REST: Readonly<Record<string, Route>> = {
  meta: { method: 'GET', path: at('') },
  'meta by HEAD': { method: 'HEAD', path: at('') },
  'meta of a folder': { method: 'GET', path: at('', 'folder') },
  download: { method: 'GET', path: at('/download') },
  'download by HEAD': { method: 'HEAD', path: at('/download') },
  'download of a range': { method: 'GET', path: at('/download'), headers: { range: 'bytes=2-5' } },
  'download in place': { method: 'GET', path: at('/download?disposition=inline') },
  'folder as ZIP': { method: 'GET', path: at('/download', 'folder') },
  'list of files': { method: 'GET', path: at('/files', 'folder') },
  'file in the folder': { method: 'GET', path: (t) => `/api/v1/shares/${t.folder}/files/${t.inner}/download` },
  'file in the folder, in place': {
    method: 'GET',
    path: (t) => `/api/v1/shares/${t.folder}/files/${t.inner}/download?disposition=inline`,
  },
}
const UNLOCK: Route = { method: 'POST', path: at('/unlock'), body: () => ({ password: PASSWORD }) }
const WRONG: Route = { method: 'POST', path: at('/unlock'), body: () => ({ password: 'wrong' }) }
const GRAPHQL: Readonly<Record<string, Route>> = {
  share: graphql(`query($id: ID!) { share(id: $id) ${META} }`, 'file'),
  files: graphql('query($id: ID!) { share(id: $id) { files { edges { node { name } } path { name } } } }', 'folder'),
  photos: graphql(
    'query($id: ID!) { share(id: $id) { photoMonths { month } files(order: TAKEN) { edges { node { name } } path { name } } } }',
    'folder',
  ),
  unlockShare: graphql(
    `mutation($id: ID!, $password: String!) { unlockShare(input: { id: $id, password: $password }) {
      __typename ... on Error { code message } ... on UnlockSharePayload { share ${META} } } }`,
    'file',
  ),
}
const EVERY: Readonly<Record<string, Route>> = { ...REST, unlock: UNLOCK, 'unlock, wrong': WRONG, ...GRAPHQL }

type Furnished = Target & {
  readonly owner: Owner
  readonly parent: string
  readonly fileId: string
  readonly folderId: string
}

async function furnish(settings: object = { password: PASSWORD }): Promise<Furnished> {
  const owner = await createOwner(server)
  const parent = await owner.folder('Parent')
  const fileId = await owner.upload('letter.txt', SECRET, parent)
  const folderId = await owner.folder('Trip', parent)
  const inner = await owner.upload('diary.txt', SECRET, folderId)
  const [file, folder] = [await owner.share(fileId, settings), await owner.share(folderId, settings)]
  return { owner, parent, fileId, folderId, inner, file, folder }
}

/** Somebody who gave the right passwords while both links were live. */
async function proven(target: Target) {
  const visitor = createVisitor(server)
  for (const id of [target.file, target.folder]) expect((await visitor.unlock(id)).status).toBe(200)
  return visitor
}

async function send(visitor: ReturnType<typeof createVisitor>, route: Route, target: Target) {
  const { method, path, headers, body } = route
  const answer = await visitor.ask(method, path(target), headers, body?.(target))
  const shown = [...answer.headers].filter(
    ([name]) => !['date', 'connection', 'keep-alive', 'x-request-id'].includes(name),
  )
  return { status: answer.status, headers: shown, body: answer.body }
}

const rowOf = (id: string) => parsePublicId(id)?.id
const sql = (text: string, ...values: unknown[]) => server.pool.query(text, values)
const both = ({ file, folder }: Target) => [[file, folder].map(rowOf)]
const mine = (owner: Owner, method: string, path: string, body?: unknown) => owner.browser.request(method, path, body)
const trash = async (owner: Owner, ids: string[]) => {
  for (const id of ids) expect((await mine(owner, 'DELETE', `/api/v1/files/${id}`)).status).toBe(204)
}

/** Ways in which both links of a target come to their end. */
const ENDS: Readonly<Record<string, (world: Furnished) => Promise<unknown>>> = {
  expired: (world) =>
    sql(`update shares set expires_at = now() - interval '1 second' where id = any($1)`, ...both(world)),
  'used up': (world) => sql('update shares set max_downloads = 1, downloads = 1 where id = any($1)', ...both(world)),
  revoked: async ({ owner, file, folder }) => {
    for (const id of [file, folder]) expect((await mine(owner, 'DELETE', `/api/v1/shares/${id}`)).status).toBe(204)
  },
  'of a file in the trash': ({ owner, fileId, folderId }) => trash(owner, [fileId, folderId]),
  'below a folder in the trash': ({ owner, parent }) => trash(owner, [parent]),
  'of a file deleted for good': async ({ owner, fileId, folderId }) => {
    for (const id of [fileId, folderId]) await mine(owner, 'DELETE', `/api/v1/files/${id}?permanent=true`)
  },
  'below a folder deleted for good': ({ owner, parent }) =>
    mine(owner, 'DELETE', `/api/v1/files/${parent}?permanent=true`),
  'of an owner who deleted themselves': ({ owner }) =>
    sql('update users set deleted_at = now() where id = $1', owner.viewer.userId),
}

describe('without a password that was proved', () => {
  const told = { id: expect.any(String), needsPassword: true }
  const nothing = {
    name: null,
    kind: null,
    category: null,
    mimeType: null,
    size: null,
    sharedBy: null,
    expiresAt: null,
    downloadsLeft: null,
    previews: null,
    available: null,
  }

  it.each(['no cookie', 'a made-up cookie', 'the cookie of another link'])('%s: no byte and no name', async (which) => {
    const world = await furnish()
    const visitor = createVisitor(server)
    const other = which === 'the cookie of another link' ? await proven(await furnish()) : null
    const signature = other?.cookie.split('=')[1]?.split(';')[0] ?? `${10 ** 10}.${'A'.repeat(43)}`
    const forged = [world.file, world.folder].map((id) => `skypool_share_${id.slice(6, 22)}=${signature}`).join('; ')
    const cookie = which === 'no cookie' ? {} : { cookie: forged }
    for (const [name, route] of Object.entries({ ...REST, ...GRAPHQL })) {
      if (name === 'unlockShare') continue
      const { status, body } = await send(visitor, { ...route, headers: { ...route.headers, ...cookie } }, world)
      const text = JSON.stringify(body)
      expect(text, name).not.toMatch(/letter|diary|Trip|Ada|nobody sees|text\/plain/)
      if (name === 'share')
        expect(body).toEqual({ data: { share: { __typename: 'PublicShare', ...told, ...nothing } } })
      else if (name === 'files') expect(body).toEqual({ data: { share: { files: null } } })
      else if (name === 'photos') expect(body).toEqual({ data: { share: { photoMonths: null, files: null } } })
      else if (name === 'meta by HEAD') expect(status).toBe(200)
      else if (name.startsWith('meta')) expect([status, body]).toEqual([200, { needsPassword: true }])
      else
        expect([status, name.includes('HEAD') ? 'PASSWORD_REQUIRED' : body.code], name).toEqual([
          401,
          'PASSWORD_REQUIRED',
        ])
    }
  })

  it('a wrong one is refused and proves nothing', async () => {
    const world = await furnish()
    const visitor = createVisitor(server)
    const wrong = await visitor.unlock(world.file, 'wrong')
    expect([wrong.status, wrong.body.code, wrong.headers.get('set-cookie')]).toEqual([403, 'WRONG_PASSWORD', null])
    const { body } = await send(
      visitor,
      {
        ...GRAPHQL.unlockShare,
        ...graphql(
          `mutation($id: ID!) { unlockShare(input: { id: $id, password: "wrong" }) { __typename ... on Error { code } } }`,
          'file',
        ),
      },
      world,
    )
    expect(body.data.unlockShare).toEqual({ __typename: 'WrongPasswordError', code: 'WRONG_PASSWORD' })
    expect((await visitor.ask('GET', `/api/v1/shares/${world.file}/download`)).status).toBe(401)
  })
})

it('with the right one every route answers, with nothing that visitors must not know', async () => {
  const world = await furnish()
  const visitor = await proven(world)
  const answers = new Map<string, Awaited<ReturnType<typeof send>>>()
  for (const [name, route] of Object.entries(EVERY)) answers.set(name, await send(visitor, route, world))
  const of = (name: string) => answers.get(name) as Awaited<ReturnType<typeof send>>
  const meta = {
    needsPassword: false,
    id: world.file,
    name: 'letter.txt',
    kind: 'FILE',
    category: 'TEXT',
    mimeType: 'text/plain',
    size: SECRET.length,
    sharedBy: 'Ada',
    expiresAt: null,
    downloadsLeft: null,
    previews: true,
    available: true,
  }
  expect(of('meta').body).toEqual({ ...meta, hasThumbnail: true })
  expect(of('unlock').body).toEqual({ ...meta, hasThumbnail: true })
  expect(of('share').body.data.share).toEqual({ __typename: 'PublicShare', ...meta })
  expect(of('unlockShare').body.data.unlockShare.share).toEqual({ __typename: 'PublicShare', ...meta })
  expect(of('meta of a folder').body).toMatchObject({ name: 'Trip', kind: 'FOLDER', available: true })
  const diary = {
    id: world.inner,
    name: 'diary.txt',
    kind: 'FILE',
    category: 'TEXT',
    mimeType: 'text/plain',
    size: SECRET.length,
    childCount: null,
    durationMs: null,
    hasThumbnail: true,
  }
  expect(of('list of files').body).toEqual({ items: [diary], nextCursor: null, path: [] })
  expect(of('files').body.data.share.files).toEqual({ edges: [{ node: { name: 'diary.txt' } }], path: [] })
  expect(of('photos').body.data.share).toEqual({ photoMonths: [], files: { edges: [], path: [] } })
  for (const name of ['download', 'download in place', 'file in the folder', 'file in the folder, in place']) {
    expect([of(name).status, of(name).body], name).toEqual([200, SECRET])
  }
  expect([of('download of a range').status, of('download of a range').body]).toEqual([206, SECRET.slice(2, 6)])
  expect([of('download by HEAD').status, of('download by HEAD').body]).toEqual([200, ''])
  expect(of('folder as ZIP').body).toContain('diary.txt')
  const all = JSON.stringify([...answers.values()])
  const sha256 = (await world.owner.look(world.fileId)).sha256
  for (const hidden of [
    sha256,
    world.owner.email,
    'Lovelace',
    world.owner.viewer.userId,
    'This server',
    '"state"',
    'copies',
    world.parent,
  ]) {
    expect(all).not.toContain(hidden)
  }
  for (const [name, { headers }] of answers) {
    const held = Object.fromEntries(headers)
    expect(held['cache-control'], name).toContain('no-store')
    if (!(name in GRAPHQL)) expect(held['x-robots-tag'], name).toBe('noindex, nofollow')
  }
})

describe.each(Object.entries(ENDS))('%s', (_name, end) => {
  it('looks as if it had never been, on every route and with every proof', async () => {
    const world = await furnish()
    const visitor = await proven(world)
    await end(world)
    const never = { ...world, file: unknownShare(), folder: unknownShare() }
    for (const [name, route] of Object.entries(EVERY)) {
      const expected = await send(createVisitor(server), route, never)
      expect(await send(visitor, route, world), name).toEqual(expected)
      expect(await send(createVisitor(server), route, world), name).toEqual(expected)
      if (name in GRAPHQL) expect(JSON.stringify(expected.body)).toMatch(/"share":null|NotFoundError/)
      else expect(expected.status, name).toBe(404)
    }
  })
})

it('what is no id of a share looks the same as an unknown one', async () => {
  const world = await furnish()
  const wrong = [
    'share_',
    'x',
    '..%2f',
    world.fileId,
    `share_${'A'.repeat(32)}`,
    `${world.file}0`,
    world.file.slice(0, -1),
    "share_'--",
    '%00',
  ]
  // A balancer has answers of its own to some of them.
  const visitor = () => createVisitor({ ...server, url: server.ownUrl })
  for (const [name, route] of Object.entries(EVERY)) {
    const expected = await send(visitor(), route, {
      ...world,
      file: unknownShare(),
      folder: unknownShare(),
    })
    for (const id of wrong)
      expect(await send(visitor(), route, { ...world, file: id, folder: id }), `${name} ${id}`).toEqual(expected)
  }
})

it('while no copy can be read: says so, names no account, and its owner is told once', async () => {
  const world = await furnish({})
  await sql(
    `update accounts set status = 'EXPIRED', status_reason = 'gone', name = 'Hidden Drive' where user_id = $1`,
    world.owner.viewer.userId,
  )
  const visitor = createVisitor(server)
  for (const [name, route] of Object.entries(REST)) {
    const { status, body } = await send(visitor, route, world)
    expect(JSON.stringify(body), name).not.toMatch(/Hidden|nobody sees|reconnect|connected again/)
    if (name === 'meta') expect(body).toMatchObject({ available: false, name: 'letter.txt' })
    else if (/^meta|list|ZIP/.test(name)) expect(status, name).toBe(200)
    else if (name.includes('HEAD')) expect(status, name).toBe(503)
    else
      expect([status, body.code, body.detail], name).toEqual([
        503,
        'CONTENT_UNAVAILABLE',
        expect.stringContaining('temporarily unavailable'),
      ])
  }
  const told = async () =>
    (
      await sql(
        `select subject_name from activities where user_id = $1 and action = 'SHARE_UNAVAILABLE' order by 1`,
        world.owner.viewer.userId,
      )
    ).rows
  const once = [{ subject_name: 'Trip' }, { subject_name: 'letter.txt' }]
  expect(await eventually(told, (rows) => rows.length === 2)).toEqual(once)
})

it('of several servers that find at the same moment that no copy can be read, one tells the owner', async () => {
  const { owner, file, fileId } = await furnish({})
  const asked: Promise<unknown>[] = []
  const told: unknown[] = []
  const pool = {
    query: (text: string, values: unknown[]) => {
      const answer = server.pool.query(text, values)
      asked.push(answer)
      return answer
    },
  } as typeof server.pool
  const activity = { record: (...entry: unknown[]) => told.push(entry) } as unknown as ActivityLog
  const logs = Array.from({ length: 3 }, () => createShareLog({ pool, activity, onError: (error) => told.push(error) }))
  const { userId } = owner.viewer
  for (const log of logs) log.unavailable({ id: rowOf(file) ?? '', userId, file: { id: fileId, name: 'letter.txt' } })
  await Promise.all(asked)
  await eventually(
    async () => told,
    (entries) => entries.length > 0,
  )
  expect(told).toEqual([[{ kind: 'SYSTEM', userId }, expect.objectContaining({ action: 'SHARE_UNAVAILABLE' })]])
})

it('an inner file that is not below the folder is not there, whoever owns it', async () => {
  const world = await furnish({})
  const outside = [world.fileId, world.parent, unknownShare(), (await furnish({})).inner]
  for (const inner of outside) {
    const answer = await send(createVisitor(server), REST['file in the folder'] as Route, { ...world, inner })
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND'])
    const listed = await createVisitor(server).ask('GET', `/api/v1/shares/${world.folder}/files?folderId=${inner}`)
    expect(listed.status).toBe(404)
  }
})

it('a session or a key of anybody changes nothing', async () => {
  const world = await furnish()
  for (const headers of [{ cookie: `sid=${world.owner.token}` }, { authorization: 'Bearer nonsense' }]) {
    const meta = await createVisitor(server).ask('GET', `/api/v1/shares/${world.file}`, headers)
    expect([meta.status, meta.body]).toEqual([200, { needsPassword: true }])
    expect((await createVisitor(server).ask('GET', `/api/v1/shares/${world.file}/download`, headers)).status).toBe(401)
  }
})
