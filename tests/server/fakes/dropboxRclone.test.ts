import { execFile, execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTlsProxy, type TlsProxy } from '../../fakes/core/tlsProxy.ts'
import type { ListedObject } from '../../fakes/dropbox/commands.ts'
import { DROPBOX_CLIENT, DROPBOX_HOSTS } from '../../fakes/dropbox/dropbox.ts'
import { connect, EMAIL, type Harness, startDropbox } from './dropboxHarness.ts'

const RCLONE = '/usr/bin/rclone'
const isThere = existsSync(RCLONE) && hasOpenssl()
if (!isThere) console.log(`Skipped: rclone as a judge of the emulated Dropbox needs ${RCLONE} and openssl.`)

function hasOpenssl(): boolean {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

let dropbox: Harness
let proxy: TlsProxy
let folder: string
beforeAll(async () => {
  if (!isThere) return
  dropbox = await startDropbox()
  await dropbox.command('changeUser', { user: EMAIL, quotaBytes: 1e9 })
  proxy = await startTlsProxy(dropbox.url, DROPBOX_HOSTS)
  folder = await mkdtemp(join(tmpdir(), 'dropbox-rclone-'))
  const { access_token, refresh_token } = await connect(dropbox)
  // Expired by rclone's clock: its first act is to refresh.
  const token = { access_token, refresh_token, token_type: 'bearer', expiry: '2020-01-01T00:00:00Z' }
  const config = { type: 'dropbox', client_id: DROPBOX_CLIENT.id, client_secret: DROPBOX_CLIENT.secret }
  const lines = Object.entries({ ...config, token: JSON.stringify(token) }).map(([name, value]) => `${name} = ${value}`)
  await writeFile(join(folder, 'rclone.conf'), `[box]\n${lines.join('\n')}\n`)
})
afterAll(async () => {
  if (!isThere) return
  await proxy.close()
  await dropbox.close()
  await rm(folder, { recursive: true })
})

/** What rclone prints; rejects with what it complains of. */
async function rclone(...args: string[]): Promise<Buffer> {
  const fixed = [
    '--config',
    join(folder, 'rclone.conf'),
    '--ca-cert',
    proxy.caFile,
    '--retries',
    '1',
    '--tpslimit',
    '0',
  ]
  const env = { HTTPS_PROXY: proxy.url, PATH: process.env.PATH ?? '', HOME: folder, XDG_CACHE_HOME: folder }
  const { stdout } = await promisify(execFile)(RCLONE, [...args, ...fixed], {
    env,
    encoding: 'buffer',
    maxBuffer: 100e6,
  })
  return stdout
}

async function write(name: string, content: Buffer | string): Promise<string> {
  const path = join(folder, 'local', name)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
  await utimes(path, 1_577_934_245, 1_577_934_245)
  return path
}

const objects = async (path: string) => (await dropbox.command('objects', { user: EMAIL, path })) as ListedObject[]
const sha256 = (content: Buffer | string) => createHash('sha256').update(content).digest('hex')
const ODD_NAMES = [
  'plain.txt',
  'sub/Grüße 你好 🎉.txt',
  "sub/it's (1) [x] %41+&=.txt",
  'sub/ leading.txt',
  'sub/dot.',
  'empty',
]

test.runIf(isThere)('a small set with odd names arrives, and agrees with the original', async () => {
  for (const name of ODD_NAMES) await write(`odd/${name}`, name === 'empty' ? '' : `content of ${name}`)
  await rclone('copy', join(folder, 'local/odd'), 'box:odd')
  const stored = (await objects('/odd/')).filter(({ kind }) => kind === 'file')
  expect(stored.map(({ path }) => path).sort()).toEqual(ODD_NAMES.map((name) => `/odd/${name}`).sort())
  expect(stored.find(({ path }) => path === '/odd/plain.txt')?.sha256).toBe(sha256('content of plain.txt'))
  await rclone('check', join(folder, 'local/odd'), 'box:odd')
  await rclone('check', '--download', join(folder, 'local/odd'), 'box:odd')
  // Modification times are whole seconds on both sides: nothing is sent again.
  dropbox.resetLog()
  await rclone('copy', join(folder, 'local/odd'), 'box:odd')
  expect(dropbox.log().filter(({ operation }) => operation.includes('upload'))).toEqual([])
})

test.runIf(isThere)('a file in pieces survives a lost reply and being told to wait', async () => {
  const content = randomBytes(60 * 1024 * 1024)
  const path = await write('big.bin', content)
  dropbox.plan({ kind: 'lostReply', operation: 'files/upload_session/append_v2', after: 1 })
  dropbox.plan({ kind: 'rateLimit', operation: 'files/upload_session/append_v2', after: 3, retryAfter: 1 })
  dropbox.resetLog()
  await rclone('copyto', '--dropbox-chunk-size', '8M', path, 'box:Big.bin')
  const faults = dropbox.log().flatMap(({ faults }) => faults)
  expect(faults).toEqual(['lostReply', 'rateLimit'])
  expect(await objects('/Big.bin')).toEqual([
    expect.objectContaining({ size: content.length, sha256: sha256(content) }),
  ])
  const part = await rclone('cat', 'box:Big.bin', '--offset', '20000000', '--count', '1000')
  expect(part.equals(content.subarray(20_000_000, 20_001_000))).toBe(true)
  await rclone('copyto', 'box:Big.bin', join(folder, 'back.bin'))
  expect((await readFile(join(folder, 'back.bin'))).equals(content)).toBe(true)
})

test.runIf(isThere)('one file is copied, moved, linked to and deleted', async () => {
  await write('one.txt', 'one')
  await rclone('copyto', join(folder, 'local/one.txt'), 'box:made/one.txt')
  await rclone('copyto', 'box:made/one.txt', 'box:made/two.txt')
  await rclone('moveto', 'box:made/two.txt', 'box:elsewhere/three.txt')
  expect((await objects('/elsewhere/')).map(({ path }) => path)).toEqual(['/elsewhere/three.txt'])
  const link = (await rclone('link', 'box:elsewhere/three.txt')).toString().trim()
  expect(link).toMatch(/^https:\/\/www\.dropbox\.com\/scl\/fi\//)
  expect((await rclone('link', 'box:elsewhere/three.txt')).toString().trim()).toBe(link)
  await rclone('deletefile', 'box:elsewhere/three.txt')
  await rclone('moveto', 'box:made', 'box:renamed')
  expect((await objects('/renamed/')).map(({ path }) => path)).toEqual(['/renamed/one.txt'])
  await rclone('purge', 'box:renamed')
  expect(await objects('/renamed')).toEqual([])
})

test.runIf(isThere)('a long list comes whole, and the space is told', async () => {
  await dropbox.command('plantMany', { user: EMAIL, path: '/many', count: 2500, size: 3 })
  const listed = (await rclone('lsf', 'box:many')).toString().trim().split('\n')
  expect([listed.length, listed[0], listed.at(-1)]).toEqual([2500, '00000.bin', '02499.bin'])
  const about = JSON.parse((await rclone('about', 'box:', '--json')).toString()) as { total: number; used: number }
  expect(about.total).toBe(1e9)
  expect(about.used).toBeGreaterThan(60e6)
})

test.runIf(isThere)('nothing that rclone did was a mistake of the emulator', () => {
  expect(dropbox.log().filter(({ bug }) => bug)).toEqual([])
})
