import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createContentHash } from '../../../server/lib/contentHash.ts'
import type { Driver, Entry } from '../../../server/providers/driver.ts'
import { type DropboxStage, startDropbox } from './dropboxStage.ts'
import {
  bytesOf,
  call,
  contentOf,
  failure,
  newEntry,
  progressOf,
  readAll,
  type TestContent,
} from './providerHarness.ts'

const CHUNK = 256 * 1024
const APPEND = 'files/upload_session/append_v2'
const FINISH = 'files/upload_session/finish'
let stage: DropboxStage
let dropbox: Driver

beforeEach(async () => {
  stage = await startDropbox({ chunkBytes: CHUNK, smallBytes: 1000 })
  dropbox = stage.open()
})
afterEach(() => stage.close())

const put = (content: TestContent, progress = progressOf(), name = 'thing.bin', driver = dropbox): Promise<Entry> =>
  driver.put(call(), newEntry(driver.root, name, content.size), content, progress)
const large = contentOf.bind(null, bytesOf(3 * CHUNK + 17))
const small = contentOf.bind(null, bytesOf(500))

function hashOf(bytes: Buffer): string {
  const hash = createContentHash('dropbox')
  hash.update(bytes)
  return hash.digest()
}

async function expectStored(entry: Entry, content: TestContent, paths = ['/thing.bin']): Promise<void> {
  expect(entry).toMatchObject({ size: content.size, hash: hashOf(content.bytes), kind: 'file' })
  expect((await readAll(dropbox.get(call(), entry.ref))).equals(content.bytes)).toBe(true)
  expect(await stage.paths()).toEqual(paths)
  expect(stage.bugs()).toEqual([])
}

describe('an upload', () => {
  it('of more than a block of the hash is there', async () => {
    const content = contentOf(bytesOf(9 * 1024 * 1024 + 3))
    const driver = stage.open({ chunkBytes: 4 * 1024 * 1024 })
    await expectStored(await put(content, progressOf(), 'thing.bin', driver), content)
  })

  it('goes on from where Dropbox says, after 503 with a part of a chunk kept', async () => {
    stage.plan({ kind: 'serverError', operation: APPEND, bytes: 1000, after: 1 })
    const content = large()
    await expectStored(await put(content), content)
    expect(content.opened).toEqual([0, CHUNK + 1000])
  })

  it('is Transient when nothing of a chunk was kept', async () => {
    stage.plan({ kind: 'serverError', operation: APPEND, bytes: 0 })
    const content = large()
    const progress = progressOf()
    await failure(put(content, progress), 'Transient')
    await expectStored(await put(content, progressOf(progress.saved.at(-1))), content)
  })

  it('goes on after a chunk whose answer was lost, without sending it again', async () => {
    stage.plan({ kind: 'lostReply', operation: APPEND, after: 1 })
    const content = large()
    await expectStored(await put(content), content)
    expect(content.opened).toEqual([0, 2 * CHUNK])
  })

  it('is found when the last answer is lost, in the same put or in a later one', async () => {
    for (const [operation, content] of [
      [FINISH, large()],
      ['files/upload', small()],
    ] as const) {
      stage.plan({ kind: 'lostReply', operation })
      const entry = await put(content)
      await expectStored(entry, content)
      await dropbox.delete(call(), entry.ref)
      stage.plan({ kind: 'lostReply', operation })
      stage.plan({ kind: 'refuse', operation: 'files/get_metadata' })
      const progress = progressOf()
      await failure(put(content, progress), 'Transient')
      const later = await put(content, progressOf(progress.saved.at(-1)), 'thing.bin', stage.open())
      await expectStored(later, content)
      await dropbox.delete(call(), later.ref)
    }
  })

  it('is found by its bytes alone when it was continued, and its hash never known', async () => {
    const content = large()
    const stop = new AbortController()
    const progress = progressOf(null, (bytes) => bytes >= CHUNK && stop.abort(new Error('killed')))
    const entry = newEntry(dropbox.root, 'thing.bin', content.size)
    await expect(dropbox.put(call(stop.signal), entry, content, progress)).rejects.toThrow('killed')
    stage.plan({ kind: 'lostReply', operation: FINISH })
    const stored = await put(content, progressOf(progress.saved.at(-1)), 'thing.bin', stage.open())
    await expectStored(stored, content)
    expect(content.opened).toEqual([0, CHUNK, 0])
  })

  it('is a Conflict where something else is, with equal bytes or not, and takes another name with what it sent', async () => {
    await stage.dropbox.plant({ user: stage.user, path: '/Thing.BIN', base64: large().bytes.toString('base64') })
    const progress = progressOf()
    const content = large()
    await failure(put(content, progress), 'Conflict')
    await failure(put(small()), 'Conflict')
    const entry = await put(content, progressOf(progress.saved.at(-1)), 'thing 2.bin')
    await expectStored(entry, content, ['/Thing.BIN', '/thing 2.bin'])
    expect(content.opened).toEqual([0])
    await failure(put(contentOf(bytesOf(10, 'b')), progressOf(), 'thing 2.bin'), 'Conflict')
  })

  it('does not take for its own what has other bytes', async () => {
    const content = large()
    const progress = progressOf()
    stage.plan({ kind: 'lostReply', operation: FINISH })
    stage.plan({ kind: 'refuse', operation: 'files/get_metadata' })
    await failure(put(content, progress), 'Transient')
    await stage.dropbox.alter({ user: stage.user, path: '/thing.bin', size: content.size })
    await failure(put(content, progressOf(progress.saved.at(-1))), 'Conflict')
    expect(await stage.paths()).toEqual(['/thing.bin'])
  })

  it("does not take for its own what is somebody else's, or about to be removed, though its bytes are equal", async () => {
    for (const [operation, content, name] of [
      [FINISH, large(), 'large.bin'],
      ['files/upload', small(), 'small.bin'],
    ] as const) {
      const before = await put(content, progressOf(), name)
      const asked: string[] = []
      const isTaken = async (ref: string) => asked.push(ref) > 0
      stage.plan({ kind: 'refuse', operation })
      const progress = { ...progressOf(), isTaken }
      await failure(put(content, progress, name), 'Transient')
      expect(asked).toEqual([before.ref])
      await dropbox.delete(call(), before.ref)
      const after = await put(content, { ...progressOf(progress.saved.at(-1)), isTaken }, name)
      expect(after.ref).not.toBe(before.ref)
    }
  })

  it('begins anew when Dropbox knows the session no more, also in mid-upload', async () => {
    const once = [stage.loseSessions]
    const content = large()
    const progress = progressOf(null, (bytes) => bytes === CHUNK && once.pop()?.())
    await expectStored(await put(content, progress), content)
    expect(content.opened).toEqual([0, 0])
  })

  it('tells of an access that ended in mid-upload, and continues with another', async () => {
    stage.plan({ kind: 'expired', operation: APPEND, after: 1 })
    const progress = progressOf()
    const content = large()
    await failure(put(content, progress), 'AuthExpired')
    await expectStored(await put(content, progressOf(progress.saved.at(-1)), 'thing.bin', stage.open()), content)
    expect(content.opened).toEqual([0, CHUNK])
  })

  it('is RateLimited with the time to wait, by 429 and by 409', async () => {
    stage.plan({ kind: 'rateLimit', operation: FINISH, retryAfter: 7 })
    const progress = progressOf()
    const content = large()
    const error = await failure(put(content, progress), 'RateLimited')
    expect(error.detail.retryAfterMs).toBe(7000)
    stage.plan({ kind: 'rateLimit', operation: FINISH, status: 409 })
    await failure(put(content, progressOf(progress.saved.at(-1))), 'RateLimited')
    stage.plan({ kind: 'rateLimit', operation: 'files/upload', status: 409 })
    await failure(put(small()), 'RateLimited')
    await expectStored(await put(content, progressOf(progress.saved.at(-1))), content)
    expect(content.opened).toEqual([0])
  })

  it('is QuotaExceeded in one request and at its end, and leaves nothing', async () => {
    for (const [operation, content] of [
      [FINISH, large()],
      ['files/upload', small()],
    ] as const) {
      stage.plan({ kind: 'full', operation })
      await failure(put(content), 'QuotaExceeded')
    }
    stage.dropbox.setQuota({ user: stage.user, quotaBytes: 100 })
    await failure(put(large()), 'QuotaExceeded')
    expect(await stage.paths()).toEqual([])
  })

  it('removes what Dropbox stored shorter, and is Corrupt', async () => {
    for (const content of [large(), small()]) {
      stage.plan({ kind: 'truncate' })
      await failure(put(content), 'Corrupt')
    }
    expect(await stage.paths()).toEqual([])
  })

  it('is NotFound when the folder is gone', async () => {
    const folder = await dropbox.ensureFolder(call(), dropbox.root, 'Home')
    await dropbox.delete(call(), folder)
    for (const content of [large(), small()]) {
      await failure(dropbox.put(call(), newEntry(folder, 'x', content.size), content, progressOf()), 'NotFound')
    }
  })

  it('sends nothing for a name or a size that Dropbox refuses', async () => {
    const names = [
      '',
      '.',
      '..',
      'a/b',
      'a\\b',
      'a\0b',
      'a\u007f',
      'a ',
      'Thumbs.db',
      '.DS_Store',
      'x'.repeat(256),
      '\ud800',
    ]
    for (const name of names) await failure(put(small(), progressOf(), name), 'BadName')
    await failure(dropbox.put(call(), newEntry(dropbox.root, 'huge', 2 ** 42), small(), progressOf()), 'TooLarge')
    expect(stage.log()).toEqual([])
  })

  it('ends with the call while a small content is read', async () => {
    const stop = new AbortController()
    const silent = { size: 10, open: () => new Readable({ read: () => undefined }) }
    const putting = dropbox.put(call(stop.signal), newEntry(dropbox.root, 'a', 10), silent, progressOf())
    setTimeout(() => stop.abort(new Error('enough')), 20)
    await expect(putting).rejects.toThrow('enough')
  })
})

describe('a session that is given up', () => {
  it('leaves nothing behind, whatever it came to; twice does no harm', async () => {
    const open = progressOf()
    stage.plan({ kind: 'expired', operation: APPEND, after: 1 })
    await failure(put(large(), open), 'AuthExpired')
    const [done, one] = [progressOf(), progressOf()]
    await put(large(), done, 'large.bin')
    await put(small(), one, 'small.bin')
    for (const { saved } of [open, done, one, done]) await dropbox.abandon(call(), saved.at(-1) ?? '')
    await dropbox.abandon(call(), 'not a session')
    expect(await stage.paths()).toEqual([])
  })

  it('spares a file of the same name and size, whatever it knew of its own bytes', async () => {
    const content = large()
    await stage.dropbox.plant({ user: stage.user, path: '/thing.bin', size: content.size })
    const stop = new AbortController()
    const begun = progressOf(null, (bytes) => bytes >= CHUNK && stop.abort(new Error('killed')))
    const entry = newEntry(dropbox.root, 'thing.bin', content.size)
    await expect(dropbox.put(call(stop.signal), entry, content, begun)).rejects.toThrow('killed')
    const refused = progressOf(begun.saved.at(-1))
    await failure(put(content, refused), 'Conflict')
    stage.loseSessions()
    for (const { saved } of [begun, refused]) await dropbox.abandon(call(), saved.at(-1) ?? '')
    expect(await stage.paths()).toEqual(['/thing.bin'])
  })

  it('spares an upload of equal bytes that has the name already', async () => {
    const first = await put(small())
    const refused = progressOf()
    await failure(put(small(), refused), 'Conflict')
    await dropbox.abandon(call(), refused.saved.at(-1) ?? '')
    expect(await stage.paths()).toEqual(['/thing.bin'])
    stage.plan({ kind: 'refuse', operation: 'files/upload' })
    stage.plan({ kind: 'refuse', operation: 'files/get_metadata' })
    const unheard = progressOf()
    await failure(put(small(), unheard), 'Transient')
    await dropbox.abandon(call(), unheard.saved.at(-1) ?? '', async (ref) => ref === first.ref)
    expect(await stage.paths()).toEqual(['/thing.bin'])
  })

  it('spares what somebody else has put there', async () => {
    const progress = progressOf()
    const entry = await put(large(), progress)
    await dropbox.delete(call(), entry.ref)
    await stage.dropbox.plant({ user: stage.user, path: '/thing.bin', size: entry.size ?? 0 })
    await dropbox.abandon(call(), progress.saved.at(-1) ?? '')
    expect(await stage.paths()).toEqual(['/thing.bin'])
  })
})
