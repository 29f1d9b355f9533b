import { createClient } from 'graphql-sse'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addAndNotify, forgetChanges, raiseFloor } from '../../server/db/events.ts'
import { publicId } from '../../server/lib/ids.ts'
import { createUser, type TestUser } from '../factories/user.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

const LIVE = 'subscription($since: String) { changes(since: $since) { position reset files { files { id } } } }'
const LIST =
  'query($since: String, $first: Int) { changes(since: $since, first: $first) { position hasMore reset items { position kind fileIds accountIds truncated at } } }'

let server: TestServer
/** Another server on the same database and folder. */
let other: TestServer
let ada: TestUser

beforeAll(async () => {
  server = await startTestServer({}, { shared: true })
  other = await startTestServer({}, { beside: server })
})
beforeEach(async () => {
  ada = await createUser(server.services.users)
})
afterAll(async () => {
  await other?.close()
  await server?.close()
})

const folder = async (name: string, at: TestServer = server) => {
  const { id } = await at.services.files.createFolder(ada.viewer, { name, parentId: null })
  return publicId('File', id)
}
type Item = { position: string; kind: string; fileIds: string[]; truncated: boolean }
type List = { items: Item[]; position: string; hasMore: boolean; reset: boolean }

async function rest(since?: string, query = ''): Promise<List> {
  const url = `${server.url}/api/v1/changes?${since === undefined ? '' : `since=${since}`}${query}`
  const response = await fetch(url, { headers: { cookie: `sid=${ada.token}` } })
  expect(response.status).toBe(200)
  return (await response.json()) as List
}
const ask = (variables: object) => createGraphqlClient(server.url, ada.token)(LIST, { ...variables })
const filesIn = ({ items }: List) => items.flatMap(({ fileIds }) => fileIds)
/** Events are sent shortly after the change. */
const untilTold = (since: string, ids: readonly string[]) =>
  expect.poll(async () => filesIn(await rest(since)).toSorted()).toEqual(ids.toSorted())

describe('the list of changes', () => {
  it('names what changed since a position, in order, page by page, by REST and GraphQL', async () => {
    const { position, items } = await rest()
    expect(items).toEqual([])
    const ids: string[] = []
    for (const name of ['One', 'Two', 'Three']) {
      ids.push(await folder(name))
      await untilTold(position, ids)
    }
    // Changes of other kinds, such as the sign-in, may be between those of files.
    const all = await rest(position)
    expect([filesIn(all), all.hasMore, all.reset]).toEqual([ids, false, false])
    const first = await rest(position, '&limit=2')
    expect([first.items, first.hasMore, first.reset]).toEqual([all.items.slice(0, 2), true, false])
    const second = await rest(first.position, '&limit=2')
    expect(second.items).toEqual(all.items.slice(2, 4))
    expect(filesIn(await rest(all.position))).toEqual([])
    const { data } = await ask({ since: position, first: 2 })
    expect(data.changes).toMatchObject({ hasMore: true, reset: false, position: first.position })
    expect(data.changes.items.map(({ fileIds }: Item) => fileIds)).toEqual(first.items.map(({ fileIds }) => fileIds))
  })

  it('begins at the current position: with `now`, as the subscription, and without a position', async () => {
    await folder('Earlier')
    const { position } = await rest()
    const { data } = await ask({ since: 'now' })
    const start = { hasMore: false, items: [], reset: false }
    for (const each of [await rest('now'), data.changes, (await ask({ since: null })).data.changes]) {
      expect(each).toMatchObject(start)
      // Changes of other kinds, such as the sign-in, may follow.
      expect(Number(each.position)).toBeGreaterThanOrEqual(Number(position))
    }
    const typo = await fetch(`${server.url}/api/v1/changes?sicne=1`, { headers: { cookie: `sid=${ada.token}` } })
    expect(await typo.json()).toMatchObject({ status: 400, errors: [{ path: 'sicne', message: 'Unknown field.' }] })
  })

  it('holds nothing of anybody else', async () => {
    const { position } = await rest()
    const id = await folder('Mine')
    await untilTold(position, [id])
    const eve = await createUser(server.services.users)
    const { data } = await createGraphqlClient(server.url, eve.token)(LIST, { since: position })
    expect(data.changes.items.filter(({ kind }: Item) => kind === 'FILES')).toEqual([])
  })

  it.each(['x', '-1', '1e3', '99999999999999999999', '9999999999999999999'])(
    'refuses %s, which is no position',
    async (since) => {
      const { errors } = await ask({ since })
      expect(errors?.[0]?.extensions?.code).toBe('INVALID_INPUT')
      const url = `${server.url}/api/v1/changes?since=${since}`
      expect((await fetch(url, { headers: { cookie: `sid=${ada.token}` } })).status).toBe(400)
    },
  )

  it('asks for a new beginning where changes may be missing: after a crash, when too old, from another database', async () => {
    const { position } = await rest()
    const id = await folder('Before')
    await untilTold(position, [id])
    await raiseFloor(server.pool)
    const told = await rest(position)
    expect(told).toMatchObject({ items: [], reset: true })
    expect((await rest(told.position)).reset).toBe(false)
    const next = await folder('After')
    await untilTold(told.position, [next])
    expect((await rest(String(BigInt(told.position) + 1_000_000n))).reset).toBe(true)

    await server.pool.query(`update changes set at = now() - interval '8 days' where user_id = $1`, [ada.viewer.userId])
    await forgetChanges(server.pool)
    expect((await rest(told.position)).reset).toBe(true)
    const { rowCount } = await server.pool.query('select from changes where user_id = $1', [ada.viewer.userId])
    expect(rowCount).toBe(0)
  })

  it('misses nothing that commits while it is read, whoever sends it', async () => {
    let { position } = await rest()
    const { userId } = ada.viewer
    const seen: string[] = []
    const sent = Array.from({ length: 200 }, (_, index) => `00000000-0000-7000-8000-${String(index).padStart(12, '0')}`)
    const event = (id: string) => ({ fileIds: [id], removedIds: [], parentIds: [], truncated: false })
    const pools = [server.pool, other.pool]
    let isSending = true
    const sending = Promise.all(
      sent.map((id, index) =>
        addAndNotify(
          pools[index % 2] ?? server.pool,
          'without_listeners',
          [{ topic: 'filesChanged', userId, event: event(id) }],
          [],
        ),
      ),
    ).finally(() => {
      isSending = false
    })
    for (let last = false; ; ) {
      const page = await server.services.changes.since(ada.viewer, position, 7)
      expect(page.reset).toBe(false)
      position = page.position
      for (const change of page.changes) if (change.topic === 'filesChanged') seen.push(...change.event.fileIds)
      if (last && !page.hasMore) break
      last = !isSending
    }
    await sending
    expect(seen.toSorted()).toEqual(sent)
  })
})

describe('the live stream of changes', () => {
  it('misses none of 100 over reconnects, also to another server', async () => {
    const made: string[] = []
    const seen = new Set<string>()
    let since = 'now'
    const writing = { done: false }
    /** One connection, closed after a few messages. */
    const connection = async (at: TestServer, messages: number) => {
      const client = createClient({
        url: `${at.url}/graphql`,
        headers: { cookie: `sid=${ada.token}`, origin: at.url },
        retryAttempts: 0,
      })
      let count = 0
      for await (const { data } of client.iterate<{
        changes: { position: string; reset: boolean; files: { files: { id: string }[] } | null }
      }>({ query: LIVE, variables: { since } })) {
        expect(data?.changes.reset).toBe(false)
        since = data?.changes.position ?? since
        for (const { id } of data?.changes.files?.files ?? []) seen.add(id)
        count += 1
        if (count === messages || (writing.done && seen.size === made.length)) break
      }
      client.dispose()
    }
    await connection(server, 1)
    const writer = (async () => {
      for (let index = 0; index < 100; index += 1)
        made.push(await folder(`Folder ${index}`, index % 2 ? server : other))
      writing.done = true
    })()
    for (let index = 0; !writing.done || seen.size < made.length; index += 1) {
      await connection(index % 2 ? server : other, 1 + (index % 3))
    }
    await writer
    expect([...seen].toSorted()).toEqual(made.toSorted())
  })

  it('begins with what changed just before, for a page that was loaded shortly before it listens', async () => {
    const { position } = await rest()
    const before = await folder('Long ago')
    await untilTold(position, [before])
    await server.pool.query(`update changes set at = now() - interval '31 seconds' where user_id = $1`, [
      ada.viewer.userId,
    ])
    const id = await folder('Just now')
    await untilTold(position, [before, id])
    const client = createClient({
      url: `${server.url}/graphql`,
      headers: { cookie: `sid=${ada.token}`, origin: server.url },
    })
    const first = await client.iterate({ query: LIVE, variables: { since: 'recent' } }).next()
    expect(first.value?.data?.changes).toMatchObject({ reset: false, files: { files: [{ id }] } })
    client.dispose()
  })

  it('goes on behind the id of the last event, as browsers ask for it', async () => {
    const { position } = await rest()
    const id = await folder('While away')
    await untilTold(position, [id])
    const leaving = new AbortController()
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: {
        cookie: `sid=${ada.token}`,
        origin: server.url,
        accept: 'text/event-stream',
        'content-type': 'application/json',
        'last-event-id': position,
      },
      body: JSON.stringify({ query: LIVE }),
      signal: leaving.signal,
    })
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      if (text.includes('event: next')) break
    }
    leaving.abort()
    const [, told, data = ''] = /id: (\d+)\nevent: next\ndata: (.*)/.exec(text) ?? []
    expect(BigInt(told ?? 0)).toBeGreaterThan(BigInt(position))
    expect(JSON.parse(data).data.changes).toMatchObject({ position: told, files: { files: [{ id }] } })
  })

  it('says so when it cannot go on where a client was', async () => {
    const { position } = await rest()
    await raiseFloor(server.pool)
    const leaving = new AbortController()
    const stream = createGraphqlClient(server.url, ada.token).stream(LIVE, { since: position }, leaving.signal)
    const { value } = await stream.next()
    expect(value?.data.changes).toMatchObject({ reset: true, files: null })
    leaving.abort()
  })
})
