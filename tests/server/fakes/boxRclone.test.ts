import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BOX_CLIENT, createBox } from '../../fakes/box/box.ts'
import { createRclone, isRcloneThere, type Rclone } from '../../fakes/core/rclone.ts'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { startTlsProxy, type TlsProxy } from '../../fakes/core/tlsProxy.ts'

const EMAIL = 'ada@example.com'
const box = createBox()
let emulators: Emulators
let proxy: TlsProxy
let rclone: Rclone

if (!isRcloneThere()) console.info('Skipped: rclone is not installed, so it cannot judge the emulated Box.')

describe.skipIf(!isRcloneThere())('rclone, against the emulated Box', () => {
  beforeAll(async () => {
    emulators = await startEmulators({ services: [box] })
    box.commands.addUser({ email: EMAIL, name: 'Ada Lovelace', quotaBytes: 1e9 })
    proxy = await startTlsProxy(emulators.url, box.hosts)
    const { access_token, refresh_token } = box.commands.mintToken({ user: EMAIL })
    // Expired by rclone's clock: its first act is to refresh.
    const token = { access_token, refresh_token, token_type: 'bearer', expiry: '2020-01-01T00:00:00Z' }
    const { id: client_id, secret: client_secret } = BOX_CLIENT
    rclone = createRclone(proxy, { type: 'box', client_id, client_secret, token: JSON.stringify(token) })
  })
  afterAll(async () => {
    rclone?.close()
    await proxy?.close()
    await emulators?.close()
  })

  function write(name: string, content: string): string {
    const path = join(rclone.folder, 'local', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    utimesSync(path, 1_577_934_245, 1_577_934_245)
    return path
  }

  const objects = (path: string) => box.commands.objects({ user: EMAIL, path })
  const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')
  const ODD_NAMES = ['plain.txt', 'sub/Grüße 你好 🎉.txt', "sub/it's (1) [x] %41+&=.txt", 'sub/ leading.txt', 'empty']

  test('a small set with odd names arrives, and agrees with the original', async () => {
    const odd = join(rclone.folder, 'local/odd')
    for (const name of ODD_NAMES) write(`odd/${name}`, name === 'empty' ? '' : `content of ${name}`)
    await rclone.run('copy', odd, 'remote:odd')
    const stored = objects('/odd/').filter(({ type }) => type === 'file')
    expect(stored.map(({ path }) => path).sort()).toEqual(ODD_NAMES.map((name) => `/odd/${name}`).sort())
    expect(stored.find(({ path }) => path === '/odd/plain.txt')?.sha256).toBe(sha256('content of plain.txt'))
    await rclone.run('check', odd, 'remote:odd')
    await rclone.run('check', '--download', odd, 'remote:odd')
    // Modification times are whole seconds on both sides: nothing is sent again.
    emulators.resetLog()
    await rclone.run('copy', odd, 'remote:odd')
    expect(emulators.log().filter(({ operation }) => operation === 'files.upload')).toEqual([])
  })

  test('a file in parts is assembled, and read in ranges', async () => {
    const content = randomBytes(30_500_000).toString('hex')
    const path = write('big.bin', content)
    emulators.plan({ kind: 'incomplete', operation: 'upload_sessions.commit', reason: 'parts_mismatch' })
    emulators.plan({ kind: 'incomplete', operation: 'upload_sessions.commit', retryAfter: 0 })
    emulators.plan({ kind: 'rateLimit', operation: 'upload_sessions.part', after: 2, retryAfter: 1 })
    await rclone.run('copyto', path, 'remote:Big.bin')
    expect(objects('/Big.bin')).toEqual([expect.objectContaining({ size: content.length, sha256: sha256(content) })])
    const part = await rclone.run('cat', 'remote:Big.bin', '--offset', '20000000', '--count', '1000')
    expect(part).toBe(content.slice(20_000_000, 20_001_000))
    const back = join(rclone.folder, 'back.bin')
    await rclone.run('copyto', 'remote:Big.bin', back)
    expect(readFileSync(back, 'latin1') === content).toBe(true)
    // A new version of it.
    await rclone.run('copyto', write('big.bin', `other ${content}`), 'remote:Big.bin')
    expect(objects('/Big.bin')).toEqual([expect.objectContaining({ sha256: sha256(`other ${content}`) })])
  })

  test('one file is copied, moved, linked to and deleted', async () => {
    const one = write('one.txt', 'one')
    await rclone.run('copyto', one, 'remote:made/one.txt')
    await rclone.run('copyto', 'remote:made/one.txt', 'remote:made/two.txt')
    await rclone.run('moveto', 'remote:made/two.txt', 'remote:elsewhere/three.txt')
    expect(objects('/elsewhere/').map(({ path }) => path)).toEqual(['/elsewhere/three.txt'])
    const link = (await rclone.run('link', 'remote:elsewhere/three.txt')).trim()
    expect(link).toMatch(/^https:\/\/app\.box\.com\/s/)
    await rclone.run('deletefile', 'remote:elsewhere/three.txt')
    await rclone.run('moveto', 'remote:made', 'remote:renamed')
    expect(objects('/renamed/').map(({ path }) => path)).toEqual(['/renamed/one.txt'])
    await rclone.run('purge', 'remote:renamed')
    expect(objects('/renamed')).toEqual([])
  })

  test('a long list is complete, and the space is reported', async () => {
    box.commands.plant({ user: EMAIL, path: '/many/', count: 2500, size: 3 })
    const listed = (await rclone.run('lsf', 'remote:many')).trim().split('\n').sort()
    expect([listed.length, listed[0], listed.at(-1)]).toEqual([2500, '00000', '02499'])
    const about = JSON.parse(await rclone.run('about', 'remote:', '--json')) as { total: number; used: number }
    expect(about.total).toBe(1e9)
    expect(about.used).toBeGreaterThan(60e6)
  })

  test('nothing that rclone did was a mistake of the emulator', () => {
    expect(emulators.log().filter(({ bug }) => bug)).toEqual([])
  })
})
