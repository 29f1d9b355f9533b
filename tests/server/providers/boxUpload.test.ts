import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Driver, Entry } from '../../../server/providers/driver.ts'
import { type BoxStage, startBox } from './boxStage.ts'
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

const PART = 256 * 1024
const COMMIT = 'upload_sessions.commit'
let stage: BoxStage
let box: Driver

beforeEach(async () => {
  stage = await startBox()
  box = stage.open()
})
afterEach(async () => {
  expect(stage.bugs()).toEqual([])
  await stage.close()
})

const put = (content: TestContent, progress = progressOf(), name = 'thing.bin', driver = box): Promise<Entry> =>
  driver.put(call(), newEntry(driver.root, name, content.size), content, progress)
const large = () => contentOf(bytesOf(3 * PART + 17))
const small = () => contentOf(bytesOf(500))

async function expectStored(entry: Entry, content: TestContent, paths = ['/thing.bin']): Promise<void> {
  const hash = createHash('sha1').update(content.bytes).digest('hex')
  expect(entry).toMatchObject({ size: content.size, hash, kind: 'file' })
  expect((await readAll(box.get(call(), entry.ref))).equals(content.bytes)).toBe(true)
  expect(stage.paths()).toEqual(paths)
}

describe('an upload', () => {
  it('in one request is streamed where it is not kept in memory', async () => {
    const content = small()
    await expectStored(await put(content, progressOf(), 'thing.bin', stage.open({ memoryBytes: 100 })), content)
    expect(content.opened).toEqual([0, 0])
  })

  it('continues after the parts that Box has, also after a response that was lost', async () => {
    const content = large()
    const progress = progressOf()
    stage.plan({ kind: 'lostReply', operation: 'upload_sessions.part', after: 1 })
    await failure(put(content, progress), 'Transient')
    const again = large()
    await expectStored(await put(again, progressOf(progress.saved.at(-1)), 'thing.bin', stage.open()), again)
    expect(again.opened).toEqual([2 * PART])
    expect(stage.count('upload_sessions.part')).toBe(4)
  })

  it('waits while Box assembles the file, or does not know the last part yet', async () => {
    for (const [index, reason] of ['assembling', 'parts_mismatch'].entries()) {
      const name = `file ${index}`
      const progress = progressOf()
      stage.plan({ kind: 'incomplete', operation: COMMIT, reason, retryAfter: 3 })
      const error = await failure(put(large(), progress, name), 'Transient')
      if (reason === 'assembling') expect(error.detail.retryAfterMs).toBe(3000)
      const again = large()
      expect((await put(again, progressOf(progress.saved.at(-1)), name)).size).toBe(again.size)
      expect(again.opened).toEqual([])
    }
  })

  it('is found when the last response was lost, in the same put or in a later one', async () => {
    for (const [operation, content] of [
      [COMMIT, large()],
      ['files.upload', small()],
    ] as const) {
      stage.plan({ kind: 'lostReply', operation })
      const entry = await put(content)
      await expectStored(entry, content)
      await box.delete(call(), entry.ref)
      const progress = progressOf()
      stage.plan({ kind: 'lostReply', operation })
      stage.plan({ kind: 'refuse', operation: 'files.preflight', after: 1 })
      await failure(put(content, progress), 'Transient')
      const later = await put(content, progressOf(progress.saved.at(-1)), 'thing.bin', stage.open())
      await expectStored(later, content)
      await box.delete(call(), later.ref)
    }
  })

  it('starts again when Box does not have it any more', async () => {
    const progress = progressOf()
    stage.plan({ kind: 'cutUp', operation: 'upload_sessions.part', after: 1 })
    await failure(put(large(), progress), 'Transient')
    stage.box.loseSessions()
    const content = large()
    await expectStored(await put(content, progressOf(progress.saved.at(-1))), content)
  })

  it('does not take for its own what another wrote under the name, with equal bytes or not', async () => {
    const progress = { ...progressOf(), isTaken: async () => true }
    const content = small()
    stage.plan({ kind: 'lostReply', operation: 'files.upload' })
    await failure(put(content, progress), 'Transient')
    const again = { ...progressOf(progress.saved.at(-1)), isTaken: async () => true }
    await failure(put(content, again), 'Conflict')
    // It is known by now that the name belongs to something else.
    await box.abandon(call(), again.saved.at(-1) ?? '')
    expect(stage.paths()).toEqual(['/thing.bin'])
  })

  it('that is abandoned leaves nothing, but what is needed', async () => {
    const progress = progressOf()
    stage.plan({ kind: 'refuse', operation: 'files.preflight', after: 1 })
    stage.plan({ kind: 'lostReply', operation: 'files.upload' })
    await failure(put(small(), progress), 'Transient')
    const session = progress.saved.at(-1) ?? ''
    await box.abandon(call(), session, async () => true)
    expect(stage.paths()).toEqual(['/thing.bin'])
    await box.abandon(call(), session)
    await box.abandon(call(), session)
    expect(stage.paths()).toEqual([])
  })

  it('is refused before its bytes are sent: too large for the plan, no room, a name in use', async () => {
    stage.box.changeUser({ user: stage.user, maxUploadBytes: 5_000 })
    await failure(put(large()), 'TooLarge')
    stage.box.setQuota({ user: stage.user, quotaBytes: 100 })
    await failure(put(small()), 'QuotaExceeded')
    stage.box.setQuota({ user: stage.user, quotaBytes: null })
    stage.box.plant({ user: stage.user, path: '/Thing.BIN', text: 'abc' })
    await failure(put(small()), 'Conflict')
    expect(stage.count('files.upload') + stage.count('upload_sessions.open')).toBe(0)
  })

  it('sends nothing to another host, whatever a session says', async () => {
    const progress = progressOf()
    stage.plan({ kind: 'cutUp', operation: 'upload_sessions.part' })
    await failure(put(large(), progress), 'Transient')
    const forged = (progress.saved.at(-1) ?? '').replaceAll('upload.box.com', 'upload.example.org')
    const content = large()
    await expectStored(await put(content, progressOf(forged)), content)
  })
})

describe('an upload over a file', () => {
  const over = (content: TestContent, entry: Entry, progress = progressOf(), driver = box) =>
    driver.put(
      call(),
      {
        ...newEntry(driver.root, entry.name, content.size),
        replaces: { ref: entry.ref, revision: entry.details?.revision ?? '' },
      },
      content,
      progress,
    )

  it('keeps the ref, and changes the revision', async () => {
    let entry = await put(small())
    for (const content of [contentOf(bytesOf(700, 'b')), contentOf(bytesOf(2 * PART, 'c'))]) {
      const next = await over(content, entry)
      expect(next.ref).toBe(entry.ref)
      expect(next.details?.revision).not.toBe(entry.details?.revision)
      await expectStored(next, content)
      entry = next
    }
  })

  it('is a Conflict when the content is another one by then, and not when only the name is', async () => {
    const entry = await put(small())
    stage.box.alter({ user: stage.user, path: '/thing.bin', to: '/renamed.bin' })
    const changed = await over(contentOf(bytesOf(700, 'b')), entry)
    expect(stage.paths()).toEqual(['/renamed.bin'])
    stage.box.alter({ user: stage.user, path: '/renamed.bin', text: 'by a person' })
    for (const size of [700, 2 * PART]) await failure(over(contentOf(bytesOf(size, 'c')), changed), 'Conflict')
    expect((await readAll(box.get(call(), entry.ref))).toString()).toBe('by a person')
    await box.delete(call(), entry.ref)
    await failure(over(contentOf(bytesOf(700, 'b')), changed), 'Conflict')
  })

  it('is a Conflict when the content changes while it is sent', async () => {
    const entry = await put(small())
    const content = contentOf(bytesOf(2 * PART, 'c'))
    const progress = progressOf(null, (bytes) => {
      if (bytes === PART) stage.box.alter({ user: stage.user, path: '/thing.bin', text: 'by a person' })
    })
    await failure(over(content, entry, progress), 'Conflict')
    expect((await readAll(box.get(call(), entry.ref))).toString()).toBe('by a person')
  })

  it('is found when its last response was lost', async () => {
    let entry = await put(small())
    for (const [operation, content] of [
      ['files.upload', contentOf(bytesOf(700, 'b'))],
      [COMMIT, contentOf(bytesOf(2 * PART, 'c'))],
    ] as const) {
      const progress = progressOf()
      stage.plan({ kind: 'lostReply', operation })
      stage.plan({ kind: 'refuse', operation: 'files.get', after: 1 })
      await failure(over(content, entry, progress), 'Transient')
      const next = await over(content, entry, progressOf(progress.saved.at(-1)), stage.open())
      await expectStored(next, content)
      await box.abandon(call(), progress.saved.at(-1) ?? '')
      await expectStored(next, content)
      entry = next
    }
  })
})
