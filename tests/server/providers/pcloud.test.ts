import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Driver, Entry, EntryRef } from '../../../server/providers/driver.ts'
import type { PcloudLimits } from '../../../server/providers/pcloud/client.ts'
import { pcloudErrorCode } from '../../../server/providers/pcloud/errors.ts'
import { pcloudModule } from '../../../server/providers/pcloud/module.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { createPcloud, PCLOUD_CLIENT } from '../../fakes/pcloud/pcloud.ts'
import { oauthOf } from '../../setup/providers.ts'
import {
  bytesOf,
  call,
  contentOf,
  digestOf,
  failure,
  newEntry,
  progressOf,
  readAll,
  type TestContent,
} from './providerHarness.ts'

const CHUNK = 64 * 1024
const user = 'ann@example.com'
let pcloud: ReturnType<typeof createPcloud>
let emulators: Emulators
let drive: Driver

const depsOf = () => ({
  http: createHttp({ emulatorUrl: new URL(emulators.url) }),
  clientId: PCLOUD_CLIENT.id,
  clientSecret: PCLOUD_CLIENT.secret,
})
function open(limits: Partial<PcloudLimits> = {}): Driver {
  const { access_token: accessToken, hostname } = pcloud.commands.mintToken({ user })
  const module = pcloudModule({ ...depsOf(), limits: { chunkBytes: CHUNK, smallBytes: 1000, pageSize: 4, ...limits } })
  return module.open({ accessToken, hostname, expiresAt: null })
}

beforeEach(async () => {
  pcloud = createPcloud()
  emulators = await startEmulators({ services: [pcloud] })
  pcloud.commands.addUser({ email: user, quotaBytes: 100_000_000, usedByOthersBytes: 1000 })
  drive = open()
})
afterEach(async () => {
  expect(emulators.log().flatMap(({ bug }) => bug ?? [])).toEqual([])
  await emulators.close()
})

const put = (content: TestContent, progress = progressOf(), name = 'thing.bin', driver = drive): Promise<Entry> =>
  driver.put(call(), newEntry(driver.root, name, content.size), content, progress)
const large = () => contentOf(bytesOf(3 * CHUNK + 17))
const small = () => contentOf(bytesOf(500))
const paths = () => pcloud.commands.objects({ user }).map(({ path }) => path)
const count = (operation: string) => emulators.log().filter((one) => one.operation === operation).length

async function expectStored(entry: Entry, { bytes }: TestContent, at = ['/thing.bin']): Promise<void> {
  expect(entry).toMatchObject({ size: bytes.length, hash: digestOf('sha1', bytes), kind: 'file' })
  expect((await readAll(drive.get(call(), entry.ref))).equals(bytes)).toBe(true)
  expect(paths()).toEqual(at)
}

describe('the account', () => {
  it('is another one in each region, even with the same number', async () => {
    const { subject, email } = await drive.identity(call())
    expect([subject, email]).toEqual([expect.stringMatching(/^eapi\.pcloud\.com\/\d+$/), user])
    expect(await drive.quota(call())).toEqual({ state: 'KNOWN', usedBytes: 1000, totalBytes: 100_000_000 })
  })

  it.each([1, 2] as const)(
    'in region %i is connected at its host, and its access ends with revoke',
    async (location) => {
      const email = `person-${location}@example.com`
      pcloud.commands.addUser({ email, quotaBytes: 1000, location })
      const oauth = oauthOf(pcloudModule(depsOf()).signIn)
      const redirectUri = 'http://127.0.0.1/oauth/pcloud/callback'
      const url = oauth?.authorizationUrl({ state: 's', challenge: 'c', redirectUri, loginHint: null })
      const body = new URLSearchParams({ account: email, decision: 'allow' })
      const answer = await fetch(url ?? '', { method: 'POST', body, redirect: 'manual' })
      const back = new URL(answer.headers.get('location') ?? '').searchParams
      const grant = { code: back.get('code') ?? '', verifier: 'v', redirectUri }
      const credentials = (await oauth?.exchange(call(), grant)) ?? { expiresAt: null }
      expect(credentials).toMatchObject({ hostname: back.get('hostname'), expiresAt: null })
      expect((await pcloudModule(depsOf()).open(credentials).identity(call())).email).toBe(email)
      await failure(oauth?.exchange(call(), grant) ?? Promise.resolve(), 'ReconnectNeeded')
      await failure(oauth?.refresh(call(), credentials) ?? Promise.resolve(), 'ReconnectNeeded')
      await oauth?.revoke(call(), credentials)
      expect(pcloud.commands.tokens({ user: email })).toEqual({ access: 0 })
      await oauth?.revoke(call(), credentials)
      const wrong = oauthOf(pcloudModule({ ...depsOf(), clientSecret: 'other' }).signIn)
      await failure(wrong?.exchange(call(), grant) ?? Promise.resolve(), 'Misconfigured')
    },
  )

  it('calls no other host than those of pCloud', async () => {
    const { access_token: accessToken } = pcloud.commands.mintToken({ user })
    const other = pcloudModule(depsOf()).open({ accessToken, hostname: 'api.example.org', expiresAt: null })
    // The account is in the other region.
    await failure(other.identity(call()), 'AuthExpired')
  })
})

describe('a listing of everything', () => {
  const page = (cursor: string | null, driver = drive) =>
    driver.listAll?.(call(), cursor) ?? Promise.reject(new Error('It has no listing.'))

  async function everything(next: () => Driver): Promise<string[]> {
    const refs: string[] = []
    let cursor: string | null = null
    do {
      const { items, cursor: following }: Awaited<ReturnType<typeof page>> = await page(cursor, next())
      refs.push(...items.map(({ ref }) => ref))
      cursor = following
    } while (cursor !== null)
    return refs
  }

  it('goes through all folders, in one process and in another one for each page', async () => {
    for (let index = 0; index < 9; index += 1)
      pcloud.commands.plant({ user, path: `/F ${index}/Inner/File`, text: 'a' })
    pcloud.commands.plant({ user, path: '/F 3/many ', count: 11, size: 1 })
    for (const next of [() => drive, () => open()]) {
      const refs = await everything(next)
      expect([refs.length, new Set(refs).size]).toEqual([9 * 3 + 11, 9 * 3 + 11])
    }
  })

  it('reads each folder once in one process, and refuses a cursor that is none', async () => {
    for (const name of ['A', 'B', 'C']) pcloud.commands.plant({ user, path: `/${name}/file`, text: 'a' })
    await everything(() => drive)
    expect(count('listfolder')).toBe(4)
    for (const wrong of ['nonsense', '[]', '[{"folder":5}]']) await failure(page(wrong), 'CursorReset')
  })

  it('says what the account may not do in a folder of others', async () => {
    const rights = { ismine: false, canread: true, canmodify: false, candelete: false }
    pcloud.commands.plant({ user, path: '/theirs.txt', text: 'abc', rights })
    expect((await page(null)).items[0]?.details?.rights).toEqual({
      read: true,
      write: false,
      rename: false,
      move: false,
      delete: false,
      share: false,
    })
  })
})

describe('the changes', () => {
  const changesFrom = (cursor: string | null) =>
    drive.changes?.(call(), cursor) ?? Promise.reject(new Error('It has no changes.'))

  it('are those after the position, page by page', async () => {
    const start = (await changesFrom(null)).cursor
    pcloud.commands.plant({ user, path: '/file ', count: 6, size: 3 })
    const first = await changesFrom(start)
    expect([first.changes.length, first.hasMore]).toEqual([4, true])
    const second = await changesFrom(first.cursor)
    expect([second.changes.length, second.hasMore]).toEqual([2, false])
    expect(first.changes[0]?.entry).toEqual(await drive.stat(call(), first.changes[0]?.ref as EntryRef))
  })

  it('are reset where the log does not have them any more', async () => {
    const start = (await changesFrom(null)).cursor
    pcloud.commands.plant({ user, path: '/file ', count: 6, size: 3 })
    pcloud.commands.forgetEvents({ user })
    await failure(changesFrom(start), 'CursorReset')
    await failure(changesFrom('99999999'), 'CursorReset')
  })
})

describe('an upload', () => {
  it('continues at the byte that has arrived, also within a part', async () => {
    const progress = progressOf()
    emulators.plan({ kind: 'cutUp', operation: 'upload_write', after: 1, bytes: 1000 })
    await failure(put(large(), progress), 'Transient')
    const content = large()
    await expectStored(await put(content, progressOf(progress.saved.at(-1)), 'thing.bin', open()), content)
    expect(content.opened).toEqual([CHUNK + 1000])
  })

  it('is found when the last response was lost, in the same put or in a later one', async () => {
    for (const [operation, content] of [
      ['upload_save', large()],
      ['uploadfile', small()],
    ] as const) {
      emulators.plan({ kind: 'lostReply', operation })
      const entry = await put(content)
      await expectStored(entry, content)
      await drive.delete(call(), entry.ref)
      const progress = progressOf()
      emulators.plan({ kind: 'lostReply', operation })
      emulators.plan({ kind: 'refuse', operation: 'listfolder' })
      await failure(put(content, progress), 'Transient')
      const later = await put(content, progressOf(progress.saved.at(-1)), 'thing.bin', open())
      await expectStored(later, content)
      await drive.delete(call(), later.ref)
    }
  })

  it('that pCloud gave another name is taken away again: the name belongs to something else', async () => {
    pcloud.commands.plant({ user, path: '/thing.bin', text: 'abc' })
    for (const content of [small(), large()]) {
      const progress = progressOf()
      await failure(put(content, progress), 'Conflict')
      await drive.abandon(call(), progress.saved.at(-1) ?? '')
      expect(paths()).toEqual(['/thing.bin'])
    }
  })

  it('that pCloud gave another name leaves nothing when the response was lost, too', async () => {
    const size = large().size + 1
    for (const path of ['/thing.bin', '/thing (1).bin']) pcloud.commands.plant({ user, path, size })
    for (const [operation, content] of [
      ['uploadfile', small()],
      ['upload_save', large()],
    ] as const) {
      for (const isAbandoned of [true, false]) {
        const progress = progressOf()
        emulators.plan({ kind: 'lostReply', operation })
        emulators.plan({ kind: 'refuse', operation: 'listfolder' })
        await failure(put(content, progress), 'Transient')
        expect(paths()).toContain('/thing (2).bin')
        const session = progress.saved.at(-1) ?? ''
        const { mtime, ...earlier } = JSON.parse(session)
        for (const other of [earlier, { ...earlier, mtime: mtime + 1 }])
          await drive.abandon(call(), JSON.stringify(other))
        expect(paths()).toContain('/thing (2).bin')
        if (isAbandoned) await drive.abandon(call(), session)
        else await failure(put(content, progressOf(session), 'thing.bin', open()), 'Conflict')
        expect(paths().toSorted()).toEqual(['/thing (1).bin', '/thing.bin'])
      }
    }
  })

  it('of which pCloud has kept only a part under another name leaves nothing, either', async () => {
    pcloud.commands.plant({ user, path: '/thing.bin', size: small().size + 1 })
    for (const isAbandoned of [true, false]) {
      const progress = progressOf()
      emulators.plan({ kind: 'truncate', operation: 'uploadfile', bytes: 7 })
      emulators.plan({ kind: 'lostReply', operation: 'uploadfile' })
      emulators.plan({ kind: 'refuse', operation: 'listfolder' })
      await failure(put(small(), progress), 'Transient')
      expect(paths()).toContain('/thing (1).bin')
      const session = progress.saved.at(-1) ?? ''
      if (isAbandoned) await drive.abandon(call(), session)
      else await failure(put(small(), progressOf(session), 'thing.bin', open()), 'Conflict')
      expect(paths()).toEqual(['/thing.bin'])
    }
  })

  it('that is abandoned leaves nothing of what pCloud has kept only a part of, but no other file', async () => {
    const begin = async (): Promise<string> => {
      const progress = progressOf()
      emulators.plan({ kind: 'truncate', operation: 'uploadfile', bytes: 7 })
      emulators.plan({ kind: 'lostReply', operation: 'uploadfile' })
      emulators.plan({ kind: 'refuse', operation: 'listfolder' })
      await failure(put(small(), progress), 'Transient')
      return progress.saved.at(-1) ?? ''
    }
    const session = await begin()
    expect(paths()).toEqual(['/thing.bin'])
    await drive.abandon(call(), session, async () => true)
    expect(paths()).toEqual(['/thing.bin'])
    const { mtime, ...earlier } = JSON.parse(session)
    for (const other of [earlier, { ...earlier, mtime: mtime + 1 }]) await drive.abandon(call(), JSON.stringify(other))
    expect(paths()).toEqual(['/thing.bin'])
    await drive.abandon(call(), session)
    expect(paths()).toEqual([])
  })

  it('of which pCloud has kept only a part is taken away, also when that fails first, or the response was lost', async () => {
    for (const lost of [false, true]) {
      const [content, progress] = [small(), progressOf()]
      emulators.plan({ kind: 'truncate', operation: 'uploadfile', bytes: 7 })
      if (lost) emulators.plan({ kind: 'lostReply', operation: 'uploadfile' })
      emulators.plan({ kind: 'refuse', operation: lost ? 'listfolder' : 'deletefile', count: lost ? 1 : 2 })
      await failure(put(content, progress), 'Transient')
      expect(paths()).toEqual(['/thing.bin'])
      const session = progress.saved.at(-1)
      if (!lost) {
        await drive.abandon(call(), session ?? '')
        expect(paths()).toEqual([])
      }
      const entry = await put(content, progressOf(session), 'thing.bin', open())
      await expectStored(entry, content)
      await drive.delete(call(), entry.ref)
    }
  })

  it('starts again when pCloud does not have it any more, also at its end', async () => {
    const progress = progressOf()
    emulators.plan({ kind: 'cutUp', operation: 'upload_write', after: 1 })
    await failure(put(large(), progress), 'Transient')
    pcloud.commands.loseUploads()
    const content = large()
    await expectStored(await put(content, progressOf(progress.saved.at(-1))), content)
  })

  it('that is abandoned leaves nothing, but what is needed', async () => {
    const progress = progressOf()
    emulators.plan({ kind: 'lostReply', operation: 'uploadfile' })
    emulators.plan({ kind: 'refuse', operation: 'listfolder' })
    await failure(put(small(), progress), 'Transient')
    const session = progress.saved.at(-1) ?? ''
    await drive.abandon(call(), session, async () => true)
    expect(paths()).toEqual(['/thing.bin'])
    await drive.abandon(call(), session)
    await drive.abandon(call(), session)
    expect(paths()).toEqual([])
  })

  it('over a file keeps its ref, and is a Conflict when the content is another one by then', async () => {
    const over = (content: TestContent, entry: Entry) => {
      const replaces = { ref: entry.ref, revision: entry.details?.revision ?? '' }
      return drive.put(call(), { ...newEntry(drive.root, entry.name, content.size), replaces }, content, progressOf())
    }
    let entry = await put(small())
    for (const content of [
      contentOf(bytesOf(700, 'b')),
      contentOf(bytesOf(2 * CHUNK, 'c')),
      contentOf(Buffer.alloc(0)),
    ]) {
      const next = await over(content, entry)
      expect(next.ref).toBe(entry.ref)
      expect(next.details?.revision).not.toBe(entry.details?.revision)
      await expectStored(next, content)
      entry = next
    }
    pcloud.commands.alter({ user, path: '/thing.bin', text: 'by a person' })
    await failure(over(contentOf(bytesOf(700, 'd')), entry), 'Conflict')
    expect((await readAll(drive.get(call(), entry.ref))).toString()).toBe('by a person')
  })
})

describe('files and folders', () => {
  it('are not replaced by a move: a name in use is a Conflict', async () => {
    const folder = await drive.ensureFolder(call(), drive.root, 'There')
    pcloud.commands.plant({ user, path: '/There/thing.bin', text: 'theirs' })
    const { ref } = await put(small())
    await failure(drive.move?.(call(), ref, { parent: folder }) ?? Promise.resolve(), 'Conflict')
    expect((await drive.move?.(call(), ref, { parent: folder, name: 'Thing.bin' }))?.ref).toBe(ref)
    expect(paths()).toContain('/There/thing.bin')
  })

  it('are downloaded from hosts of pCloud only, and again when a link was refused', async () => {
    const content = small()
    const { ref } = await put(content)
    emulators.plan({ kind: 'ignoreRange', operation: 'download' })
    await failure(readAll(drive.get(call(), ref, { start: 1, end: 3 })), 'Transient')
    emulators.plan({ kind: 'rateLimit', operation: 'download', retryAfter: 4 })
    expect((await failure(drive.get(call(), ref), 'RateLimited')).detail.retryAfterMs).toBe(4000)
    expect((await readAll(drive.get(call(), ref))).equals(content.bytes)).toBe(true)
  })

  it('have a link with the expiry that was asked for last, where the plan has that', async () => {
    const { ref } = await put(small())
    const until = new Date('2027-03-01T10:00:00.000Z')
    const first = await drive.share?.(call(), ref, null)
    const second = await drive.share?.(call(), ref, until)
    expect([first?.expiresAt, second?.expiresAt, second?.url]).toEqual([null, until, first?.url])
    expect((await drive.share?.(call(), ref, null))?.expiresAt).toBeNull()
    pcloud.commands.changeUser({ user, canExpireLinks: false })
    await failure(drive.share?.(call(), ref, until) ?? Promise.resolve(), 'Forbidden')
  })
})

it.each([
  [200, 0, null],
  [200, 1000, 'AuthExpired'],
  [200, 2094, 'AuthExpired'],
  [200, 2001, 'BadName'],
  [200, 2003, 'Forbidden'],
  [200, 2004, 'Conflict'],
  [200, 2005, 'NotFound'],
  [200, 2008, 'QuotaExceeded'],
  [200, 4000, 'RateLimited'],
  [200, 5000, 'Transient'],
  [200, 7001, 'Forbidden'],
  [200, 1017, 'Permanent'],
  [200, null, 'Transient'],
  [429, null, 'RateLimited'],
  [502, null, 'Transient'],
] as const)('status %i with result %s is %s', (status, result, expected) => {
  expect(pcloudErrorCode(status, result)).toBe(expected)
})
