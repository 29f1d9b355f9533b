import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRclone, isRcloneThere, type Rclone } from '../../fakes/core/rclone.ts'
import { startTlsProxy, type TlsProxy } from '../../fakes/core/tlsProxy.ts'
import { DROPBOX_CLIENT } from '../../fakes/dropbox/dropbox.ts'
import { connect, EMAIL, type Harness, startDropbox } from './dropboxHarness.ts'

let dropbox: Harness
let proxy: TlsProxy
let rclone: Rclone

if (!isRcloneThere()) console.info('Skipped: rclone is not installed, so it cannot judge the emulated Dropbox.')

describe.skipIf(!isRcloneThere())('rclone, against the emulated Dropbox', () => {
  beforeAll(async () => {
    dropbox = await startDropbox()
    dropbox.commands.setQuota({ user: EMAIL, quotaBytes: 1e9 })
    proxy = await startTlsProxy(dropbox.url, dropbox.hosts)
    const { access_token, refresh_token } = await connect(dropbox)
    // Expired by rclone's clock: its first act is to refresh.
    const token = { access_token, refresh_token, token_type: 'bearer', expiry: '2020-01-01T00:00:00Z' }
    const { id: client_id, secret: client_secret } = DROPBOX_CLIENT
    rclone = createRclone(proxy, { type: 'dropbox', client_id, client_secret, token: JSON.stringify(token) })
  })
  afterAll(async () => {
    rclone?.close()
    await proxy?.close()
    await dropbox?.close()
  })

  function write(name: string, content: string): string {
    const path = join(rclone.folder, 'local', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
    utimesSync(path, 1_577_934_245, 1_577_934_245)
    return path
  }

  const objects = (path: string) => dropbox.commands.objects({ user: EMAIL, path })
  const sha256 = (content: string) => createHash('sha256').update(content).digest('hex')
  const ODD_NAMES = [
    'plain.txt',
    'sub/Grüße 你好 🎉.txt',
    "sub/it's (1) [x] %41+&=.txt",
    'sub/ leading.txt',
    'sub/dot.',
    'empty',
  ]

  test('a small set with odd names arrives, and agrees with the original', async () => {
    const odd = join(rclone.folder, 'local/odd')
    for (const name of ODD_NAMES) write(`odd/${name}`, name === 'empty' ? '' : `content of ${name}`)
    await rclone.run('copy', odd, 'remote:odd')
    const stored = (await objects('/odd/')).filter(({ isFolder }) => !isFolder)
    expect(stored.map(({ path }) => path).sort()).toEqual(ODD_NAMES.map((name) => `/odd/${name}`).sort())
    expect(stored.find(({ path }) => path === '/odd/plain.txt')?.sha256).toBe(sha256('content of plain.txt'))
    await rclone.run('check', odd, 'remote:odd')
    await rclone.run('check', '--download', odd, 'remote:odd')
    // Modification times are whole seconds on both sides: nothing is sent again.
    dropbox.resetLog()
    await rclone.run('copy', odd, 'remote:odd')
    expect(dropbox.log().filter(({ operation }) => operation.includes('upload'))).toEqual([])
  })

  test('a file in pieces survives a lost reply and being told to wait', async () => {
    const content = randomBytes(30 * 1024 * 1024).toString('hex')
    const path = write('big.bin', content)
    dropbox.plan({ kind: 'lostReply', operation: 'files/upload_session/append_v2', after: 1 })
    dropbox.plan({ kind: 'rateLimit', operation: 'files/upload_session/append_v2', after: 3, retryAfter: 1 })
    dropbox.resetLog()
    await rclone.run('copyto', '--dropbox-chunk-size', '8M', path, 'remote:Big.bin')
    const faults = dropbox.log().flatMap(({ faults }) => faults)
    expect(faults).toEqual(['lostReply', 'rateLimit'])
    expect(await objects('/Big.bin')).toEqual([
      expect.objectContaining({ size: content.length, sha256: sha256(content) }),
    ])
    const part = await rclone.run('cat', 'remote:Big.bin', '--offset', '20000000', '--count', '1000')
    expect(part).toBe(content.slice(20_000_000, 20_001_000))
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
    expect(link).toMatch(/^https:\/\/www\.dropbox\.com\/scl\/fi\//)
    expect((await rclone.run('link', 'remote:elsewhere/three.txt')).trim()).toBe(link)
    await rclone.run('deletefile', 'remote:elsewhere/three.txt')
    await rclone.run('moveto', 'remote:made', 'remote:renamed')
    expect((await objects('/renamed/')).map(({ path }) => path)).toEqual(['/renamed/one.txt'])
    await rclone.run('purge', 'remote:renamed')
    expect(await objects('/renamed')).toEqual([])
  })

  test('a long list comes whole, and the space is told', async () => {
    await dropbox.commands.plant({ user: EMAIL, path: '/many/', count: 2500, size: 3 })
    const listed = (await rclone.run('lsf', 'remote:many')).trim().split('\n')
    expect([listed.length, listed[0], listed.at(-1)]).toEqual([2500, '00000', '02499'])
    const about = JSON.parse(await rclone.run('about', 'remote:', '--json')) as { total: number; used: number }
    expect(about.total).toBe(1e9)
    expect(about.used).toBeGreaterThan(60e6)
  })

  test('a tree of a person is listed whole, whatever case its paths have', async () => {
    const files = ['/Kept/2024/A.txt', '/Kept/2024/b ünï.txt', '/kept/2024/Deep/c.txt', '/KEPT/2025/d.txt'].map(
      (path) => ({
        path,
        text: path,
      }),
    )
    await dropbox.commands.plantTree({ user: EMAIL, files })
    await dropbox.commands.plant({ user: EMAIL, path: '/Kept/empty', folder: true })
    const lsf = async (...options: string[]) =>
      (await rclone.run('lsf', ...options))
        .split('\n')
        .filter((line) => line !== '')
        .sort()
    const held = async () =>
      (await objects('/'))
        .filter(({ path }) => path.toLowerCase().startsWith('/kept/'))
        .map(({ path, isFolder }) => `${path.slice('/kept/'.length)}${isFolder ? '/' : ''}`)
        .sort()
    const expected = await held()
    expect(expected).toEqual([
      '2024/',
      '2024/A.txt',
      '2024/Deep/',
      '2024/Deep/c.txt',
      '2024/b ünï.txt',
      '2025/',
      '2025/d.txt',
      'empty/',
    ])
    expect(await lsf('-R', 'remote:kept')).toEqual(expected)
    // What is in the trash is in no list.
    await dropbox.commands.trash({ user: EMAIL, path: '/Kept/2024/A.txt' })
    expect(await lsf('-R', 'remote:kept')).toEqual(await held())
    expect((await held()).includes('2024/A.txt')).toBe(false)
    await rclone.run('moveto', 'remote:Kept/2024/Deep', 'remote:Kept/2025/deep')
    expect(await lsf('-R', 'remote:kept')).toEqual(await held())
  })

  test('changes are told of while it waits', async () => {
    await dropbox.commands.plant({ user: EMAIL, path: '/Watched', folder: true })
    dropbox.resetLog()
    const following = rclone.follow('test', 'changenotify', '--poll-interval', '1s', 'remote:Watched')
    try {
      const waiting = () => dropbox.log().filter(({ operation }) => operation.includes('get_latest_cursor')).length
      await expect.poll(waiting).toBeGreaterThan(0)
      await dropbox.commands.plant({ user: EMAIL, path: '/Watched/new.txt', text: 'new' })
      await expect.poll(following.reported).toContain('new.txt')
      await dropbox.commands.alter({ user: EMAIL, path: '/Watched/new.txt', to: '/Watched/renamed.txt' })
      await expect.poll(following.reported).toContain('renamed.txt')
    } finally {
      await following.stop()
    }
  })

  test('nothing that rclone did was a mistake of the emulator', () => {
    expect(dropbox.log().filter(({ bug }) => bug)).toEqual([])
  })
})
