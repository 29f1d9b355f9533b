import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createArchiveNames, portableName } from '../../server/domain/files/content/archive.ts'
import { createZip } from '../../server/domain/files/content/zip.ts'
import { newId, publicId } from '../../server/lib/ids.ts'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'

let server: FilesServer
let ada: SignedIn
const folder = mkdtempSync(join(tmpdir(), 'skypool-zip-'))

beforeAll(async () => {
  server = await startFilesServer()
  ada = await server.signIn()
})
afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
})

const get = (path: string, init: RequestInit = {}) =>
  fetch(`${server.url}/api/v1/files/${path}`, { headers: { cookie: ada.cookie }, ...init })
const archiveOf = (...ids: string[]) => get(`archive?ids=${ids.map((id) => publicId('File', id)).join(',')}`)

/** Unpacked by Python, which verifies every checksum: path to content; folders, also empty ones, end with a slash. */
async function unpack(response: Response): Promise<Record<string, string>> {
  expect(response.status).toBe(200)
  const target = mkdtempSync(join(folder, 'x-'))
  const zip = join(target, 'a.zip')
  writeFileSync(zip, Buffer.from(await response.arrayBuffer()))
  execFileSync('python3', [
    '-c',
    'import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2])',
    zip,
    join(target, 'out'),
  ])
  const entries = readdirSync(join(target, 'out'), { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const name = path.slice(join(target, 'out').length + 1)
      return entry.isDirectory() ? [`${name}/`, ''] : [name, readFileSync(path, 'utf8')]
    }),
  )
}

describe('a folder downloaded as a ZIP', () => {
  it('holds everything below it, empty folders too, and nothing from the trash', async () => {
    const top = await ada.make({ kind: 'FOLDER', name: 'Über uns' })
    const inner = await ada.make({ kind: 'FOLDER', name: 'inner', parentId: top })
    await ada.make({ kind: 'FOLDER', name: 'empty', parentId: inner })
    await ada.make({ name: '報告.txt', parentId: inner, content: 'deep' })
    await ada.make({ name: 'a.txt', parentId: top, content: 'flat' })
    await ada.make({ name: 'zero.txt', parentId: top, content: '' })
    const gone = await ada.make({ name: 'gone.txt', parentId: top, content: 'no' })
    await server.services.files.trash(ada.viewer, [gone])
    const response = await get(`${publicId('File', top)}/download`)
    expect(response.headers.get('content-type')).toBe('application/zip')
    expect(response.headers.get('content-disposition')).toContain("filename*=UTF-8''%C3%9Cber%20uns.zip")
    expect(await unpack(response)).toEqual({
      'Über uns/': '',
      'Über uns/inner/': '',
      'Über uns/inner/empty/': '',
      'Über uns/inner/報告.txt': 'deep',
      'Über uns/a.txt': 'flat',
      'Über uns/zero.txt': '',
    })
  })

  it('has more entries than a page of a list', async () => {
    const top = await ada.make({ kind: 'FOLDER', name: 'many' })
    await server.pool.query(
      `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category)
       select gen_random_uuid(), $1, $2, 'FOLDER', n, n, n, n, 'FOLDER' from (select 'f' || i as n from generate_series(1, 450) i) x`,
      [ada.viewer.userId, top],
    )
    expect(Object.keys(await unpack(await get(`${publicId('File', top)}/download`)))).toHaveLength(451)
  })

  it('answers HEAD without making it', async () => {
    const top = await ada.make({ kind: 'FOLDER', name: 'head' })
    const response = await get(`${publicId('File', top)}/download`, { method: 'HEAD', headers: { cookie: ada.cookie } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/zip'])
  })
})

describe('a selection as a ZIP', () => {
  it('keeps names apart and portable', async () => {
    const [one, two] = [
      await ada.make({ kind: 'FOLDER', name: 'one' }),
      await ada.make({ kind: 'FOLDER', name: 'two' }),
    ]
    const ids = [
      await ada.make({ name: 'a.txt', parentId: one, content: '1' }),
      await ada.make({ name: 'A.txt', parentId: two, content: '2' }),
      await ada.make({ name: 'x\\..\\y?.txt', content: '3' }),
    ]
    expect(await unpack(await archiveOf(...ids))).toEqual({ 'a.txt': '1', 'A (2).txt': '2', 'x_.._y_.txt': '3' })
  })

  it('is not cut by a file that cannot be read, and says which', async () => {
    const [good, bad, short] = [
      await ada.make({ name: 'good.txt', content: 'good' }),
      await ada.make({ name: 'bad.txt', content: 'bad' }),
      await ada.make({ name: 'short.txt', content: 'short', size: 1_000_000 }),
    ]
    const { rows } = await server.pool.query(
      'select object_ref from pieces p join copies c on c.id = p.copy_id where c.file_id = $1',
      [bad],
    )
    await server.store.delete(rows[0].object_ref)
    const files = await unpack(await archiveOf(bad, good))
    expect(Object.keys(files)).toEqual(['_errors.txt', 'good.txt'])
    expect(files['_errors.txt']).toMatch(/^bad\.txt: is missing here\. .*\n$/)
    // A file that broke off must fail to unpack.
    const zip = join(folder, 'cut.zip')
    writeFileSync(zip, Buffer.from(await (await archiveOf(short, good)).arrayBuffer()))
    const look = `import sys, zipfile; z = zipfile.ZipFile(sys.argv[1])
print(z.testzip(), z.read('good.txt').decode(), z.read('_errors.txt').decode())`
    const seen = execFileSync('python3', ['-c', look, zip]).toString()
    expect(seen).toMatch(/^short\.txt good short\.txt: is cut off here/)
  })

  it('leaves out what stands deeper than a ZIP can name, says so, and holds all else', async () => {
    const top = await ada.make({ kind: 'FOLDER', name: 'deep' })
    await ada.make({ name: 'first.txt', parentId: top, content: 'first' })
    const ids = Array.from({ length: 263 }, () => newId())
    await server.pool.query(
      `insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category)
       select id, $1, parent, 'FOLDER', n, n, n, n, 'FOLDER'
       from unnest($2::uuid[], $3::uuid[]) i(id, parent), (select repeat('x', 250) as n) name`,
      [ada.viewer.userId, ids, [top, ...ids.slice(0, -1)]],
    )
    const last = ids.at(-1) ?? ''
    await ada.make({ name: 'unreachable.txt', parentId: last, content: 'no' })
    await ada.make({ name: 'named.txt', parentId: ids[100] ?? '', content: 'deep down' })
    await ada.make({ name: 'zuletzt.txt', parentId: top, content: 'last' })
    const target = join(folder, 'deep.zip')
    writeFileSync(target, Buffer.from(await (await get(`${publicId('File', top)}/download`)).arrayBuffer()))
    const script = `import json, sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None
print(json.dumps([[i.filename[-20:], len(i.filename), z.read(i).decode()] for i in z.infolist() if not i.is_dir()]))`
    const files: [string, number, string][] = JSON.parse(
      execFileSync('python3', ['-c', script, target], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
    )
    const contents = new Map(files.map(([name, , content]) => [name.split('/').at(-1), content]))
    expect(contents.get('first.txt')).toBe('first')
    expect(contents.get('named.txt')).toBe('deep down')
    expect(contents.get('zuletzt.txt')).toBe('last')
    expect(contents.has('unreachable.txt')).toBe(false)
    const report = contents.get('_errors.txt') ?? ''
    expect(report).toMatch(
      /^deep\/[x/]+…[x/]+: and all that is in it is missing here: its path is longer than a ZIP can hold/,
    )
    expect(report.length).toBeLessThan(2_000)
  })

  it('refuses ids of others and nonsense', async () => {
    const bob = await server.signIn()
    const theirs = await bob.make({ content: 'x' })
    expect((await archiveOf(await ada.make({ content: 'x' }), theirs)).status).toBe(404)
    expect((await get('archive?ids=')).status).toBe(400)
    expect((await get('archive?ids=nonsense')).status).toBe(404)
  })

  it('stops when the client leaves', async () => {
    const big = await ada.make({ name: 'big', content: Buffer.alloc(32 * 1024 * 1024) })
    const leaving = new AbortController()
    const response = await get(`archive?ids=${publicId('File', big)}`, {
      headers: { cookie: ada.cookie },
      signal: leaving.signal,
    })
    leaving.abort()
    await expect(response.arrayBuffer()).rejects.toThrow()
    await expect.poll(openFiles).toBe(0)
  })
})

/** How many descriptors of this process belong to stored objects. Other descriptors may close while they are counted. */
function openFiles(): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(`${server.dataDir}/objects`)
    } catch {
      return false
    }
  }).length
}

describe('names in archives', () => {
  it.each([
    ['con', 'con_'],
    ['NUL.txt', 'NUL_.txt'],
    ['com1', 'com1_'],
    ['console', 'console'],
    ['a:b*c?"<>|', 'a_b_c_____'],
    ['dots...', 'dots___'],
    ['space ', 'space_'],
    ['C:\\x', 'C__x'],
  ])('%j is %j', (name, expected) => expect(portableName(name)).toBe(expected))

  it('differ by more than case', () => {
    const nameOf = createArchiveNames()
    expect([nameOf('a?.txt', 'FILE'), nameOf('A*.txt', 'FILE'), nameOf('a_.txt', 'FILE')]).toEqual([
      'a_.txt',
      'A_ (2).txt',
      'a_ (3).txt',
    ])
  })
})

describe('a ZIP as it is written', () => {
  const mtime = new Date('2024-05-06T07:08:09Z')
  const contentOf = (text: string, size = text.length) => ({
    size,
    bytes: Readable.from([Buffer.from(text)], { objectMode: false }),
  })
  async function* cutAfter(text: string): AsyncGenerator<Buffer> {
    yield Buffer.from(text)
    throw new Error('The connection broke.')
  }
  /** The content as Python reads it. */
  async function inspect(parts: AsyncIterable<Buffer>, script: string): Promise<unknown> {
    const target = join(folder, `${newId()}.zip`)
    await writeFile(target, Readable.from(parts, { objectMode: false }))
    const program = `import json, sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(json.dumps(${script}))`
    return JSON.parse(execFileSync('python3', ['-c', program, target], { encoding: 'utf8', maxBuffer: 2 ** 26 }))
  }

  it('holds more entries than 16 bits count, each under its own path', async () => {
    async function* parts() {
      const zip = createZip()
      yield* zip.file({ path: 'ü😀/😁.txt', mtime }, contentOf('first'))
      for (let folder = 0; folder < 70_000; folder += 1) yield zip.folder({ path: `ü😀/😁${folder}/`, mtime })
      yield* zip.file({ path: 'ü😀/😁a.txt', mtime }, contentOf('last'))
      yield* zip.end()
    }
    const asked = '[len(z.infolist()), z.testzip(), z.read("ü😀/😁a.txt").decode(), z.infolist()[70000].filename]'
    expect(await inspect(parts(), asked)).toEqual([70_002, null, 'last', 'ü😀/😁69999/'])
  })

  it('writes the sizes of what may be large with 64 bits, and spoils what was cut off', async () => {
    async function* parts() {
      const zip = createZip()
      yield* zip.file({ path: 'large.bin', mtime }, contentOf('abc', 2 ** 33))
      yield* zip.file({ path: 'cut.bin', mtime }, { size: 3, bytes: cutAfter('ab') })
      yield* zip.file({ path: 'old.bin', mtime: new Date(0) }, contentOf('old'))
      yield* zip.file({ path: 'late.bin', mtime: new Date('2300-01-01') }, contentOf('late'))
      yield* zip.end()
    }
    const found = await inspect(
      parts(),
      '[z.read("large.bin").decode(), z.testzip(), [i.date_time[0] for i in z.infolist()]]',
    )
    expect(found).toEqual(['abc', 'cut.bin', [2024, 2024, 1980, 2107]])
  })
})
