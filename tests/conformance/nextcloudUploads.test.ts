import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Driver } from '../../server/providers/driver.ts'
import { createHostGuard } from '../../server/providers/shared/hostGuard.ts'
import { webdavModule } from '../../server/providers/webdav/module.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createNextcloud, NEXTCLOUD_HOST } from '../fakes/nextcloud/nextcloud.ts'
import { bytesOf, call, contentOf, expectSame, listAll, progressFrom, put, read, rejection } from './kit.ts'

const CHUNK = 64 * 1024
const BYTES = bytesOf(3 * CHUNK + 17)
let emulators: Emulators
let open: () => Driver

beforeEach(async () => {
  const nextcloud = createNextcloud()
  emulators = await startEmulators({ services: [nextcloud] })
  nextcloud.commands.addUser({ id: 'ann', appPassword: 'pw' })
  const module = webdavModule({ guard: createHostGuard(['127.0.0.1']), limits: { chunkBytes: CHUNK } })
  if (module.signIn.by !== 'FORM') throw new Error('It has no form.')
  const values = { address: `${emulators.url}/@${NEXTCLOUD_HOST}/`, user: 'ann', password: 'pw' }
  const credentials = await module.signIn.form.exchange(call(), values)
  open = () => module.open(credentials)
})
afterEach(() => emulators.close())

const counted = (operation: string) => emulators.log().filter((one) => one.operation === operation).length

/** How many uploads the server has the parts of. */
async function uploadFolders(): Promise<number> {
  const uploads = await fetch(`${emulators.url}/@${NEXTCLOUD_HOST}/remote.php/dav/uploads/ann/`, {
    method: 'PROPFIND',
    headers: { depth: '1', authorization: `Basic ${btoa('ann:pw')}` },
    body: '<d:propfind xmlns:d="DAV:"><d:prop><d:resourcetype/></d:prop></d:propfind>',
  })
  return ((await uploads.text()).match(/<d:href>/g)?.length ?? 0) - 1
}

describe('a large upload to Nextcloud', () => {
  it('whose parts were put together, and the response lost, is not sent again', async () => {
    const progress = progressFrom()
    emulators.plan({ kind: 'lostReply', operation: 'uploads.MOVE' })
    await rejection(put(open(), 'large.bin', BYTES, { progress }), 'Transient')
    const [content, sent] = [contentOf(BYTES), counted('uploads.PUT')]
    const { ref } = await put(open(), 'large.bin', BYTES, { content, progress: progressFrom(progress.saved) })
    expect([content.opened, counted('uploads.PUT')]).toEqual([[], sent])
    expectSame(await read(open(), ref), BYTES)
  })

  it('continues after any part, and starts over when the server has forgotten it', async () => {
    for (const [index, after] of [0, 1, 2, 3].entries()) {
      const [name, progress] = [`large ${index}.bin`, progressFrom()]
      emulators.plan({ kind: 'reset', operation: 'uploads.PUT', after })
      await rejection(put(open(), name, BYTES, { progress }), 'Transient')
      expect(progress.confirmed.at(-1) ?? 0).toBe(Math.min(after * CHUNK, BYTES.length))
      const content = contentOf(BYTES)
      await put(open(), name, BYTES, { content, progress: progressFrom(progress.saved) })
      expect(content.opened).toEqual([after * CHUNK])
    }
    const progress = progressFrom()
    emulators.plan({ kind: 'reset', operation: 'uploads.PUT', after: 2 })
    await rejection(put(open(), 'forgotten.bin', BYTES, { progress }), 'Transient')
    const folder = (JSON.parse(progress.saved ?? '{}') as { chunks: { folder: string } }).chunks.folder
    await fetch(folder, { method: 'DELETE', headers: { authorization: `Basic ${btoa('ann:pw')}` } })
    const { ref } = await put(open(), 'forgotten.bin', BYTES, { progress: progressFrom(progress.saved) })
    expectSame(await read(open(), ref), BYTES)
  })

  it('that is abandoned or fails leaves no parts', async () => {
    const progress = progressFrom()
    emulators.plan({ kind: 'reset', operation: 'uploads.PUT', after: 1 })
    await rejection(put(open(), 'large.bin', BYTES, { progress }), 'Transient')
    await open().abandon(call(), progress.saved ?? '')
    await rejection(
      put(open(), 'short.bin', BYTES, { content: contentOf(BYTES, BYTES.subarray(0, 2 * CHUNK)) }),
      'Corrupt',
    )
    expect(await uploadFolders()).toBe(0)
    expect(await listAll(open())).toEqual([])
  })

  it('whose name is taken by another file in the meantime leaves no parts', async () => {
    const progress = progressFrom()
    emulators.plan({ kind: 'reset', operation: 'uploads.PUT', after: 1 })
    await rejection(put(open(), 'large.bin', BYTES, { progress }), 'Transient')
    await put(open(), 'large.bin', bytesOf(5))
    const second = progressFrom(progress.saved)
    await rejection(put(open(), 'large.bin', BYTES, { progress: second }), 'Conflict')
    expect(await uploadFolders()).toBe(1)
    emulators.plan({ kind: 'serverError', operation: 'uploads.DELETE' })
    await rejection(put(open(), 'large (2).bin', BYTES, { progress: second }), 'Transient')
    const { ref } = await put(open(), 'large (2).bin', BYTES, {
      progress: progressFrom(second.saved ?? progress.saved),
    })
    expectSame(await read(open(), ref), BYTES)
    expect(await uploadFolders()).toBe(0)
  })

  it('has the time that it should have, and a refused name is a bad name', async () => {
    const modifiedAt = new Date('2020-02-03T04:05:06Z')
    for (const [name, bytes] of [
      ['large.bin', BYTES],
      ['small.bin', bytesOf(5)],
    ] as const) {
      const entry = { parent: open().root, name, size: bytes.length, mimeType: null, modifiedAt }
      expect(await open().put(call(), entry, contentOf(bytes), progressFrom())).toMatchObject({ modifiedAt })
    }
    await rejection(put(open(), 'x.part', bytesOf(5)), 'BadName')
    expect((await listAll(open())).map(({ name }) => name)).toEqual(['large.bin', 'small.bin'])
  })
})
