import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRclone, isRcloneThere, type Rclone } from '../../fakes/core/rclone.ts'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { startTlsProxy, type TlsProxy } from '../../fakes/core/tlsProxy.ts'
import { createGoogle, GOOGLE_CLIENT, type GoogleService } from '../../fakes/google/google.ts'

const USER = 'ann@example.org'
const MIB = 1024 * 1024
const ODD_NAMES = ["O'Neil \\ 100%.txt", 'Ünïcødé – 日本語 🎈.txt', ' leading and trailing ', '#?&+=;:.txt']

let google: GoogleService
let emulators: Emulators
let proxy: TlsProxy
let rclone: Rclone

if (!isRcloneThere()) console.info('Skipped: rclone is not installed, so it cannot judge the emulated Google Drive.')

describe.skipIf(!isRcloneThere())('rclone, against the emulated Google Drive', () => {
  beforeAll(async () => {
    google = createGoogle()
    emulators = await startEmulators({ services: [google] })
    proxy = await startTlsProxy(emulators.url, google.hosts)
    google.commands.addUser({ email: USER, name: 'Ann Archer', quotaBytes: 1024 * MIB, usedByOthersBytes: 24 * MIB })
    rclone = createRclone(proxy, settings())
  })
  afterAll(async () => {
    rclone?.close()
    await proxy?.close()
    await emulators?.close()
  })
  beforeEach(() => {
    emulators.clearFaults()
    emulators.resetLog()
  })

  it('copies a set with odd names and an empty file, and finds it the same', async () => {
    const set = join(rclone.folder, 'set')
    mkdirSync(join(set, 'deep', 'er'), { recursive: true })
    for (const name of ODD_NAMES) writeFileSync(join(set, 'deep', name), `This is ${name}`)
    writeFileSync(join(set, 'empty'), '')
    writeFileSync(join(set, 'deep', 'er', 'a.bin'), randomBytes(100_000))
    await rclone.run('copy', set, 'remote:set')
    await rclone.run('check', '--download', set, 'remote:set')
    const names = (await stored()).filter(({ isFolder }) => !isFolder).map(({ name }) => name)
    expect(names.sort()).toEqual([...ODD_NAMES, 'empty', 'a.bin'].sort())
    expect(bugs()).toEqual([])
  })

  it('brings 40 MiB over, though a chunk fails in its middle and replies are lost', async () => {
    const bytes = randomBytes(40 * MIB)
    writeFileSync(join(rclone.folder, 'big.bin'), bytes)
    const operation = 'drive.upload.chunk'
    emulators.plan({ kind: 'serverError', operation, status: 503, after: 1, bytes: 3 * MIB })
    emulators.plan({ kind: 'lostReply', operation, after: 2 })
    emulators.plan({ kind: 'lostReply', operation, after: 4 })
    await rclone.run('copyto', join(rclone.folder, 'big.bin'), 'remote:big.bin')
    const objects = (await stored()).filter(({ name }) => name === 'big.bin')
    expect(objects).toHaveLength(1)
    expect(objects[0]).toMatchObject({ size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') })
    expect(emulators.log().flatMap(({ faults }) => faults)).toEqual(['serverError', 'lostReply', 'lostReply'])
    const chunks = emulators.log().filter((call) => call.operation === operation)
    expect(chunks.map(({ status }) => status)).toEqual([308, 503, 308, 0, 308, 308, 0, 200])
    const part = await rclone.run('cat', 'remote:big.bin', '--offset', String(20 * MIB - 5), '--count', '10')
    expect(part).toBe(bytes.subarray(20 * MIB - 5, 20 * MIB + 5).toString())
    expect(emulators.log().at(-1)).toMatchObject({ operation: 'drive.files.download', status: 206 })
  })

  it('copies, moves, links, trashes and deletes on the server', async () => {
    writeFileSync(join(rclone.folder, 'one.txt'), 'one')
    await rclone.run('copyto', join(rclone.folder, 'one.txt'), 'remote:there/one.txt')
    await rclone.run('copyto', 'remote:there/one.txt', 'remote:there/two.txt')
    await rclone.run('moveto', 'remote:there/two.txt', 'remote:elsewhere/three.txt')
    expect((await rclone.run('lsf', '-R', '--files-only', 'remote:elsewhere')).trim()).toBe('three.txt')
    expect((await rclone.run('lsf', 'remote:there')).trim()).toBe('one.txt')
    const link = (await rclone.run('link', 'remote:there/one.txt')).trim()
    const shared = await fetch(link.replace('https://', `${emulators.url}/@`))
    expect([shared.status, (await shared.text()).includes('one.txt')]).toEqual([200, true])
    await rclone.run('deletefile', 'remote:there/one.txt')
    await rclone.run('deletefile', 'remote:elsewhere/three.txt', '--drive-use-trash=false')
    const left = (await stored()).filter(({ name }) => /one|two|three/.test(name))
    expect(left.map(({ name, trashed }) => [name, trashed])).toEqual([['one.txt', true]])
    expect(bugs()).toEqual([])
  })

  it('lists a folder of 2,500 files, page after page', async () => {
    const { id = '' } = await google.commands.plant({
      user: USER,
      name: 'many',
      mimeType: 'application/vnd.google-apps.folder',
    })
    await google.commands.plant({ user: USER, name: 'file-', parent: id, count: 2500, size: 3 })
    const lines = (await rclone.run('lsf', 'remote:many')).trim().split('\n')
    expect(new Set(lines).size).toBe(2500)
    expect(emulators.log().filter(({ operation }) => operation === 'drive.files.list').length).toBeGreaterThanOrEqual(3)
  })

  it('tells the room there is, and refreshes an access token that has ended', async () => {
    const late = createRclone(proxy, settings(-1000))
    const room = JSON.parse(await late.run('about', '--json', 'remote:'))
    late.close()
    expect(room).toMatchObject({ total: 1024 * MIB, other: 24 * MIB })
    expect(emulators.log().map(({ operation }) => operation)).toContain('oauth.token.refresh')
  })

  it('is refused when there is no room', async () => {
    google.commands.setQuota({ user: USER, quotaBytes: 30 * MIB })
    writeFileSync(join(rclone.folder, 'more.bin'), randomBytes(9 * MIB))
    const copying = rclone.run('copyto', join(rclone.folder, 'more.bin'), 'remote:more.bin')
    await expect(copying).rejects.toThrow(/storageQuotaExceeded/)
  })
})

function settings(lifeMs = 3_600_000): Record<string, string> {
  const { access_token, refresh_token } = google.commands.mintToken({ user: USER })
  const expiry = new Date(Date.now() + lifeMs).toISOString()
  return {
    type: 'drive',
    scope: 'drive',
    client_id: GOOGLE_CLIENT.id,
    client_secret: GOOGLE_CLIENT.secret,
    token: JSON.stringify({ access_token, refresh_token, token_type: 'Bearer', expiry }),
  }
}

const stored = () => google.commands.objects({ user: USER })
const bugs = (): unknown[] => emulators.log().filter(({ bug }) => bug)
