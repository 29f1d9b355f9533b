import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRclone, isRcloneThere, type Rclone } from '../../fakes/core/rclone.ts'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { startTlsProxy, type TlsProxy } from '../../fakes/core/tlsProxy.ts'
import { createPcloud, PCLOUD_CLIENT } from '../../fakes/pcloud/pcloud.ts'

const EMAIL = 'ada@example.com'

if (!isRcloneThere()) console.info('Skipped: rclone is not installed, so it cannot judge the emulated pCloud.')

describe.skipIf(!isRcloneThere()).each([1, 2] as const)(
  'rclone, against the emulated pCloud, region %i',
  (location) => {
    const pcloud = createPcloud()
    let emulators: Emulators
    let proxy: TlsProxy
    let rclone: Rclone

    beforeAll(async () => {
      emulators = await startEmulators({ services: [pcloud] })
      pcloud.commands.addUser({ email: EMAIL, quotaBytes: 1e9, location })
      proxy = await startTlsProxy(emulators.url, pcloud.hosts)
      const { access_token, hostname } = pcloud.commands.mintToken({ user: EMAIL })
      const token = { access_token, token_type: 'bearer', expiry: '0001-01-01T00:00:00Z' }
      const { id: client_id, secret: client_secret } = PCLOUD_CLIENT
      rclone = createRclone(proxy, { type: 'pcloud', client_id, client_secret, hostname, token: JSON.stringify(token) })
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

    const objects = (path: string) => pcloud.commands.objects({ user: EMAIL, path })
    const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')
    const ODD_NAMES = ['plain.txt', 'sub/Grüße 你好 🎉.txt', "sub/it's (1) [x] %41+&=.txt", 'sub/ leading.txt', 'empty']

    test('a small set with odd names arrives, and agrees with the original', async () => {
      const odd = join(rclone.folder, 'local/odd')
      for (const name of ODD_NAMES) write(`odd/${name}`, name === 'empty' ? '' : `content of ${name}`)
      await rclone.run('copy', odd, 'remote:odd')
      const stored = objects('/odd/').filter(({ isFolder }) => !isFolder)
      expect(stored.map(({ path }) => path).sort()).toEqual(ODD_NAMES.map((name) => `/odd/${name}`).sort())
      expect(stored.find(({ path }) => path === '/odd/plain.txt')?.sha256).toBe(sha256('content of plain.txt'))
      await rclone.run('check', '--download', odd, 'remote:odd')
      // Modification times are whole seconds on both sides: nothing is sent again.
      emulators.resetLog()
      await rclone.run('copy', odd, 'remote:odd')
      expect(emulators.log().filter(({ operation }) => operation === 'uploadfile')).toEqual([])
    })

    test('a large file arrives after a pause that was asked for, and is read in ranges', async () => {
      const content = randomBytes(10_000_000).toString('hex')
      const path = write('big.bin', content)
      emulators.plan({ kind: 'rateLimit', operation: 'listfolder', retryAfter: 1 })
      await rclone.run('copyto', path, 'remote:Big.bin')
      expect(objects('/Big.bin')).toEqual([expect.objectContaining({ size: content.length, sha256: sha256(content) })])
      const part = await rclone.run('cat', 'remote:Big.bin', '--offset', '12000000', '--count', '1000')
      expect(part).toBe(content.slice(12_000_000, 12_001_000))
      const back = join(rclone.folder, 'back.bin')
      await rclone.run('copyto', 'remote:Big.bin', back)
      expect(readFileSync(back, 'latin1') === content).toBe(true)
    })

    test('one file is copied, moved, linked to and deleted', async () => {
      const one = write('one.txt', 'one')
      await rclone.run('copyto', one, 'remote:made/one.txt')
      await rclone.run('copyto', 'remote:made/one.txt', 'remote:made/two.txt')
      await rclone.run('moveto', 'remote:made/two.txt', 'remote:elsewhere/three.txt')
      expect(objects('/elsewhere/').map(({ path }) => path)).toEqual(['/elsewhere/three.txt'])
      expect((await rclone.run('link', 'remote:elsewhere/three.txt')).trim()).toMatch(/^https:\/\/u\.pcloud\.link\//)
      await rclone.run('deletefile', 'remote:elsewhere/three.txt')
      await rclone.run('moveto', 'remote:made', 'remote:renamed')
      expect(objects('/renamed/').map(({ path }) => path)).toEqual(['/renamed/one.txt'])
      await rclone.run('purge', 'remote:renamed')
      expect(objects('/renamed')).toEqual([])
    })

    test('a long list is complete, and the space is reported', async () => {
      pcloud.commands.plant({ user: EMAIL, path: '/many/', count: 2500, size: 3 })
      const listed = (await rclone.run('lsf', 'remote:many')).trim().split('\n').sort()
      expect([listed.length, listed[0], listed.at(-1)]).toEqual([2500, '00000', '02499'])
      const about = JSON.parse(await rclone.run('about', 'remote:', '--json')) as { total: number; used: number }
      expect(about.total).toBe(1e9)
      expect(about.used).toBeGreaterThan(20e6)
    })

    test('nothing that rclone did was a mistake of the emulator', () => {
      expect(emulators.log().filter(({ bug }) => bug)).toEqual([])
    })
  },
)
