import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRclone, isRcloneThere, type Rclone } from '../../fakes/core/rclone.ts'
import { startTlsProxy, type TlsProxy } from '../../fakes/core/tlsProxy.ts'
import { ONEDRIVE_CLIENT } from '../../fakes/onedrive/onedrive.ts'
import { EMAIL, type Harness, startOneDrive } from './onedriveHarness.ts'

let oneDrive: Harness
let proxy: TlsProxy
let rclone: Rclone

if (!isRcloneThere()) console.info('Skipped: rclone is not installed, so it cannot judge the emulated OneDrive.')

describe.skipIf(!isRcloneThere()).each(['personal', 'business'] as const)(
  'rclone, against the emulated OneDrive (%s)',
  (driveType) => {
    beforeAll(async () => {
      oneDrive = await startOneDrive(driveType)
      // rclone 1.60 sends its token to the addresses of uploads and contents, which the service refuses.
      oneDrive.commands.tolerateTokens({ on: true })
      proxy = await startTlsProxy(oneDrive.url, oneDrive.hosts)
      const { access_token, refresh_token } = oneDrive.commands.mintToken({ user: EMAIL })
      // Expired by rclone's clock: its first act is to refresh.
      const token = { access_token, refresh_token, token_type: 'Bearer', expiry: '2020-01-01T00:00:00Z' }
      const { id: client_id, secret: client_secret } = ONEDRIVE_CLIENT
      const { driveId: drive_id } = oneDrive.user
      const settings = { client_id, client_secret, drive_id, drive_type: driveType }
      rclone = createRclone(proxy, { type: 'onedrive', ...settings, token: JSON.stringify(token) })
    })
    afterAll(async () => {
      rclone?.close()
      await proxy?.close()
      await oneDrive?.close()
    })

    function write(name: string, content: string): string {
      const path = join(rclone.folder, 'local', name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      utimesSync(path, 1_577_934_245, 1_577_934_245)
      return path
    }

    const objects = (path: string) => oneDrive.commands.objects({ user: EMAIL, path })
    const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')
    const ODD_NAMES = ['plain.txt', 'sub/Grüße 你好 🎉.txt', "sub/it's (1) [x] %41+&=#.txt", 'empty', '.hidden']

    test('a small set with odd names arrives, and agrees with the original', async () => {
      const odd = join(rclone.folder, 'local/odd')
      for (const name of ODD_NAMES) write(`odd/${name}`, name === 'empty' ? '' : `content of ${name}`)
      await rclone.run('copy', odd, 'remote:odd')
      const stored = (await objects('/odd/')).filter(({ isFolder }) => !isFolder)
      expect(stored.map(({ path }) => path).sort()).toEqual(ODD_NAMES.map((name) => `/odd/${name}`).sort())
      expect(stored.find(({ path }) => path === '/odd/plain.txt')?.sha256).toBe(sha256('content of plain.txt'))
      // By QuickXorHash, and by the bytes.
      await rclone.run('check', odd, 'remote:odd')
      await rclone.run('check', '--download', odd, 'remote:odd')
      // The times are kept: nothing is sent again.
      oneDrive.resetLog()
      await rclone.run('copy', odd, 'remote:odd')
      expect(oneDrive.log().filter(({ operation }) => /upload|content/.test(operation))).toEqual([])
    })

    test('a file in parts survives a lost reply and being told to wait', async () => {
      const content = randomBytes(8 * 1024 * 1024).toString('hex')
      const path = write('big.bin', content)
      oneDrive.plan({ kind: 'lostReply', operation: 'upload.put', after: 1 })
      oneDrive.plan({ kind: 'rateLimit', operation: 'upload.put', after: 3, retryAfter: 1 })
      oneDrive.resetLog()
      await rclone.run('copyto', '--onedrive-chunk-size', '2560k', path, 'remote:Big.bin')
      expect(oneDrive.log().flatMap(({ faults }) => faults)).toEqual(['lostReply', 'rateLimit'])
      expect(await objects('/Big.bin')).toEqual([
        expect.objectContaining({ size: content.length, sha256: sha256(content) }),
      ])
      const part = await rclone.run('cat', 'remote:Big.bin', '--offset', '10000000', '--count', '1000')
      expect(part).toBe(content.slice(10_000_000, 10_001_000))
      const back = join(rclone.folder, 'back.bin')
      await rclone.run('copyto', 'remote:Big.bin', back)
      expect(readFileSync(back, 'latin1') === content).toBe(true)
    })

    test('one file is copied, moved, linked to and deleted', async () => {
      const one = write('one.txt', 'one')
      await rclone.run('copyto', one, 'remote:made/one.txt')
      await rclone.run('copyto', 'remote:made/one.txt', 'remote:made/two.txt')
      await rclone.run('moveto', 'remote:made/two.txt', 'remote:elsewhere/three.txt')
      expect((await objects('/elsewhere/')).map(({ path }) => path)).toEqual(['/elsewhere/three.txt'])
      const link = (await rclone.run('link', 'remote:elsewhere/three.txt')).trim()
      expect(link).toMatch(/^https:\/\/(1drv\.ms|contoso-my\.sharepoint\.com)\//)
      expect((await rclone.run('link', 'remote:elsewhere/three.txt')).trim()).toBe(link)
      await rclone.run('deletefile', 'remote:elsewhere/three.txt')
      await rclone.run('moveto', 'remote:made', 'remote:renamed')
      expect((await objects('/renamed/')).map(({ path }) => path)).toEqual(['/renamed/one.txt'])
      await rclone.run('purge', 'remote:renamed')
      expect(await objects('/renamed')).toEqual([])
    })

    test('a long list is complete, and so is the space', async () => {
      await oneDrive.commands.plant({ user: EMAIL, path: '/many/', count: 2500, size: 3 })
      const listed = (await rclone.run('lsf', 'remote:many')).trim().split('\n')
      expect([listed.length, listed[0], listed.at(-1)]).toEqual([2500, '00000', '02499'])
      const about = JSON.parse(await rclone.run('about', 'remote:', '--json')) as { total: number; used: number }
      expect(about.total).toBe(1e9)
      expect(about.used).toBeGreaterThan(16e6)
    })

    test('a tree of a person is listed completely', async () => {
      const files = ['/Kept/2024/A.txt', '/Kept/2024/b ünï.txt', '/Kept/2025/d.txt'].map((path) => ({
        path,
        text: path,
      }))
      await oneDrive.commands.plantTree({ user: EMAIL, files })
      const lsf = async () => (await rclone.run('lsf', '-R', 'remote:Kept')).split('\n').filter(Boolean).sort()
      expect(await lsf()).toEqual(['2024/', '2024/A.txt', '2024/b ünï.txt', '2025/', '2025/d.txt'])
      oneDrive.commands.trash({ user: EMAIL, path: '/Kept/2024/A.txt' })
      expect(await lsf()).toEqual(['2024/', '2024/b ünï.txt', '2025/', '2025/d.txt'])
    })

    test('nothing that rclone did was a mistake of the emulator', () => {
      expect(oneDrive.log().filter(({ bug }) => bug)).toEqual([])
    })
  },
)
