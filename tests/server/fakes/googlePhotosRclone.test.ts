import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { located, photo, video } from '../../conformance/googlePhotosCases.ts'
import { PHOTOS_SCOPES, USER } from '../../conformance/googlePhotosStage.ts'
import { createRclone, isRcloneThere, type Rclone } from '../../fakes/core/rclone.ts'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { startTlsProxy, type TlsProxy } from '../../fakes/core/tlsProxy.ts'
import { createGoogle, GOOGLE_CLIENT, type GoogleService } from '../../fakes/google/google.ts'

let google: GoogleService
let emulators: Emulators
let proxy: TlsProxy
let rclone: Rclone

/** A client that others have written finds in the emulated Google Photos what it expects of the real one. */
describe.skipIf(!isRcloneThere())('rclone, against the emulated Google Photos', () => {
  beforeAll(async () => {
    google = createGoogle()
    emulators = await startEmulators({ services: [google] })
    proxy = await startTlsProxy(emulators.url, google.hosts)
    google.commands.addUser({ email: USER, quotaBytes: 1024 ** 3 })
    const edit = 'https://www.googleapis.com/auth/photoslibrary.edit.appcreateddata'
    const token = google.commands.mintToken({ user: USER, scope: `${PHOTOS_SCOPES} ${edit}` })
    rclone = createRclone(proxy, {
      type: 'google photos',
      client_id: GOOGLE_CLIENT.id,
      client_secret: GOOGLE_CLIENT.secret,
      read_size: 'true',
      token: JSON.stringify({ ...token, token_type: 'Bearer', expiry: new Date(Date.now() + 3_600_000).toISOString() }),
    })
  })
  afterAll(async () => {
    rclone?.close()
    await proxy?.close()
    await emulators?.close()
  })

  it('adds photos to an album, lists and reads them, and removes one from the album', async () => {
    const set = join(rclone.folder, 'set')
    mkdirSync(set)
    const files: Record<string, Buffer> = { 'a b.jpg': photo(1), 'Grüße.jpg': located(2), 'film.mp4': video(3, 4000) }
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(set, name), bytes)
    // Other sizes come back, which rclone notices too.
    await expect(rclone.run('copy', set, 'remote:album/Oslo')).rejects.toThrow('sizes differ')
    await rclone.run('copy', '--ignore-size', set, 'remote:album/Oslo')
    const listed = JSON.parse(await rclone.run('lsjson', 'remote:album/Oslo')) as { Name: string; Size: number }[]
    expect(listed.map(({ Name }) => Name).toSorted()).toEqual(Object.keys(files).toSorted())
    expect(listed.find(({ Name }) => Name === 'film.mp4')?.Size).toBe(2000)
    await rclone.run('copy', 'remote:album/Oslo', join(rclone.folder, 'out'))
    expect(readFileSync(join(rclone.folder, 'out/a b.jpg')).equals(photo(1))).toBe(true)
    expect(readFileSync(join(rclone.folder, 'out/Grüße.jpg')).includes('GPS:')).toBe(false)
    expect(await rclone.run('cat', '--offset', '10', '--count', '5', 'remote:album/Oslo/a b.jpg')).toBe(
      '\x01'.repeat(5),
    )
    await rclone.run('deletefile', 'remote:album/Oslo/a b.jpg')
    expect((await rclone.run('lsf', 'remote:album/Oslo')).split('\n').filter(Boolean)).toHaveLength(2)
    expect((await rclone.run('lsf', 'remote:media/all')).split('\n').filter(Boolean)).toHaveLength(3)
  })

  it('pages through many photos without repetition, and is refused what is no photo', async () => {
    const many = join(rclone.folder, 'many')
    mkdirSync(many)
    for (let index = 0; index < 120; index += 1)
      writeFileSync(join(many, `${index}.jpg`), photo(index % 250, 700 + index))
    await rclone.run('copy', '--transfers', '8', many, 'remote:upload')
    expect((await rclone.run('lsf', 'remote:media/all')).split('\n').filter(Boolean)).toHaveLength(123)
    writeFileSync(join(rclone.folder, 'text.jpg'), 'only text')
    await expect(rclone.run('copyto', join(rclone.folder, 'text.jpg'), 'remote:upload/text.jpg')).rejects.toThrow()
    expect(emulators.log().flatMap(({ bug }) => bug ?? [])).toEqual([])
  })
})
