import { expect } from 'vitest'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { CHUNK } from './emulated.ts'
import { type PhotosStage, UPLOAD, USER } from './googlePhotosStage.ts'
import { call, expectSame, listAll, listEverything, progressFrom, put, read, rejection } from './kit.ts'

/** What is special in Google Photos. Each throws where the driver does not do it. */
export type PhotosCase = (stage: PhotosStage) => Promise<void>

/** A photo that begins like a JPEG; `seed` makes it another one. */
export function photo(seed: number, size = 1000): Buffer {
  const bytes = Buffer.alloc(size, seed)
  bytes.set([0xff, 0xd8, 0xff, 0xe0], 0)
  return bytes
}

export function video(seed: number, size = 1000): Buffer {
  const bytes = Buffer.alloc(size, seed)
  bytes.write('ftypisom', 4, 'latin1')
  return bytes
}

/** A photo with its location, which Google does not return. */
export function located(seed: number): Buffer {
  return Buffer.concat([photo(seed, 500), Buffer.from('GPS:59.9N 10.7E\0'), Buffer.alloc(500, seed)])
}

const store = (driver: Driver, name: string, bytes: Buffer, parent = driver.root) =>
  put(driver, name, bytes, { parent })
const photosOf = ({ google }: PhotosStage) => google.commands.photos({ user: USER })

export const PHOTOS_CASES: Readonly<Record<string, PhotosCase>> = {
  async 'shows albums as folders, and each photo once'(stage) {
    const driver = stage.open()
    const album = await driver.ensureFolder(call(), driver.root, 'Oslo')
    expect(await stage.open().ensureFolder(call(), driver.root, 'Oslo')).toBe(album)
    const inside = await store(driver, 'in.jpg', photo(1), album)
    const outside = await store(driver, 'out.jpg', photo(2))
    const other = stage.open()
    const all = await listEverything(other)
    expect(all.map(({ ref, kind, details }) => [ref, kind, details?.parent])).toEqual(
      expect.arrayContaining([
        [album, 'folder', driver.root],
        [inside.ref, 'file', album],
        [outside.ref, 'file', driver.root],
      ]),
    )
    expect(all).toHaveLength(3)
    expect((await listAll(other)).map(({ ref }) => ref).toSorted()).toEqual([album, outside.ref].toSorted())
    expect((await listAll(other, album)).map(({ ref }) => ref)).toEqual([inside.ref])
    expect(await other.stat(call(), inside.ref)).toEqual(all.find(({ ref }) => ref === inside.ref))
    expect(inside.details?.rights).toMatchObject({ read: true, rename: false, move: false, delete: false })
    await rejection(other.ensureFolder(call(), album, 'Nested'), 'Forbidden')
  },
  async 'shows nothing that others have added'(stage) {
    const base64 = photo(9).toString('base64')
    const { id } = await stage.google.commands.addPhoto({ user: USER, name: 'private.jpg', base64 })
    expect(await listEverything(stage.open())).toEqual([])
    await rejection(stage.open().stat(call(), `item/${id}` as EntryRef), 'NotFound')
  },
  async 'adds no photo twice when an answer was lost'(stage) {
    const lost = [UPLOAD, 'photos.mediaItems.batchCreate']
    for (const [index, operation] of lost.entries()) {
      const bytes = photo(index + 1, CHUNK + 500)
      const progress = progressFrom()
      stage.emulators.plan({ kind: 'lostReply', operation, after: operation === UPLOAD ? 1 : 0 })
      await rejection(put(stage.open(), `${index}.jpg`, bytes, { progress }), 'Transient')
      const { ref } = await put(stage.open(), `${index}.jpg`, bytes, { progress: progressFrom(progress.saved) })
      expectSame(await read(stage.open(), ref), bytes)
      expect(photosOf(stage)).toHaveLength(index + 1)
    }
    const sent = stage.emulators.log().filter(({ operation }) => operation === UPLOAD)
    expect(sent.reduce((sum, { bytesIn }) => sum + bytesIn, 0)).toBe(2 * (CHUNK + 500))
  },
  async 'says that something is no photo, and that nothing is empty'(stage) {
    await rejection(store(stage.open(), 'text.jpg', Buffer.from('only text')), 'Permanent')
    await rejection(store(stage.open(), 'empty.jpg', Buffer.alloc(0)), 'Permanent')
    expect(photosOf(stage)).toEqual([])
    const { refusesName } = stage.open().capabilities
    expect(['a.jpg', 'A.JPEG', 'b.mov', 'c.heic'].filter((name) => refusesName?.(name))).toEqual([])
    expect(['a.txt', 'a.pdf', 'jpg', 'a.jpg.zip'].filter((name) => !refusesName?.(name))).toEqual([])
  },
  async 'says the size of what it returns, and not of what was sent'(stage) {
    const contents: [string, Buffer][] = [
      ['located.jpg', located(1)],
      ['film.mp4', video(2, 5000)],
    ]
    for (const [name, bytes] of contents) {
      const entry = await store(stage.open(), name, bytes)
      const returned = await read(stage.open(), entry.ref)
      expect(returned.length).toBeLessThan(bytes.length)
      expect(entry.size).toBe(returned.length)
      expect((await stage.open().stat(call(), entry.ref)).size).toBe(returned.length)
      const range = { start: 10, end: returned.length - 1 }
      expectSame(await read(stage.open(), entry.ref, range), returned.subarray(10))
    }
    expect(stage.open().capabilities.altersContent).toBe(true)
  },
  async 'deletes nothing, and says so'(stage) {
    const { ref } = await store(stage.open(), 'kept.jpg', photo(1))
    await rejection(stage.open().delete(call(), ref), 'Forbidden')
    expectSame(await read(stage.open(), ref), photo(1))
    stage.google.commands.deletePhoto({ user: USER, id: ref.split('/')[1] ?? '' })
    await stage.open().delete(call(), ref)
    await rejection(stage.open().stat(call(), ref), 'NotFound')
    await rejection(read(stage.open(), ref), 'NotFound')
  },
  async 'asks to be listed again after some hours'(stage) {
    const driver = stage.open()
    const first = await driver.changes?.(call(), null)
    stage.pass(3_600_000)
    const second = await driver.changes?.(call(), first?.cursor ?? '')
    expect(second).toEqual({ changes: [], cursor: first?.cursor, hasMore: false })
    stage.pass(6 * 3_600_000)
    await rejection(Promise.resolve(stage.open().changes?.(call(), first?.cursor ?? '')), 'CursorReset')
  },
  async 'reads a photo when addresses of bytes have expired'(stage) {
    const driver = stage.open()
    const { ref } = await store(driver, 'old.jpg', photo(1))
    await listEverything(driver)
    stage.pass(2 * 3_600_000)
    expectSame(await read(driver, ref), photo(1))
    expect(await listEverything(driver)).toHaveLength(1)
  },
  async 'sends a photo again when Google has forgotten its bytes'(stage) {
    const bytes = photo(1)
    const progress = progressFrom()
    stage.emulators.plan({ kind: 'serverError', operation: 'photos.mediaItems.batchCreate' })
    await rejection(put(stage.open(), 'late.jpg', bytes, { progress }), 'Transient')
    stage.pass(25 * 3_600_000)
    const { ref } = await put(stage.open(), 'late.jpg', bytes, { progress: progressFrom(progress.saved) })
    expectSame(await read(stage.open(), ref), bytes)
    expect(photosOf(stage)).toHaveLength(1)
  },
  async 'tells missing access from ended access and from limits'(stage) {
    const base = 'openid email profile https://www.googleapis.com/auth/photoslibrary.appendonly'
    await rejection(listEverything(stage.open(base)), 'ReconnectNeeded')
    stage.emulators.plan({ kind: 'rateLimit', reason: "Quota exceeded for limit 'All requests per day'." })
    await rejection(listEverything(stage.open()), 'Forbidden')
    stage.emulators.plan({ kind: 'rateLimit', operation: 'photos.albums.list', retryAfter: 20 })
    expect((await rejection(listEverything(stage.open()), 'RateLimited')).detail.retryAfterMs).toBe(20_000)
  },
  async 'asks nothing of the library for its quota'(stage) {
    const driver = stage.open()
    stage.emulators.resetLog()
    for (const ask of [driver.identity, driver.quota]) await ask(call())
    expect(stage.emulators.log().map(({ host }) => host)).toEqual(Array(2).fill('openidconnect.googleapis.com'))
  },
}
