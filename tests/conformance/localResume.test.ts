import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { localDriver } from '../../server/providers/local/driver.ts'
import { createObjectStore, type ObjectStore } from '../../server/storage/objectStore.ts'
import {
  brokenContent,
  bytesOf,
  call,
  contentOf,
  expectSame,
  failure,
  progressFrom,
  put,
  read,
  rejection,
} from './kit.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'skypool-local-resume-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

const BYTES = bytesOf(300_000)
const BROKEN = brokenContent(BYTES.length, BYTES.subarray(0, 200_000), new Error('The source broke.'))

async function setUp(change: (store: ObjectStore) => Partial<ObjectStore> = () => ({})) {
  const store = await createObjectStore(dataDir)
  return { store, driver: localDriver({ ...store, ...change(store) }, { flushBytes: 64 * 1024 }) }
}

it('goes on from what is staged when the source breaks', async () => {
  const { store, driver } = await setUp()
  const progress = progressFrom()
  await rejection(put(driver, 'x', BYTES, { content: BROKEN, progress }), 'Transient')
  expect(await store.stagedSize(progress.saved ?? '')).toBe(200_000)
  expect([...driver.receiving()]).toEqual([])
  const content = contentOf(BYTES)
  const entry = await put(driver, 'x', BYTES, { content, progress: progressFrom(progress.saved) })
  expect(content.opened).toEqual([200_000])
  expect(entry).toMatchObject({ ref: progress.saved, size: BYTES.length })
  expectSame(await read(driver, entry.ref), BYTES)
})

it('hashes what is on the disk, also of the part that was staged before', async () => {
  const { store, driver } = await setUp()
  const progress = progressFrom()
  await rejection(put(driver, 'x', BYTES, { content: BROKEN, progress }))
  const writer = await store.stage(progress.saved ?? '', 0)
  await writer.write(bytesOf(200_000, 9))
  await writer.sync()
  await writer.close()
  const entry = await put(driver, 'x', BYTES, { progress: progressFrom(progress.saved) })
  const whole = await put(driver, 'x', Buffer.concat([bytesOf(200_000, 9), BYTES.subarray(200_000)]))
  expect(entry.hash).toBe(whole.hash)
})

it('tells which objects it is receiving, for as long as it does', async () => {
  const { driver } = await setUp()
  const progress = progressFrom()
  const controller = new AbortController()
  const content = brokenContent(BYTES.length, BYTES.subarray(0, 100), 'silence')
  const entry = { parent: driver.root, name: 'x', size: BYTES.length, mimeType: null }
  const putting = failure(driver.put(call(controller.signal), entry, content, progress))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect([...driver.receiving()]).toEqual([progress.saved])
  controller.abort('gone')
  expect(await putting).toBe('gone')
  expect([...driver.receiving()]).toEqual([])
})

it('keeps nothing that the disk did not take for sure', async () => {
  const { store, driver } = await setUp((real) => ({
    async stage(id, offset) {
      const writer = await real.stage(id, offset)
      return {
        ...writer,
        position: 0,
        write: (chunk) => writer.write(chunk),
        sync: () => Promise.reject(new Error('EIO')),
      }
    },
  }))
  const progress = progressFrom()
  await rejection(put(driver, 'x', Buffer.alloc(0), { progress }), 'Transient')
  expect(await store.size(progress.saved ?? '')).toBeNull()
})

it('removes what an abandoned session left, staged or stored', async () => {
  const { store, driver } = await setUp()
  const [staged, stored] = [progressFrom(), progressFrom()]
  await rejection(put(driver, 'x', BYTES, { content: BROKEN, progress: staged }))
  await put(driver, 'x', BYTES, { progress: stored })
  for (const { saved } of [staged, stored]) {
    expect(await store.size(saved ?? '')).not.toBeNull()
    await driver.abandon(call(), saved ?? '')
    expect(await store.size(saved ?? '')).toBeNull()
  }
})

it('says NotFound of what is no object at all', async () => {
  const { driver } = await setUp()
  const ref = '../../etc/passwd' as typeof driver.root
  await rejection(driver.stat(call(), ref), 'NotFound')
  await rejection(driver.get(call(), ref), 'NotFound')
  await driver.delete(call(), ref)
})
