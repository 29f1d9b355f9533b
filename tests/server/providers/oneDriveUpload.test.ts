import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createContentHash } from '../../../server/lib/contentHash.ts'
import type { Driver, Entry, EntryRef, NewEntry } from '../../../server/providers/driver.ts'
import { type OneDriveStage, startOneDrive } from './oneDriveStage.ts'
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

const CHUNK = 320 * 1024
const PART = 'upload.put'
const WHOLE = 'items.content.put'
let stage: OneDriveStage
let oneDrive: Driver

beforeEach(async () => {
  stage = await startOneDrive({ chunkBytes: CHUNK, smallBytes: 1000 })
  oneDrive = stage.open()
})
afterEach(() => stage.close())

type Options = { readonly name?: string; readonly driver?: Driver } & Partial<NewEntry>
const put = (
  content: TestContent,
  progress = progressOf(),
  { name = 'thing.bin', driver = oneDrive, ...more }: Options = {},
) => driver.put(call(), { ...newEntry(driver.root, name, content.size), ...more }, content, progress)
const large = contentOf.bind(null, bytesOf(3 * CHUNK + 17))
const small = contentOf.bind(null, bytesOf(500))

function hashOf(bytes: Buffer): string {
  const hash = createContentHash('quickxor')
  hash.update(bytes)
  return hash.digest()
}

async function expectStored(entry: Entry, content: TestContent, paths = ['/thing.bin']): Promise<void> {
  expect(entry).toMatchObject({ size: content.size, hash: hashOf(content.bytes), kind: 'file' })
  expect((await readAll(oneDrive.get(call(), entry.ref))).equals(content.bytes)).toBe(true)
  expect(await stage.paths()).toEqual(paths)
  expect(stage.bugs()).toEqual([])
}

describe('an upload', () => {
  it('keeps its time, in one request, in parts and without bytes', async () => {
    const modifiedAt = new Date('2021-02-03T04:05:06.000Z')
    for (const [index, content] of [large(), small(), contentOf(bytesOf(0))].entries()) {
      const { ref } = await put(content, progressOf(), { name: `${index}`, modifiedAt })
      expect((await oneDrive.stat(call(), ref)).modifiedAt).toEqual(modifiedAt)
    }
  })

  it('continues after a part whose answer was lost, without sending it again', async () => {
    stage.plan({ kind: 'lostReply', operation: PART, after: 1 })
    const content = large()
    await expectStored(await put(content), content)
    expect(content.opened).toEqual([0, 2 * CHUNK])
  })

  it('asks for the place when OneDrive has another one, and continues there', async () => {
    stage.plan({ kind: 'serverError', operation: PART, status: 416, after: 2 })
    const content = large()
    await expectStored(await put(content), content)
    expect([stage.count('upload.status'), content.opened]).toEqual([1, [0, 2 * CHUNK]])
  })

  it('is Transient when nothing of a part was kept, and continues', async () => {
    stage.plan({ kind: 'serverError', operation: PART, after: 1 })
    const content = large()
    const progress = progressOf()
    await failure(put(content, progress), 'Transient')
    await expectStored(await put(content, progressOf(progress.saved.at(-1))), content)
    expect(content.opened).toEqual([0, CHUNK])
  })

  it('is found when the last answer is lost, in the same put or in a later one', async () => {
    for (const [operation, after, content] of [
      [PART, 3, large()],
      [WHOLE, 0, small()],
    ] as const) {
      stage.plan({ kind: 'lostReply', operation, after })
      const entry = await put(content)
      await expectStored(entry, content)
      await oneDrive.delete(call(), entry.ref)
      stage.plan({ kind: 'lostReply', operation, after })
      stage.plan({ kind: 'refuse', operation: 'items.get' })
      const progress = progressOf()
      await failure(put(content, progress), 'Transient')
      const later = await put(content, progressOf(progress.saved.at(-1)), { driver: stage.open() })
      await expectStored(later, content)
      await oneDrive.delete(call(), later.ref)
    }
  })

  it('is found by its bytes alone when it was continued, and its hash never known', async () => {
    const content = large()
    const stop = new AbortController()
    const progress = progressOf(null, (bytes) => bytes >= CHUNK && stop.abort(new Error('killed')))
    const entry = newEntry(oneDrive.root, 'thing.bin', content.size)
    await expect(oneDrive.put(call(stop.signal), entry, content, progress)).rejects.toThrow('killed')
    stage.plan({ kind: 'lostReply', operation: PART, after: 2 })
    const stored = await put(content, progressOf(progress.saved.at(-1)), { driver: stage.open() })
    await expectStored(stored, content)
    expect(content.opened).toEqual([0, CHUNK, 0])
  })

  it('is a Conflict where something else is, at its beginning and at its end, and leaves nothing open', async () => {
    await stage.oneDrive.plant({ user: stage.user, path: '/Thing.BIN', base64: large().bytes.toString('base64') })
    for (const content of [large(), small()]) await failure(put(content), 'Conflict')
    const name = 'late.bin'
    let planting: Promise<unknown> | null = null
    const progress = progressOf(null, () => {
      planting ??= stage.oneDrive.plant({ user: stage.user, path: `/${name}`, size: 5 })
    })
    const content = large()
    await failure(put(content, progress, { name }), 'Conflict')
    await planting
    expect(stage.oneDrive.sessions()).toBe(0)
    await oneDrive.abandon(call(), progress.saved.at(-1) ?? '')
    expect(await stage.paths()).toEqual(['/Thing.BIN', '/late.bin'])
    const entry = await put(content, progressOf(progress.saved.at(-1)), { name: 'other.bin' })
    await expectStored(entry, content, ['/Thing.BIN', '/late.bin', '/other.bin'])
  })

  it('does not take for its own what has other bytes, or belongs to another', async () => {
    const content = large()
    const progress = progressOf()
    stage.plan({ kind: 'lostReply', operation: PART, after: 3 })
    stage.plan({ kind: 'refuse', operation: 'items.get' })
    await failure(put(content, progress), 'Transient')
    const { id } = (await stage.oneDrive.objects({ user: stage.user }))[0] ?? {}
    const isTaken = async (ref: EntryRef) => ref === id
    await failure(put(content, { ...progressOf(progress.saved.at(-1)), isTaken }), 'Conflict')
    await stage.oneDrive.alter({ user: stage.user, path: '/thing.bin', size: content.size })
    await failure(put(content, progressOf(progress.saved.at(-1))), 'Conflict')
    expect(await stage.paths()).toEqual(['/thing.bin'])
  })

  it('starts over when OneDrive does not know the session any more, also in mid-upload', async () => {
    const once = [() => stage.oneDrive.loseSessions({})]
    const content = large()
    const progress = progressOf(null, (bytes) => bytes === CHUNK && once.pop()?.())
    await expectStored(await put(content, progress), content)
    expect(content.opened.filter((offset) => offset === 0).length).toBeGreaterThan(1)
  })

  it('is RateLimited with the time to wait, by 429 and by 503, and continues', async () => {
    const content = large()
    const progress = progressOf()
    stage.plan({ kind: 'rateLimit', operation: PART, retryAfter: 7, after: 1 })
    expect((await failure(put(content, progress), 'RateLimited')).detail.retryAfterMs).toBe(7000)
    stage.plan({ kind: 'rateLimit', operation: WHOLE, status: 503, retryAfter: 3 })
    expect((await failure(put(small()), 'RateLimited')).detail.retryAfterMs).toBe(3000)
    await expectStored(await put(content, progressOf(progress.saved.at(-1))), content)
    expect(content.opened).toEqual([0, CHUNK])
  })

  it('is QuotaExceeded in one request and at its end, and leaves nothing', async () => {
    for (const content of [large(), small()]) {
      stage.plan({ kind: 'full' })
      const progress = progressOf()
      await failure(put(content, progress), 'QuotaExceeded')
      await oneDrive.abandon(call(), progress.saved.at(-1) ?? '')
    }
    expect([await stage.paths(), stage.oneDrive.sessions()]).toEqual([[], 0])
  })

  it('removes what OneDrive stored shorter, and is Corrupt', async () => {
    for (const content of [large(), small()]) {
      stage.plan({ kind: 'truncate' })
      await failure(put(content), 'Corrupt')
    }
    expect(await stage.paths()).toEqual([])
  })

  it('that OneDrive stored shorter is removed by what comes later, when it could not be removed at once', async () => {
    for (const isAbandoned of [true, false]) {
      const [content, progress] = [small(), progressOf()]
      stage.plan({ kind: 'truncate' })
      stage.plan({ kind: 'refuse', operation: 'items.permanentDelete' })
      await failure(put(content, progress), 'Transient')
      expect(await stage.paths()).toEqual(['/thing.bin'])
      const session = progress.saved.at(-1)
      if (isAbandoned) await oneDrive.abandon(call(), session ?? '')
      else {
        const entry = await put(content, progressOf(session), { driver: stage.open() })
        await expectStored(entry, content)
        await oneDrive.delete(call(), entry.ref)
      }
      expect(await stage.paths()).toEqual([])
    }
  })

  it('is NotFound when the folder is gone', async () => {
    const folder = await oneDrive.ensureFolder(call(), oneDrive.root, 'Home')
    await oneDrive.delete(call(), folder)
    for (const content of [large(), small()]) await failure(put(content, progressOf(), { parent: folder }), 'NotFound')
  })

  it('sends nothing for a name or a size that OneDrive refuses', async () => {
    for (const name of ['', 'a:b', 'a.', '\ud800']) await failure(put(small(), progressOf(), { name }), 'BadName')
    await failure(put(small(), progressOf(), { size: 2 ** 38 }), 'TooLarge')
    expect(stage.log()).toEqual([])
  })
})

describe('a file that is overwritten', () => {
  const revisionOf = async (ref: EntryRef) => (await oneDrive.stat(call(), ref)).details?.revision ?? ''

  it('keeps its id, if it is still what it was', async () => {
    const { ref } = await put(small())
    for (const content of [large(), contentOf(bytesOf(0)), contentOf(bytesOf(40, 'b'))]) {
      const replaces = { ref, revision: await revisionOf(ref) }
      const entry = await put(content, progressOf(), { replaces })
      expect(entry.ref).toBe(ref)
      await expectStored(entry, content)
      await failure(put(small(), progressOf(), { replaces }), 'Conflict')
    }
    await oneDrive.delete(call(), ref)
    await failure(put(small(), progressOf(), { replaces: { ref, revision: 'x' } }), 'Conflict')
  })

  it('that changes during the upload is a Conflict, and nothing is overwritten', async () => {
    const { ref } = await put(small())
    const replaces = { ref, revision: await revisionOf(ref) }
    let altering: Promise<unknown> | null = null
    const progress = progressOf(null, () => {
      altering ??= stage.oneDrive.alter({ user: stage.user, id: ref, text: 'theirs' })
    })
    await failure(put(large(), progress, { replaces }), 'Conflict')
    await altering
    expect((await readAll(oneDrive.get(call(), ref))).toString()).toBe('theirs')
    expect(stage.oneDrive.sessions()).toBe(0)
  })

  it('is found when the last answer is lost', async () => {
    for (const [operation, after, content] of [
      [PART, 3, large()],
      [WHOLE, 0, contentOf(bytesOf(500, 'c'))],
    ] as const) {
      const { ref } = await put(small(), progressOf(), { name: operation })
      const replaces = { ref, revision: await revisionOf(ref) }
      const progress = progressOf()
      stage.plan({ kind: 'lostReply', operation, after })
      stage.plan({ kind: 'refuse', operation: 'items.get', after: operation === PART ? 2 : 1 })
      await failure(put(content, progress, { name: operation, replaces }), 'Transient')
      const later = progressOf(progress.saved.at(-1))
      expect((await put(content, later, { name: operation, replaces, driver: stage.open() })).ref).toBe(ref)
      expect((await readAll(oneDrive.get(call(), ref))).equals(content.bytes)).toBe(true)
      await oneDrive.abandon(call(), progress.saved.at(-1) ?? '')
      expect((await oneDrive.stat(call(), ref)).size).toBe(content.size)
    }
  })
})

describe('a session that is given up', () => {
  it('leaves nothing behind, whatever it came to; twice does no harm', async () => {
    const open = progressOf()
    stage.plan({ kind: 'serverError', operation: PART, after: 1 })
    await failure(put(large(), open), 'Transient')
    const [done, one] = [progressOf(), progressOf()]
    await put(large(), done, { name: 'large.bin' })
    await put(small(), one, { name: 'small.bin' })
    for (const { saved } of [open, done, one, done]) await oneDrive.abandon(call(), saved.at(-1) ?? '')
    await oneDrive.abandon(call(), 'not a session')
    expect([await stage.paths(), stage.oneDrive.sessions()]).toEqual([[], 0])
  })

  it('leaves nothing when the answer to its end was lost, also of a part of the content, but no older file', async () => {
    for (const isShort of [true, false]) {
      const content = large()
      const stop = new AbortController()
      const begun = progressOf(null, (bytes) => bytes >= CHUNK && stop.abort(new Error('killed')))
      const entry = newEntry(oneDrive.root, 'thing.bin', content.size)
      await expect(oneDrive.put(call(stop.signal), entry, content, begun)).rejects.toThrow('killed')
      const progress = progressOf(begun.saved.at(-1))
      if (isShort) stage.plan({ kind: 'truncate' })
      stage.plan({ kind: 'lostReply', operation: PART, after: 2 })
      stage.plan({ kind: 'refuse', operation: 'items.get' })
      await failure(put(content, progress, { driver: stage.open() }), 'Transient')
      expect(await stage.paths()).toEqual(['/thing.bin'])
      const session = progress.saved.at(-1) ?? ''
      await oneDrive.abandon(call(), session, async () => true)
      const later = { ...JSON.parse(session), since: Date.now() + 3_600_000 }
      await oneDrive.abandon(call(), JSON.stringify(later))
      expect(await stage.paths()).toEqual(['/thing.bin'])
      await oneDrive.abandon(call(), session)
      expect(await stage.paths()).toEqual([])
    }
  })

  it('spares a file of the same name and size, whatever it knew of the bytes that were sent', async () => {
    const content = large()
    const stop = new AbortController()
    const begun = progressOf(null, (bytes) => bytes >= CHUNK && stop.abort(new Error('killed')))
    const entry = newEntry(oneDrive.root, 'thing.bin', content.size)
    await expect(oneDrive.put(call(stop.signal), entry, content, begun)).rejects.toThrow('killed')
    await stage.oneDrive.plant({ user: stage.user, path: '/thing.bin', size: content.size })
    const refused = progressOf(begun.saved.at(-1))
    await failure(put(content, refused), 'Conflict')
    for (const { saved } of [begun, refused]) await oneDrive.abandon(call(), saved.at(-1) ?? '')
    expect(await stage.paths()).toEqual(['/thing.bin'])
  })

  it('spares an upload of equal bytes that has the name already', async () => {
    const first = await put(small())
    const refused = progressOf()
    await failure(put(small(), refused), 'Conflict')
    await oneDrive.abandon(call(), refused.saved.at(-1) ?? '')
    stage.plan({ kind: 'refuse', operation: WHOLE })
    stage.plan({ kind: 'refuse', operation: 'items.get' })
    const unheard = progressOf()
    await failure(put(small(), unheard), 'Transient')
    await oneDrive.abandon(call(), unheard.saved.at(-1) ?? '', async (ref) => ref === first.ref)
    expect(await stage.paths()).toEqual(['/thing.bin'])
  })
})

describe('a copy', () => {
  const copy = (ref: EntryRef, name: string, content: TestContent, progress = progressOf()) =>
    oneDrive.copy?.(call(), ref, newEntry(oneDrive.root, name, content.size), {
      hash: hashOf(content.bytes),
      save: progress.save,
    }) ?? Promise.reject(new Error('It cannot copy.'))

  it('is waited for, and says why it failed', async () => {
    const content = small()
    const { ref } = await put(content)
    stage.oneDrive.copies({ polls: 3 })
    const copied = await copy(ref, 'copy.bin', content)
    expect(copied).toMatchObject({ name: 'copy.bin', size: 500, hash: hashOf(content.bytes) })
    expect(stage.count('copy.monitor')).toBe(4)
    for (const [fails, code] of [
      ['nameAlreadyExists', 'Conflict'],
      ['quotaLimitReached', 'QuotaExceeded'],
      ['itemNotFound', 'NotFound'],
      ['somethingNew', 'Permanent'],
    ] as const) {
      stage.oneDrive.copies({ fails })
      await failure(copy(ref, 'other.bin', content), code)
    }
    stage.oneDrive.copies({})
    stage.plan({ kind: 'serverError', operation: 'copy.monitor', status: 404 })
    await failure(copy(ref, 'third.bin', content), 'Transient')
  })

  it('that takes too long is found by a later upload', async () => {
    const content = small()
    const { ref } = await put(content)
    stage.oneDrive.copies({ polls: 1000 })
    oneDrive = stage.open({ copyMs: 20 })
    const progress = progressOf()
    await failure(copy(ref, 'copy.bin', content, progress), 'Transient')
    const found = await put(content, progressOf(progress.saved.at(-1)), { name: 'copy.bin' })
    expect([await stage.paths(), stage.count(WHOLE)]).toEqual([['/thing.bin', '/copy.bin'], 1])
    expect(found.hash).toBe(hashOf(content.bytes))
  })

  it('ends with the call while it is waited for', async () => {
    const { ref } = await put(small())
    stage.oneDrive.copies({ polls: 1_000_000 })
    const stop = new AbortController()
    const entry = newEntry(oneDrive.root, 'copy.bin', 500)
    const copying = oneDrive.copy?.(call(stop.signal), ref, entry, { hash: '', save: async () => undefined })
    await expect.poll(() => stage.count('copy.monitor')).toBeGreaterThan(0)
    stop.abort(new Error('enough'))
    await expect(copying).rejects.toThrow('enough')
  })
})

describe('an account of an organisation', () => {
  it('changes Office documents: their size and hash are not compared, and not shown as a hash of what was sent', async () => {
    await stage.close()
    stage = await startOneDrive({ chunkBytes: CHUNK, smallBytes: 1000 }, 'business')
    stage.oneDrive.changeUser({ user: stage.user, rewritesOffice: true })
    oneDrive = stage.open()
    for (const content of [large(), small()]) {
      const name = `${content.size}.docx`
      const progress = progressOf()
      const entry = await put(content, progress, { name })
      expect(entry.hash).toBeNull()
      expect(entry.size).toBeGreaterThan(content.size)
      // It is not what was sent, so it is not taken for that.
      await oneDrive.abandon(call(), progress.saved.at(-1) ?? '')
      expect((await oneDrive.stat(call(), entry.ref)).details?.revision).toMatch(/./)
    }
    const other = await put(small(), progressOf(), { name: 'notes.txt' })
    expect(other.hash).toBe(hashOf(small().bytes))
  })
})
