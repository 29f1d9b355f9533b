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

  it('names shared drives, and lists and changes what is in one', async () => {
    const { id } = google.commands.addDrive({ name: 'Team', members: { [USER]: 'writer' } })
    google.commands.addDrive({ name: 'Others', members: {} })
    const known = JSON.parse(await rclone.run('backend', 'drives', 'remote:')) as { id: string; name: string }[]
    expect(known.map((drive) => [drive.id, drive.name])).toEqual([[id, 'Team']])
    const inDrive = ['--drive-team-drive', id]
    const local = join(rclone.folder, 'team')
    mkdirSync(join(local, 'Plans'), { recursive: true })
    writeFileSync(join(local, 'Plans', 'a.txt'), 'the plan')
    await rclone.run('copy', local, 'remote:', ...inDrive)
    expect((await rclone.run('lsf', '-R', 'remote:', ...inDrive)).trim().split('\n').sort()).toEqual([
      'Plans/',
      'Plans/a.txt',
    ])
    expect((await rclone.run('cat', 'remote:Plans/a.txt', ...inDrive)).toString()).toBe('the plan')
    // The user's own files do not contain them.
    expect(await rclone.run('lsf', '-R', '--include', 'a.txt', 'remote:Plans').catch(() => '')).toBe('')
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

  describe('what a person keeps there', () => {
    const FOLDER = 'application/vnd.google-apps.folder'
    const plant = async (name: string, more: object = {}) =>
      (await google.commands.plant({ user: USER, name, ...more })).id ?? ''
    let home = ''
    const lsf = async (...options: string[]) =>
      (await rclone.run('lsf', ...options))
        .split('\n')
        .filter((line) => line !== '')
        .sort()
    /** The paths in a folder as the emulator has them, with `/` after those of folders. */
    const held = async (folder: string, isTrashed = false) =>
      (await stored())
        .filter(({ path, trashed }) => path.startsWith(`/${folder}/`) && trashed === isTrashed)
        .map(({ path, isFolder }) => `${path.slice(folder.length + 2)}${isFolder ? '/' : ''}`)
        .sort()

    beforeAll(async () => {
      home = await plant('home', { mimeType: FOLDER })
      for (const year of ['2024', '2025']) {
        const folder = await plant(year, { mimeType: FOLDER, parent: home })
        for (const name of ['a.txt', 'b "c" \\ d.txt', 'Grüße.pdf']) await plant(name, { parent: folder, text: name })
        await plant('deep', { mimeType: FOLDER, parent: folder })
      }
    })

    it('is listed with its tree, folder by folder and at once', async () => {
      const expected = await held('home')
      expect(expected).toHaveLength(10)
      expect(await lsf('-R', 'remote:home')).toEqual(expected)
      expect(await lsf('-R', '--fast-list', 'remote:home')).toEqual(expected)
      expect(bugs()).toEqual([])
    })

    it('has documents that are exported, and shortcuts to files and folders', async () => {
      const target = await plant('target', { mimeType: FOLDER })
      const file = await plant('inside.txt', { parent: target, text: 'of the target' })
      const places = await plant('places', { mimeType: FOLDER })
      await plant('Letter', { parent: places, mimeType: 'application/vnd.google-apps.document', text: 'Dear' })
      const shortcut = { parent: places, mimeType: 'application/vnd.google-apps.shortcut' }
      await plant('to a folder', { ...shortcut, target })
      await plant('to a file', { ...shortcut, target: file })
      await plant('to nothing', { ...shortcut, target: 'there-is-no-such-file' })
      const all = ['Letter.docx', 'to a file', 'to a folder/', 'to a folder/inside.txt', 'to nothing']
      expect(await lsf('-R', 'remote:places')).toEqual(all)
      expect(await lsf('-R', '--drive-skip-shortcuts', '--drive-skip-gdocs', 'remote:places')).toEqual([])
      expect(await rclone.run('cat', 'remote:places/to a file')).toBe('of the target')
      await rclone.run('backend', 'shortcut', 'remote:', 'target/inside.txt', 'places/made')
      expect(await rclone.run('cat', 'remote:places/made')).toBe('of the target')
      // A shortcut that is deleted leaves what it points to.
      await rclone.run('deletefile', 'remote:places/made')
      expect(await rclone.run('cat', 'remote:target/inside.txt')).toBe('of the target')
      expect(bugs()).toEqual([])
    })

    it('goes to the trash with all that is in it, and comes back', async () => {
      await rclone.run('purge', 'remote:home/2024')
      expect(await lsf('-R', 'remote:home')).toEqual(await held('home'))
      const trashed = await held('home', true)
      expect(trashed).toHaveLength(5)
      // rclone lists what is trashed in itself, and folders on the way to it.
      expect(await lsf('--drive-trashed-only', '--dirs-only', 'remote:home')).toContain('2024/')
      await rclone.run('deletefile', 'remote:home/2025/a.txt')
      expect(await lsf('--drive-trashed-only', '--files-only', 'remote:home/2025')).toEqual(['a.txt'])
      expect(JSON.parse(await rclone.run('backend', 'untrash', 'remote:home'))).toMatchObject({ Errors: 0 })
      expect(await held('home', true)).toEqual([])
      expect(await lsf('-R', 'remote:home')).toEqual(await held('home'))
      expect(bugs()).toEqual([])
    })

    it('can have equal names, which are found and told apart', async () => {
      const twins = await plant('twins', { mimeType: FOLDER })
      for (const text of ['same', 'same', 'other']) await plant('twin.txt', { parent: twins, text })
      const again = await plant('folder', { mimeType: FOLDER, parent: twins })
      const second = await plant('folder', { mimeType: FOLDER, parent: twins })
      await plant('x.txt', { parent: again, text: 'x' })
      await plant('y.txt', { parent: second, text: 'y' })
      expect(await lsf('--files-only', 'remote:twins')).toEqual(['twin.txt', 'twin.txt', 'twin.txt'])
      await rclone.run('dedupe', '--dedupe-mode', 'rename', 'remote:twins')
      // Equal bytes are one file then, different ones have numbers, and the folders are one.
      expect(await lsf('-R', 'remote:twins')).toEqual(
        ['folder/', 'folder/x.txt', 'folder/y.txt', 'twin-1.txt', 'twin-2.txt'].sort(),
      )
      expect(await held('twins')).toEqual(await lsf('-R', 'remote:twins'))
      expect(bugs()).toEqual([])
    })

    it('that others share is listed apart', async () => {
      const other = 'ben@example.org'
      google.commands.addUser({ email: other, name: 'Ben Baker', quotaBytes: 100 * MIB })
      const { id = '' } = await google.commands.plant({ user: other, name: 'from Ben', mimeType: FOLDER })
      await google.commands.plant({ user: other, name: 'ours.txt', parent: id, text: 'ours' })
      google.commands.share({ user: other, id, with: USER, role: 'reader' })
      expect(await lsf('-R', '--drive-shared-with-me', 'remote:')).toEqual(['from Ben/', 'from Ben/ours.txt'])
      expect((await lsf('remote:')).includes('from Ben/')).toBe(false)
      expect(bugs()).toEqual([])
    })

    it('tells of its changes', async () => {
      await rclone.run('lsf', 'remote:home')
      const following = rclone.follow('test', 'changenotify', '--poll-interval', '1s', 'remote:home')
      try {
        const polled = () => emulators.log().filter(({ operation }) => operation === 'drive.changes.list').length
        await expect.poll(polled).toBeGreaterThan(0)
        const added = await plant('added.txt', { parent: home, text: 'new' })
        await expect.poll(following.reported).toContain('added.txt')
        await google.commands.alter({ user: USER, id: added, name: 'renamed.txt' })
        await expect.poll(following.reported).toContain('renamed.txt')
      } finally {
        await following.stop()
      }
      expect(bugs()).toEqual([])
    })
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
