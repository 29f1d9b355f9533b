import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parsePublicId } from '../../server/lib/ids.ts'
import { FLEET } from '../setup/fleet.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { createOwner, createVisitor, eventually, newAddress, type Owner, PASSWORD } from './shares/world.ts'

/** Downloads of links: counted, limited, cut off; and what is slowed down. */
let server: TestServer
let owner: Owner
/** More than what the sockets of both sides hold between them. */
const LARGE = randomBytes(40 * 1024 * 1024)

beforeAll(async () => {
  server = await startTestServer({ trustProxy: true, acceptAnyType: true, localQuotaBytes: null })
  owner = await createOwner(server)
})
afterAll(() => server?.close())

const downloadsOf = async (shareId: string) => {
  const { rows } = await server.pool.query('select downloads, cut_part, ended_at from shares where id = $1', [
    parsePublicId(shareId)?.id,
  ])
  return rows[0] as { downloads: number; cut_part: number; ended_at: Date | null }
}
const claimsOf = async (shareId: string) =>
  (await server.pool.query('select from share_claims where share_id = $1', [parsePublicId(shareId)?.id])).rowCount
const pathOf = (shareId: string) => `/api/v1/shares/${shareId}/download`
let large: Promise<string> | undefined
const shareLarge = async (settings: object) => {
  large ??= owner.upload('large.bin', LARGE)
  return owner.share(await large, settings)
}

/** A download that stops reading after the first bytes, on a socket of its own. */
async function begin(path: string): Promise<Socket> {
  // Past a balancer, which would still send what it has received before the end.
  const { port } = new URL(server.ownUrl)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => undefined)
  const head = [`GET ${path} HTTP/1.1`, 'host: x', `x-forwarded-for: ${newAddress()}`]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const first = await new Promise<Buffer>((resolve) => socket.once('data', resolve))
  socket.pause()
  expect(first.toString('latin1', 0, 12)).toMatch(/HTTP\/1.1 20[06]/)
  return socket
}

const get = (shareId: string, headers: Record<string, string> = {}) =>
  createVisitor(server).send('GET', pathOf(shareId), headers)
const whole = async (answer: Response) => Buffer.from(await answer.arrayBuffer())

describe('without a limit', () => {
  it('counts what was sent to its last byte, once, and nothing else', async () => {
    const id = await owner.share(await owner.upload('notes.txt', 'one two three'), {})
    await (await get(id)).text()
    expect(
      (
        await eventually(
          () => downloadsOf(id),
          ({ downloads }) => downloads === 1,
        )
      ).downloads,
    ).toBe(1)
    await (await get(id, { range: 'bytes=0-3' })).text()
    await createVisitor(server).send('HEAD', pathOf(id))
    const etag = (await get(id)).headers.get('etag') ?? ''
    expect((await get(id, { 'if-none-match': etag })).status).toBe(304)
    expect((await get(id, { range: 'bytes=99-' })).status).toBe(416)
    await (await get(id, { range: 'bytes=4-' })).text()
    expect(
      (
        await eventually(
          () => downloadsOf(id),
          ({ downloads }) => downloads === 3,
        )
      ).downloads,
    ).toBe(3)
  })

  it('counts nothing that was only shown, as a player reads it', async () => {
    const id = await owner.share(await owner.upload('shown.png', 'no picture', undefined, 'image/png'), {})
    const shown = (headers: Record<string, string> = {}) =>
      createVisitor(server).send('GET', `${pathOf(id)}?disposition=inline`, headers)
    for (const range of ['bytes=0-', 'bytes=5-', 'bytes=-1'])
      expect((await whole(await shown({ range }))).length).toBeGreaterThan(0)
    expect((await shown()).headers.get('content-disposition')).toMatch(/^inline/)
    await (await get(id)).text()
    const counted = await eventually(
      () => downloadsOf(id),
      ({ downloads }) => downloads > 0,
    )
    expect(counted.downloads).toBe(1)
  })

  it('tells nothing by its ETag about other files, and takes it back in If-Range', async () => {
    const fileId = await owner.upload('same.txt', 'the same bytes')
    const [one, two] = [await owner.share(fileId, {}), await owner.share(fileId, {})]
    const [first, second] = [await get(one), await get(two)].map((answer) => answer.headers.get('etag') ?? '')
    expect(first).not.toBe(second)
    const part = await get(one, { range: 'bytes=4-7', 'if-range': first ?? '' })
    expect([part.status, await part.text()]).toEqual([206, 'same'])
    expect((await get(one, { range: 'bytes=4-7', 'if-range': second ?? '' })).status).toBe(200)
  })
})

describe('with a limit', () => {
  it('lets so many out and no more, however many ask at once', async () => {
    const id = await owner.share(await owner.upload('rare.txt', 'x'.repeat(1000)), { maxDownloads: 3 })
    const answers = await Promise.all(Array.from({ length: 30 }, async () => (await get(id)).status))
    const given = answers.filter((status) => status === 200).length
    expect(given).toBeLessThanOrEqual(3)
    expect(answers.every((status) => [200, 409, 404].includes(status))).toBe(true)
    await eventually(
      () => claimsOf(id),
      (claims) => claims === 0,
    )
    while ((await get(id)).status === 200)
      await eventually(
        () => claimsOf(id),
        (claims) => claims === 0,
      )
    const ended = await eventually(
      () => downloadsOf(id),
      ({ ended_at: endedAt }) => endedAt !== null,
    )
    expect(ended.downloads).toBe(3)
    expect((await get(id)).status).toBe(404)
    expect((await owner.browser.request('GET', '/api/v1/shares')).body.items).toContainEqual(
      expect.objectContaining({ id, state: 'USED_UP', downloads: 3 }),
    )
  })

  it('holds a download that is under way, and gives it back when it is cut', async () => {
    const id = await shareLarge({ maxDownloads: 1 })
    const socket = await begin(pathOf(id))
    const refused = await get(id)
    expect([refused.status, (await refused.json()).code]).toEqual([409, 'CONFLICT'])
    socket.destroy()
    await eventually(
      () => claimsOf(id),
      (claims) => claims === 0,
    )
    expect(await downloadsOf(id)).toMatchObject({ downloads: 0, ended_at: null })
    expect((await downloadsOf(id)).cut_part).toBeGreaterThan(0)
    expect((await whole(await get(id))).equals(LARGE)).toBe(true)
    await eventually(
      () => downloadsOf(id),
      ({ downloads }) => downloads === 1,
    )
    expect((await get(id)).status).toBe(404)
  })

  it('counts nothing of a download that waited behind another one on a connection that was cut, and gives it back', async () => {
    const [first, second] = [
      await shareLarge({}),
      await owner.share(await owner.upload('next.txt', 'n'.repeat(1000)), { maxDownloads: 1 }),
    ]
    const { port } = new URL(server.ownUrl)
    const socket = connect(Number(port), '127.0.0.1')
    const ask = (id: string) => `GET ${pathOf(id)} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${newAddress()}\r\n\r\n`
    socket.write(ask(first) + ask(second))
    await new Promise((resolve) => socket.once('data', resolve))
    socket.pause()
    await eventually(
      () => claimsOf(second),
      (claims) => claims === 1,
    )
    socket.destroy()
    await eventually(
      () => claimsOf(second),
      (claims) => claims === 0,
    )
    expect(await downloadsOf(second)).toEqual({ downloads: 0, cut_part: 0, ended_at: null })
    expect((await get(second)).status).toBe(200)
  })

  it('counts a content that leaves in parts: no more whole ones than the limit', async () => {
    const id = await owner.share(await owner.upload('parts.txt', 'y'.repeat(1000)), { maxDownloads: 2 })
    let bytes = 0
    for (let turn = 0; turn < 40; turn += 1) {
      const from = (turn % 4) * 250
      const answer = await get(id, { range: `bytes=${from}-${from + 249}` })
      if (answer.status === 404) break
      expect(answer.status).toBe(206)
      bytes += (await whole(answer)).length
      await eventually(
        () => claimsOf(id),
        (claims) => claims === 0,
      )
    }
    expect(bytes).toBe(2000)
    expect((await downloadsOf(id)).downloads).toBe(2)
  })

  it('shows nothing in place, takes nothing for HEAD, and counts a ZIP', async () => {
    const folder = await owner.folder('Limited')
    await owner.upload('a.txt', 'aaa', folder)
    const id = await owner.share(folder, { maxDownloads: 1 })
    expect((await createVisitor(server).ask('GET', `/api/v1/shares/${id}`)).body).toMatchObject({
      previews: false,
      downloadsLeft: 1,
    })
    const visitor = createVisitor(server)
    const { items } = (await visitor.ask('GET', `/api/v1/shares/${id}/files`)).body
    const inline = await visitor.ask('GET', `/api/v1/shares/${id}/files/${items[0].id}/download?disposition=inline`)
    expect([inline.status, inline.body.code]).toEqual([400, 'INVALID_INPUT'])
    expect((await visitor.send('HEAD', pathOf(id))).status).toBe(200)
    expect(await claimsOf(id)).toBe(0)
    const zip = await get(id)
    expect([zip.status, zip.headers.get('content-type')]).toEqual([200, 'application/zip'])
    expect((await whole(zip)).includes('a.txt')).toBe(true)
    expect(
      (
        await eventually(
          () => downloadsOf(id),
          ({ downloads }) => downloads === 1,
        )
      ).ended_at,
    ).not.toBeNull()
  })

  it('gives back what a crash has left', async () => {
    const id = await owner.share(await owner.upload('crash.txt', 'zzz'), { maxDownloads: 1 })
    await server.pool.query(
      `insert into share_claims (id, share_id, seen_at) values (gen_random_uuid(), $1, now() - interval '6 minutes')`,
      [parsePublicId(id)?.id],
    )
    await server.housekeeping.endShares(new AbortController().signal)
    expect(await claimsOf(id)).toBe(0)
    expect((await get(id)).status).toBe(200)
  })
})

describe('a download under way is cut within five seconds', () => {
  const sql = (text: string, id: string) => server.pool.query(text, [parsePublicId(id)?.id])
  /** It is half read at most, and counts as none. */
  async function expectCut(end: (id: string) => Promise<unknown>): Promise<void> {
    const id = await shareLarge({})
    const socket = await begin(pathOf(id))
    expect(await bytesAfter(socket, () => end(id))).toBeLessThan(LARGE.length / 2)
    expect((await downloadsOf(id)).downloads).toBe(0)
  }

  // At the same time: each is about a link alone.
  it.concurrent.each([
    ['when its link is taken back', (id: string) => owner.browser.request('DELETE', `/api/v1/shares/${id}`)],
    [
      'when it gets a password',
      (id: string) => owner.browser.request('PATCH', `/api/v1/shares/${id}`, { password: PASSWORD }),
    ],
    [
      'when it gets a limit that it has not been counted for',
      (id: string) => owner.browser.request('PATCH', `/api/v1/shares/${id}`, { maxDownloads: 1 }),
    ],
  ])('%s', (_when, end) => expectCut(end))

  it('when its file goes to the trash', async () => {
    const mark =
      'update files f set trashed_at = now(), trash_root_id = f.id from shares s where s.id = $1 and f.id = s.file_id'
    await expectCut((id) => sql(mark, id))
    await server.pool.query('update files set trashed_at = null, trash_root_id = null where user_id = $1', [
      owner.viewer.userId,
    ])
  })

  // Not together with those above: after what this process changes, it looks at all downloads at once.
  it.concurrent.each([
    [
      'when its link is taken back by another process',
      (id: string) => sql('update shares set ended_at = now() where id = $1', id),
    ],
    ['when it expires', (id: string) => sql('update shares set expires_at = now() where id = $1', id)],
  ])('%s', (_when, end) => expectCut(end))

  it('when its owner deletes themselves', async () => {
    await expectCut((id) =>
      sql('update users u set deleted_at = now() from shares s where s.id = $1 and u.id = s.user_id', id),
    )
    await server.pool.query('update users set deleted_at = null where id = $1', [owner.viewer.userId])
  })

  it('when its file leaves the shared folder', async () => {
    const folder = await owner.folder('Leaving')
    const fileId = await owner.upload('leaves.bin', LARGE, folder)
    const id = await owner.share(folder, {})
    const socket = await begin(`/api/v1/shares/${id}/files/${fileId}/download`)
    const move = () => owner.browser.request('PATCH', `/api/v1/files/${fileId}`, { parentId: null })
    expect(await bytesAfter(socket, move)).toBeLessThan(LARGE.length / 2)
  })

  /** How many bytes come that were not read before `end` and five seconds more. What came first was not counted. */
  async function bytesAfter(socket: Socket, end: () => Promise<unknown>): Promise<number> {
    const closed = new Promise((resolve) => {
      socket.once('close', resolve)
    })
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    socket.pause()
    await end()
    // A socket that reads nothing hears nothing: it reads on once the server must have hung up.
    await sleep(5_000)
    socket.resume()
    await closed
    return bytes
  }
})

describe('is slowed down', () => {
  it('guessing the password of one link, from wherever', async () => {
    const id = await owner.share(await owner.upload('guess.txt', 'g'), { password: PASSWORD })
    const statuses: number[] = []
    for (let turn = 0; turn < 12; turn += 1)
      statuses.push((await createVisitor(server).unlock(id, `guess ${turn}`)).status)
    expect(statuses).toEqual([...Array<number>(10).fill(403), 429, 429])
    const right = await createVisitor(server).unlock(id)
    expect([right.status, Number(right.headers.get('retry-after'))]).toEqual([429, expect.any(Number)])
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(200)
  })

  it('but a visitor who has given the password before is let in, whatever strangers guess', async () => {
    const id = await owner.share(await owner.upload('known.txt', 'k'), { password: PASSWORD })
    const known = createVisitor(server)
    expect((await known.unlock(id)).status).toBe(200)
    const [name = '', proof = ''] = known.cookie.split('=')
    for (let turn = 0; turn < 11; turn += 1) await createVisitor(server).unlock(id, `guess ${turn}`)
    const unlock = (value: string) =>
      createVisitor(server).ask(
        'POST',
        `/api/v1/shares/${id}/unlock`,
        { cookie: `${name}=${value}` },
        { password: PASSWORD },
      )
    expect((await unlock(proof)).status).toBe(200)
    expect((await unlock(proof.replace(/^\d+/, (end) => String(Number(end) + 1)))).status, 'made up').toBe(429)
    expect((await createVisitor(server).unlock(id)).status, 'a stranger').toBe(429)
  })

  it('guessing from one network, at however many links', async () => {
    const address = newAddress()
    const statuses: number[] = []
    for (let turn = 0; turn < 22; turn += 1) {
      const id = await owner.share(await owner.upload(`g${turn}.txt`, 'g'), { password: PASSWORD })
      statuses.push((await createVisitor(server, address).unlock(id, 'wrong')).status)
    }
    expect(statuses).toEqual([...Array<number>(20).fill(403), 429, 429])
  })

  it('guesses at once: never more of them are judged than are allowed', async () => {
    const id = await owner.share(await owner.upload('burst.txt', 'g'), { password: PASSWORD })
    const all = await Promise.all(Array.from({ length: 25 }, () => createVisitor(server).unlock(id, 'wrong')))
    expect(all.filter(({ status }) => status === 403)).toHaveLength(10)
  })

  it('the right password does not count', async () => {
    const id = await owner.share(await owner.upload('right.txt', 'g'), { password: PASSWORD })
    const address = newAddress()
    for (let turn = 0; turn < 25; turn += 1) expect((await createVisitor(server, address).unlock(id)).status).toBe(200)
  })

  // Several servers refuse up to a sixth of the calls too early (docs/operations.md, "Limits over several servers").
  it.skipIf(FLEET.servers > 1)(
    'asking again and again from one network; the ranges of a content that is being read go on',
    async () => {
      const id = await owner.share(await owner.upload('often.txt', 'often'), {})
      const visitor = createVisitor(server)
      for (let turn = 0; turn < 119; turn += 1)
        expect((await visitor.ask('GET', `/api/v1/shares/${id}`)).status).toBe(200)
      expect((await visitor.ask('GET', pathOf(id))).status).toBe(200)
      const refused = await visitor.ask('GET', `/api/v1/shares/${id}`)
      expect([refused.status, refused.body.code]).toEqual([429, 'TOO_MANY_REQUESTS'])
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await visitor.ask('GET', pathOf(id))).status).toBe(429)
      expect((await visitor.ask('GET', pathOf(id), { range: 'bytes=0-1' })).status).toBe(206)
      const look = { fileId: undefined, inline: true, headersOnly: true, continues: true }
      const asVisitor = { address: visitor.address, userAgent: '', proof: null }
      const shareId = parsePublicId(id)?.id ?? ''
      const more = Array.from({ length: 1_200 }, () => server.services.shares.open(asVisitor, shareId, look))
      expect((await Promise.allSettled(more)).filter(({ status }) => status === 'rejected')).toHaveLength(1)
      expect((await visitor.ask('GET', pathOf(id), { range: 'bytes=0-1' })).status).toBe(429)
      expect((await createVisitor(server).ask('GET', `/api/v1/shares/${id}`)).status).toBe(200)
    },
  )
})
