import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isRcloneThere } from '../../fakes/core/rclone.ts'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { createNextcloud, NEXTCLOUD_HOST } from '../../fakes/nextcloud/nextcloud.ts'

const PASSWORD = 'abcde-fghij'
const folder = mkdtempSync(join(tmpdir(), 'skypool-rclone-'))
let emulators: Emulators

async function rclone(...options: string[]): Promise<string> {
  const all = ['--config', join(folder, 'rclone.conf'), '--retries', '1', '--low-level-retries', '1', ...options]
  return (await promisify(execFile)('/usr/bin/rclone', all, { env: { HOME: folder, PATH: process.env.PATH } })).stdout
}

/** A client that others have written finds in the emulated Nextcloud what it expects of a real one. */
describe.skipIf(!isRcloneThere())('rclone at the emulated Nextcloud', () => {
  beforeAll(async () => {
    const nextcloud = createNextcloud()
    emulators = await startEmulators({ services: [nextcloud] })
    nextcloud.commands.addUser({ id: 'ann', appPassword: PASSWORD, quotaBytes: 1_000_000 })
    const pass = (await promisify(execFile)('/usr/bin/rclone', ['obscure', PASSWORD])).stdout.trim()
    const url = `${emulators.url}/@${NEXTCLOUD_HOST}/remote.php/dav/files/ann/`
    writeFileSync(
      join(folder, 'rclone.conf'),
      `[remote]\ntype = webdav\nvendor = nextcloud\nurl = ${url}\nuser = ann\npass = ${pass}\n`,
    )
    for (const name of ['in', 'in/deep']) mkdirSync(join(folder, name))
    for (const name of ["it's 100% #1?.txt", 'Grüße 文件.txt', 'deep/a+b &c.bin', 'empty']) {
      writeFileSync(join(folder, 'in', name), name === 'empty' ? '' : name.repeat(500))
    }
  })
  afterAll(async () => {
    await emulators?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('stores, compares, reads, moves, copies and deletes', async () => {
    await rclone('copy', join(folder, 'in'), 'remote:all')
    await rclone('check', '--download', join(folder, 'in'), 'remote:all')
    await rclone('copy', 'remote:all', join(folder, 'out'))
    expect(readFileSync(join(folder, 'out/deep/a+b &c.bin'), 'utf8')).toBe('deep/a+b &c.bin'.repeat(500))
    expect(await rclone('cat', '--offset', '5', '--count', '4', 'remote:all/Grüße 文件.txt')).toBe(
      Buffer.from('Grüße 文件.txt').subarray(5, 9).toString(),
    )
    await rclone('moveto', 'remote:all/empty', 'remote:all/deep/moved')
    await rclone('copyto', 'remote:all/deep/moved', 'remote:copied')
    await rclone('moveto', 'remote:all/deep', 'remote:elsewhere')
    const listed = JSON.parse(await rclone('lsjson', '-R', 'remote:')) as {
      Path: string
      Size: number
      ModTime: string
    }[]
    expect(listed.map(({ Path }) => Path).toSorted()).toEqual(
      ['Grüße 文件.txt', "it's 100% #1?.txt"]
        .map((name) => `all/${name}`)
        .concat(['all', 'copied', 'elsewhere', 'elsewhere/a+b &c.bin', 'elsewhere/moved'])
        .toSorted(),
    )
    const about = JSON.parse(await rclone('about', '--json', 'remote:')) as { used: number; free: number }
    expect(about.used + about.free).toBe(1_000_000)
    await rclone('purge', 'remote:all')
    await rclone('deletefile', 'remote:copied')
    expect((await rclone('lsf', 'remote:')).trim()).toBe('elsewhere/')
  })

  it('keeps times, and refuses what Nextcloud refuses', async () => {
    await rclone('copyto', join(folder, 'in/empty'), 'remote:timed')
    const [timed] = JSON.parse(await rclone('lsjson', 'remote:timed')) as { ModTime: string }[]
    const [own] = JSON.parse(await rclone('lsjson', join(folder, 'in/empty'))) as { ModTime: string }[]
    expect(Math.floor(Date.parse(timed?.ModTime ?? '') / 1000)).toBe(Math.floor(Date.parse(own?.ModTime ?? '') / 1000))
    await expect(rclone('copyto', join(folder, 'in/empty'), 'remote:bad.part')).rejects.toThrow(/400|Invalid|copyto/i)
  })
})
