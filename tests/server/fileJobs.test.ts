import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLeases } from '../../server/db/locks.ts'
import { createRootFolders } from '../../server/domain/accounts/credentials.ts'
import { type AccountFeed, createAccountFeed } from '../../server/domain/feed/feed.ts'
import { runJob } from '../../server/domain/fileJobs/run.ts'
import { createFileJobs, type FileJobs } from '../../server/domain/fileJobs/service.ts'
import { createContent } from '../../server/domain/files/content/content.ts'
import { createFilesService } from '../../server/domain/files/service.ts'
import { createChangeInPlace } from '../../server/domain/inPlace/changes.ts'
import { createInPlaceService } from '../../server/domain/inPlace/service.ts'
import { createUploads } from '../../server/domain/uploads/service.ts'
import { deleteUser } from '../../server/domain/users/deletion.ts'
import { createEncryption } from '../../server/lib/encryption.ts'
import { newId } from '../../server/lib/ids.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

/** Copying and moving between accounts and group clouds, over services in memory. */
let world: TransfersWorld
let drive: string
let other: string
let pool: string
let feed: AccountFeed
let files: ReturnType<typeof createFilesService>
let uploads: ReturnType<typeof createUploads>
let jobs: FileJobs
let deps: Parameters<typeof runJob>[0]
/** Called before each call of a driver, which waits for it; may throw. */
let before: (operation: string) => undefined | Promise<unknown>

const ROOT = 'root' as EntryRef
const NEVER = new AbortController().signal

beforeEach(async () => {
  world = await startTransfersWorld()
  before = () => {}
  drive = await world.account('drive')
  other = await world.account('other')
  pool = await world.groupCloud([world.localId])
  const { enqueue, report, clock, store } = world
  const events = { ...world.events, subscribe: nothing }
  const openDriver = async (id: string) => watched(world.drivers.get(id) as Driver)
  const onError = (error: unknown) => void world.errors.push(error)
  const base = { pool: world.pool, events, enqueue, openDriver, report }
  const contents = createContent({ ...base, storage: store })
  feed = createAccountFeed({ ...base, leases: world.pool, onError, everyMs: 0 })
  const changeInPlace = createChangeInPlace({ ...base, rootFolders: createRootFolders(world.pool) })
  files = createFilesService({ ...base, contents, changeInPlace })
  const shown = { getFile: files.get, getCopies: files.copies, onError }
  uploads = createUploads({ ...base, ...shown, leases: world.pool, store, anyType: true, alone: true })
  const jobDeps = {
    ...{ ...base, contents, files, clock, onError, uploads: uploads.copies, workPool: world.pool },
    rootFolders: createRootFolders(world.pool),
    encryption: createEncryption([randomBytes(32).toString('base64')]),
    resumableBytes: 100_000,
  }
  jobs = createFileJobs({ ...jobDeps, leases: world.pool })
  deps = { ...jobDeps, leases: createLeases(world.pool, 'fileJob') }
  for (const id of [drive, other]) {
    await createInPlaceService(base).setScope(world.viewer, id, 'EVERYTHING')
    await read(id)
    await read(id)
  }
})
afterEach(async () => {
  await deps.leases.close()
  await jobs.stop()
  await feed.close()
  await world.report.whenIdle()
  expect(world.errors).toEqual([])
  await world.close()
})

async function* nothing() {}

function watched(driver: Driver): Driver {
  return new Proxy(driver, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return (...input: unknown[]) => {
        try {
          const first = before(String(name))
          return first ? first.then(() => value.apply(target, input)) : value.apply(target, input)
        } catch (error) {
          return Promise.reject(error)
        }
      }
    },
  })
}

const tree = (subject = 'drive') => world.cloud.tree(subject)

function add(name: string, parent: EntryRef = ROOT, bytes: string | Buffer = name, subject = 'drive'): EntryRef {
  const object = { parent, name, kind: 'file', bytes: Buffer.from(bytes), mimeType: null } as const
  return tree(subject).add({ ...object, modifiedAt: Date.parse('2024-05-06T07:08:09Z') }).ref
}

function addFolder(name: string, parent: EntryRef = ROOT, subject = 'drive'): EntryRef {
  return tree(subject).add({ parent, name, kind: 'folder', bytes: Buffer.alloc(0), mimeType: null }).ref
}

async function read(id = drive): Promise<void> {
  await world.pool.query("update account_feeds set next_at = now() - interval '1 second' where account_id = $1", [id])
  await feed.tick()
}

async function idOf(ref: EntryRef): Promise<string> {
  const { rows } = await world.pool.query<{ id: string }>('select file_id as id from account_entries where ref = $1', [
    ref,
  ])
  return rows[0]?.id ?? ''
}

async function rootOf(accountId: string): Promise<string> {
  const { rows } = await world.pool.query<{ id: string }>(
    'select root_file_id as id from account_indexes where account_id = $1',
    [accountId],
  )
  return rows[0]?.id ?? ''
}

/** Everything below a folder, as `path: content`. */
async function contentsOf(parentId: string | null): Promise<string[]> {
  const found: string[] = []
  async function walk(id: string | null, path: string): Promise<void> {
    const { items } = await files.list(world.viewer, { view: 'DRIVE', parentId: id, limit: 200 })
    for (const { file } of items) {
      if (file.accountId !== null && id === null) continue
      if (file.kind === 'FOLDER') {
        found.push(`${path}${file.name}/`)
        await walk(file.id, `${path}${file.name}/`)
      } else found.push(`${path}${file.name}: ${(await world.read(file.id)).toString().slice(0, 40)}`)
    }
  }
  await walk(parentId, '')
  return found.sort()
}

const inTrash = (subject = 'drive') =>
  world.cloud
    .objects(subject)
    .filter(({ trashed }) => trashed)
    .map(({ name }) => name)

async function run(id: string): Promise<void> {
  for (let round = 0; round < 40; round += 1) {
    const [job] = await jobs.service.getMany(world.viewer, [id])
    if (!job || job.endedAt !== null) return
    await runJob(deps, new Map(), id, NEVER)
    world.clock.advance(60_000)
  }
  throw new Error('The job does not end.')
}

async function start(input: Partial<Parameters<typeof jobs.service.start>[1]> & { ids: readonly string[] }) {
  const { id } = await jobs.service.start(world.viewer, { kind: 'MOVE', parentId: null, groupCloudId: pool, ...input })
  return id
}

async function get(id: string) {
  const [job] = await jobs.service.getMany(world.viewer, [id])
  if (!job) throw new Error('There is no such job.')
  return job
}

/** A folder with two files, a folder in it, and an empty one. */
async function plant(): Promise<EntryRef> {
  const folder = addFolder('Photos')
  const inner = addFolder('2024', folder)
  addFolder('Empty', folder)
  add('a.txt', folder, 'first')
  add('b.txt', inner, 'second')
  await read()
  return folder
}

const PLANTED = ['Photos/', 'Photos/2024/', 'Photos/2024/b.txt: second', 'Photos/Empty/', 'Photos/a.txt: first']

describe('a move from an account into a group cloud', () => {
  it('keeps tree, content and times, and moves the original folder to the trash of the account', async () => {
    const folder = await plant()
    expect(await jobs.service.isNeeded(world.viewer, { kind: 'MOVE', ids: [await idOf(folder)], parentId: null })).toBe(
      true,
    )
    const preview = await jobs.service.preview(world.viewer, {
      kind: 'MOVE',
      ids: [await idOf(folder)],
      parentId: null,
    })
    expect(preview).toMatchObject({ files: 2, folders: 3, bytes: 11, skipped: 0, isMore: false, isCarried: true })
    const id = await start({ ids: [await idOf(folder)] })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE', totalItems: 5, doneItems: 5, failedItems: 0, doneBytes: 11 })
    expect(await contentsOf(null)).toEqual(PLANTED)
    expect(inTrash()).toEqual(['Photos'])
    const { items } = await files.list(world.viewer, { view: 'ALL', query: 'b.txt', limit: 5 })
    expect(items.map(({ file }) => [file.accountId, file.groupCloudId, file.updatedAt.toISOString()])).toEqual([
      [null, pool, '2024-05-06T07:08:09.000Z'],
    ])
  })

  it('leaves documents and their folders where they are, and says so', async () => {
    const folder = await plant()
    const doc = { parent: folder, name: 'Plan', kind: 'file', bytes: Buffer.alloc(0), mimeType: null } as const
    tree().add({ ...doc, nativeKind: 'DOCUMENT' })
    await read()
    const id = await start({ ids: [await idOf(folder)] })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE', totalItems: 6 })
    expect(await jobs.service.problems(world.viewer, id)).toMatchObject([{ name: 'Plan', state: 'SKIPPED' }])
    expect(await contentsOf(null)).toEqual(PLANTED)
    expect(inTrash().sort()).toEqual(['2024', 'Empty', 'a.txt', 'b.txt'])
    expect(
      world.cloud
        .objects('drive')
        .filter(({ trashed }) => !trashed)
        .map(({ name }) => name),
    ).toEqual(['Photos', 'Plan'])
  })

  it('leaves everything of a folder in place when something in it was changed or added meanwhile', async () => {
    const folder = await plant()
    let isDue = true
    before = (operation) => {
      if (operation !== 'list' || !isDue) return
      isDue = false
      add('new.txt', folder, 'not seen before')
    }
    const id = await start({ ids: [await idOf(folder)] })
    await run(id)
    const [problem] = await jobs.service.problems(world.viewer, id)
    expect(problem?.detail).toBe(
      '“new.txt” was added to “Photos” while it was moved. The originals stay where they are.',
    )
    expect(await get(id)).toMatchObject({
      state: 'FAILED',
      error: 'Everything was copied, but some originals stay where they are.',
    })
    expect(inTrash()).toEqual([])

    const file = add('c.txt', ROOT, 'before')
    await read()
    let stats = 0
    before = (operation) => {
      if (operation === 'stat') stats += 1
      if (operation === 'stat' && stats === 2) world.cloud.overwrite('drive', file, Buffer.from('after!'))
    }
    const second = await start({ ids: [await idOf(file)] })
    await run(second)
    expect(inTrash()).not.toContain('c.txt')
    expect(await contentsOf(null)).toContain('c.txt: before')
    expect(await get(second)).toMatchObject({ state: 'FAILED' })
  })

  it('leaves the originals in place when what was made of them is in the trash already', async () => {
    const folder = await plant()
    const id = await start({ ids: [await idOf(folder)] })
    const stop = new AbortController()
    before = (operation) => {
      if (operation === 'list') stop.abort(new Error('Killed.'))
    }
    await runJob(deps, new Map(), id, stop.signal)
    before = () => {}
    const { items } = await files.list(world.viewer, { view: 'DRIVE', parentId: null, limit: 50 })
    const made = items.find(({ file }) => file.name === 'Photos' && file.accountId === null)
    await files.trash(world.viewer, [made?.file.id ?? ''])
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'FAILED' })
    const [problem] = await jobs.service.problems(world.viewer, id)
    expect(problem?.detail).toBe(
      'Not everything of it could be stored at the target. The originals stay where they are.',
    )
    expect(inTrash()).toEqual([])
  })

  it('is complete when the original got into the trash just before the server was killed', async () => {
    const [folder, file] = [await plant(), add('c.txt', ROOT, 'third')]
    await read()
    for (const ref of [folder, file]) {
      const id = await start({ ids: [await idOf(ref)] })
      const stop = new AbortController()
      before = (operation) => {
        if (operation !== 'trash') return
        const object = world.cloud.accounts.get('drive')?.objects.get(ref)
        if (!object) throw new Error('The original is gone.')
        tree().changed(Object.assign(object, { trashed: true }))
        stop.abort(new Error('The server was killed.'))
        throw stop.signal.reason
      }
      await runJob(deps, new Map(), id, stop.signal)
      before = () => {}
      expect(await get(id)).toMatchObject({ endedAt: null })
      // For the second one, the feed has not reported it yet.
      if (ref === folder) await read()
      await run(id)
      expect(await get(id)).toMatchObject({ state: 'DONE', failedItems: 0 })
    }
    expect(inTrash()).toEqual(['Photos', 'c.txt'])
    expect(await contentsOf(null)).toEqual([...PLANTED, 'c.txt: third'])
  })

  it('gives names that Skypool cannot store another form', async () => {
    const folder = addFolder('a/b')
    add('1/2.txt', folder, 'x')
    await read()
    await run(await start({ ids: [await idOf(folder)] }))
    expect(await contentsOf(null)).toEqual(['a_b/', 'a_b/1_2.txt: x'])
  })

  it('waits for an account that asks to, fails for one that is gone, and tries again when asked to', async () => {
    const folder = await plant()
    let failures = 3
    before = (operation) => {
      if (operation !== 'get' || failures === 0) return
      failures -= 1
      const where = { provider: 'memory', operation }
      throw new ProviderError('RateLimited', where, { message: 'Slow down.', retryAfterMs: 30_000 })
    }
    const id = await start({ ids: [await idOf(folder)] })
    await runJob(deps, new Map(), id, NEVER)
    expect(await get(id)).toMatchObject({ state: 'WAITING', error: expect.stringContaining('asks to wait') })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE', error: null })

    const gone = add('gone.txt')
    const stays = add('stays.txt')
    await read()
    const ids = [await idOf(gone), await idOf(stays)]
    tree().remove(gone)
    const second = await start({ ids })
    await run(second)
    expect(await get(second)).toMatchObject({ state: 'FAILED', failedItems: 1, error: '1 item could not be moved.' })
    expect(inTrash()).toContain('stays.txt')
    await expect(jobs.service.retry(world.viewer, id)).rejects.toThrow('Only what failed can be tried again.')
    expect(await jobs.service.retry(world.viewer, second)).toMatchObject({ state: 'WAITING' })
    await run(second)
    expect(await get(second)).toMatchObject({ state: 'FAILED', failedItems: 1 })
  })

  it('replaces a file only with bytes that were received as they are, and keeps it otherwise', async () => {
    const old = add('report.bin', ROOT, 'theirs', 'other')
    const bytes = randomBytes(2_000_000)
    const file = add('report.bin', ROOT, bytes)
    await read()
    await read(other)
    await run(await start({ kind: 'COPY', ids: [await idOf(old)] }))
    const intact = world.drivers.get(drive) as Driver
    let damaged = 1
    const damagedGet = async (...input: Parameters<Driver['get']>) => {
      const { body } = await intact.get(...input)
      if (damaged-- <= 0) return { body }
      const chunks: Buffer[] = []
      for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk)
      const all = Buffer.concat(chunks)
      all.writeUInt8(all.readUInt8(100) ^ 1, 100)
      return { body: Readable.from([all]) }
    }
    world.drivers.set(drive, { ...intact, get: damagedGet })
    const id = await start({ ids: [await idOf(file)], onConflict: 'REPLACE' })
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await runJob(deps, new Map(), id, NEVER)
      world.clock.advance(60_000)
      expect(await contentsOf(null)).toEqual(['report.bin: theirs'])
      expect(inTrash()).toEqual([])
    }
    await run(id)
    const { items } = await files.list(world.viewer, { view: 'DRIVE', parentId: null, limit: 10 })
    const [moved] = items.filter(({ file: { accountId } }) => accountId === null)
    expect((await world.read(moved?.file.id ?? '')).equals(bytes)).toBe(true)
    const { rows } = await world.pool.query(
      'select size::int from file_versions where file_id = $1 order by created_at',
      [moved?.file.id],
    )
    expect(rows).toEqual([{ size: 6 }, { size: 2_000_000 }])
    expect(inTrash()).toEqual(['report.bin'])
  })
})

describe('other ways', () => {
  it('puts a folder of a group cloud back into an account, and the original into the trash here', async () => {
    const folder = await plant()
    await run(await start({ ids: [await idOf(folder)] }))
    const { items } = await files.list(world.viewer, { view: 'ALL', query: 'Photos', limit: 5 })
    const mine = items.find(({ file }) => file.accountId === null)?.file.id ?? ''
    const target = addFolder('Target', ROOT, 'other')
    await read(other)
    const id = await start({ ids: [mine], parentId: await idOf(target), groupCloudId: undefined })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(await contentsOf(await idOf(target))).toEqual(PLANTED)
    expect(await contentsOf(null)).toEqual([])
    const file = world.cloud.objects('other').find(({ name }) => name === 'b.txt')
    expect([file?.bytes.toString(), new Date(file?.modifiedAt ?? 0).toISOString()]).toEqual([
      'second',
      '2024-05-06T07:08:09.000Z',
    ])
    // The feed reports what was stored: nothing of it is shown twice or made again.
    const before = await contentsOf(await rootOf(other))
    const ids = await idOf(file?.ref as EntryRef)
    await read(other)
    expect(await contentsOf(await rootOf(other))).toEqual(before)
    expect(await idOf(file?.ref as EntryRef)).toBe(ids)
  })

  it('copies within an account by the service itself, and between accounts through this server', async () => {
    const folder = await plant()
    const calls: string[] = []
    before = (operation) => void calls.push(operation)
    const target = addFolder('Target')
    await read()
    const copy = await start({
      kind: 'COPY',
      ids: [await idOf(folder)],
      parentId: await idOf(target),
      groupCloudId: undefined,
    })
    await run(copy)
    expect(await get(copy)).toMatchObject({ state: 'DONE', doneItems: 5 })
    expect(calls).not.toContain('put')
    expect(await contentsOf(await idOf(target))).toEqual(PLANTED)
    const across = await start({
      kind: 'COPY',
      ids: [await idOf(folder)],
      parentId: await rootOf(other),
      groupCloudId: undefined,
    })
    await run(across)
    expect(await contentsOf(await rootOf(other))).toEqual(PLANTED)
    expect(inTrash()).toEqual([])
  })

  it('numbers, replaces or refuses names that are taken in an account', async () => {
    const file = add('a.txt', ROOT, 'mine')
    add('a.txt', ROOT, 'theirs', 'other')
    await read()
    await read(other)
    const ids = [await idOf(file)]
    const to = { kind: 'COPY', ids, parentId: await rootOf(other), groupCloudId: undefined } as const
    const refused = await start({ ...to, onConflict: 'FAIL' })
    await run(refused)
    expect(await get(refused)).toMatchObject({ state: 'FAILED' })
    await run(await start(to))
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: mine', 'a.txt: theirs'])
    await run(await start({ ...to, onConflict: 'REPLACE' }))
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: mine', 'a.txt: mine'])
    expect(inTrash('other')).toEqual(['a.txt'])
  })

  it('refuses what cannot be done, before anything is done', async () => {
    const folder = await plant()
    const inner = await idOf(world.cloud.objects('drive').find(({ name }) => name === '2024')?.ref as EntryRef)
    const id = await idOf(folder)
    const move = (input: object) => start({ ids: [id], ...input })
    await expect(move({ parentId: inner, kind: 'COPY', groupCloudId: undefined })).rejects.toThrow('into itself')
    await expect(move({ ids: [await rootOf(drive)] })).rejects.toThrow('shows a connected account')
    await expect(move({ ids: [] })).rejects.toThrow('Please choose files or folders.')
    await expect(move({ parentId: await rootOf(other) })).rejects.toThrow('connected account')
    await expect(move({ ids: [crypto.randomUUID()] })).rejects.toThrow('does not exist')
    world.cloud.setRights('drive', folder, { delete: false })
    world.cloud.setRights('drive', world.cloud.objects('drive').find(({ name }) => name === '2024')?.ref as EntryRef, {
      write: false,
    })
    await read()
    await expect(move({})).rejects.toThrow('does not allow moving “Photos” away')
    const target = { parentId: inner, groupCloudId: undefined, ids: [await idOf(add('x'))] }
    await read()
    await expect(move({ ...target, ids: [await rootOf(other)], kind: 'COPY' })).rejects.toThrow(
      'does not allow putting anything into “2024”',
    )
  })

  it('returns the same job for the same key', async () => {
    const folder = await plant()
    const input = { kind: 'COPY', ids: [await idOf(folder)], parentId: null, groupCloudId: pool } as const
    const first = await jobs.service.start(world.viewer, input, 'key')
    expect((await jobs.service.start(world.viewer, input, 'key')).id).toBe(first.id)
    await expect(jobs.service.start(world.viewer, { ...input, kind: 'MOVE' }, 'key')).rejects.toThrow('Idempotency-Key')
    expect(await jobs.service.list(world.viewer, { open: true })).toHaveLength(1)
  })
})

describe('pausing and cancelling', () => {
  it('stops within a large file, and continues where it stopped', async () => {
    const bytes = randomBytes(600_000)
    const file = add('large.bin', ROOT, bytes)
    await read()
    const id = await start({ ids: [await idOf(file)], parentId: await rootOf(other), groupCloudId: undefined })
    const stop = new AbortController()
    const stopped = new AbortController()
    before = (operation) => {
      if (operation === 'put') queueMicrotask(() => stopped.abort())
    }
    stopped.signal.addEventListener(
      'abort',
      () => void jobs.service.pause(world.viewer, id).then(() => stop.abort(new Error('Paused.'))),
    )
    await runJob(deps, new Map(), id, stop.signal)
    before = () => {}
    expect(await get(id)).toMatchObject({ state: 'PAUSED' })
    await runJob(deps, new Map(), id, NEVER)
    expect(await get(id)).toMatchObject({ state: 'PAUSED' })
    expect(world.names('drive')).toEqual(['large.bin'])
    await jobs.service.resume(world.viewer, id)
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE', doneBytes: 600_000 })
    expect(
      world.cloud
        .objects('other')
        .find(({ name }) => name === 'large.bin')
        ?.bytes.equals(bytes),
    ).toBe(true)
    expect(inTrash()).toEqual(['large.bin'])
    await expect(jobs.service.pause(world.viewer, id)).rejects.toThrow('This job has ended.')
  })

  it('keeps copies and originals when it is cancelled, and ends the upload', async () => {
    const file = add('large.bin', ROOT, randomBytes(600_000))
    await read()
    const id = await start({ ids: [await idOf(file)], parentId: await rootOf(other), groupCloudId: undefined })
    const stop = new AbortController()
    before = (operation) => {
      if (operation === 'put') queueMicrotask(() => stop.abort(new Error('Stopped.')))
    }
    await runJob(deps, new Map(), id, stop.signal)
    before = () => {}
    expect(await jobs.service.cancel(world.viewer, id)).toMatchObject({ state: 'CANCELLED' })
    await runJob(deps, new Map(), id, NEVER)
    const { rows } = await world.pool.query('select session from file_job_items where session is not null')
    expect(rows).toEqual([])
    expect(world.names('other')).toEqual([])
    expect(inTrash()).toEqual([])
  })
})

describe('equal files of one name', () => {
  const BYTES = randomBytes(600_000)

  /** A job that was interrupted in its upload, while another one has stored the same bytes under the same name. */
  async function interrupted(): Promise<string> {
    const first = add('large.bin', ROOT, BYTES)
    const second = add('large.bin', addFolder('Twin'), BYTES)
    await read()
    const to = { kind: 'COPY', parentId: await rootOf(other), groupCloudId: undefined } as const
    const id = await start({ ...to, ids: [await idOf(first)] })
    const stop = new AbortController()
    before = (operation) => {
      if (operation === 'put') queueMicrotask(() => stop.abort(new Error('Stopped.')))
    }
    await runJob(deps, new Map(), id, stop.signal)
    before = () => {}
    await run(await start({ ...to, ids: [await idOf(second)] }))
    expect(world.names('other')).toEqual(['large.bin'])
    return id
  }

  /** As services whose sessions name no object: what has the name and the bytes is taken for what the session has stored. */
  const byName = (isStored: (isOther: boolean, ref: EntryRef) => void) => async (id: string) => {
    const driver = await deps.openDriver(id)
    const found = () =>
      world.cloud.objects('other').find(({ name, bytes }) => name === 'large.bin' && bytes.equals(BYTES))
    const named: Partial<Driver> = {
      async abandon(_call, _session, isNeeded) {
        const ref = found()?.ref
        if (ref) isStored((await isNeeded?.(ref)) ?? false, ref)
      },
      async put(call, entry, content, progress) {
        const ref = found()?.ref
        if (ref && progress.session !== null) isStored((await progress.isTaken?.(ref)) ?? false, ref)
        return driver.put(call, entry, content, progress)
      },
    }
    return new Proxy(driver, { get: (target, name) => Reflect.get(named, name) ?? Reflect.get(target, name) })
  }

  it('are kept when the job of another one is cancelled', async () => {
    const id = await interrupted()
    await jobs.service.cancel(world.viewer, id)
    const others: boolean[] = []
    const openDriver = byName((isOther, ref) => {
      others.push(isOther)
      if (!isOther) tree('other').remove(ref)
    })
    await runJob({ ...deps, openDriver }, new Map(), id, NEVER)
    expect(others).toEqual([true])
    expect(world.names('other')).toEqual(['large.bin'])
  })

  it('are not taken for the one that a job has begun, also when the first one began later', async () => {
    const id = await interrupted()
    const others: boolean[] = []
    const openDriver = byName((isOther) => void others.push(isOther))
    await runJob({ ...deps, openDriver }, new Map(), id, NEVER)
    world.clock.advance(60_000)
    await run(id)
    expect(others[0]).toBe(true)
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(world.cloud.objects('other').filter(({ bytes }) => bytes.equals(BYTES)).length).toBe(2)
  })
})

describe('a service that returns one object for two uploads of equal files', () => {
  /** As where equal bytes under one name are one upload: what the second one gets is what the first one has stored. */
  const asOne = async (id: string): Promise<Driver> => {
    const driver = await deps.openDriver(id)
    const put: Driver['put'] = (...input) => {
      const stored = puts === 1 && first ? first : driver.put(...input)
      first ??= stored
      puts += 1
      return stored
    }
    return new Proxy(driver, { get: (target, name) => (name === 'put' ? put : Reflect.get(target, name)) })
  }
  let first: ReturnType<Driver['put']> | null
  let puts: number
  beforeEach(() => {
    first = null
    puts = 0
  })

  it('has both of them after a move', async () => {
    const one = add('a.txt', ROOT, 'same')
    const two = add('a.txt', addFolder('Twin'), 'same')
    await read()
    const id = await start({
      ids: [await idOf(one), await idOf(two)],
      parentId: await rootOf(other),
      groupCloudId: undefined,
    })
    await runJob({ ...deps, openDriver: asOne }, new Map(), id, NEVER)
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(puts).toBe(3)
    expect(world.names('other').sort()).toEqual(['a (2).txt', 'a.txt'])
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: same', 'a.txt: same'])
  })

  it('has both of them also when it has reported the first one before that was known to be stored', async () => {
    const one = add('a.txt', ROOT, 'same')
    const two = add('a.txt', addFolder('Twin'), 'same')
    await read()
    const to = { parentId: await rootOf(other), groupCloudId: undefined }
    const id = await start({ ids: [await idOf(one), await idOf(two)], ...to })
    const openDriver = async (accountId: string) => {
      const driver = await asOne(accountId)
      const put: Driver['put'] = async (...input) => {
        const stored = await driver.put(...input)
        await read(other)
        return stored
      }
      return new Proxy(driver, { get: (target, name) => (name === 'put' ? put : Reflect.get(target, name)) })
    }
    await runJob({ ...deps, openDriver }, new Map(), id, NEVER)
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(world.names('other').sort()).toEqual(['a (2).txt', 'a.txt'])
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: same', 'a.txt: same'])
  })

  it('has one of them where a name in use is an error, and the other one stays where it is', async () => {
    const one = add('a.txt', ROOT, 'same')
    const two = add('a.txt', addFolder('Twin'), 'same')
    await read()
    const to = { parentId: await rootOf(other), groupCloudId: undefined, onConflict: 'FAIL' } as const
    const id = await start({ ids: [await idOf(one), await idOf(two)], ...to })
    await runJob({ ...deps, openDriver: asOne }, new Map(), id, NEVER)
    expect(await get(id)).toMatchObject({ state: 'FAILED', failedItems: 1 })
    expect(world.names('other')).toEqual(['a.txt'])
    expect(inTrash()).toEqual(['a.txt'])
  })
})

describe('a move that ends early', () => {
  /** Before the first call of this kind, `act` is done. */
  function actBefore(operation: 'get' | 'trash', act: () => Promise<unknown>): void {
    let done: Promise<unknown> | null = null
    before = (name) => {
      if (name !== operation || done) return
      done = act()
      return done
    }
  }

  /** At once, with what is deleted in the background still to come. */
  async function deleteOwner(): Promise<void> {
    const { pool: sql, enqueue, viewer } = world
    const passwords = { verify: async () => true } as never
    const unused = { forget: async () => undefined } as never
    const owner = { pool: sql, enqueue, passwords, mailer: unused, activity: unused, events: world.events }
    await deleteUser(owner, { ...viewer, sessionId: newId() }, { password: 'any', deleteRemote: true })
  }

  it('since its user is deleted leaves all originals in their account', async () => {
    const folder = await plant()
    const id = await start({ ids: [await idOf(folder)] })
    await deleteOwner()
    await runJob(deps, new Map(), id, NEVER)
    expect(inTrash()).toEqual([])
  })

  it('since its user is deleted while it reads leaves all originals in their account', async () => {
    const folder = await plant()
    const id = await start({ ids: [await idOf(folder)] })
    actBefore('get', deleteOwner)
    await runJob(deps, new Map(), id, NEVER)
    expect(inTrash()).toEqual([])
  })

  it('since it was cancelled leaves the originals that are still there', async () => {
    const ids = await Promise.all([add('a.txt'), add('b.txt'), add('c.txt')])
    await read()
    const id = await start({ ids: await Promise.all(ids.map(idOf)) })
    actBefore('trash', () => jobs.service.cancel(world.viewer, id))
    await runJob(deps, new Map(), id, NEVER)
    expect(await get(id)).toMatchObject({ state: 'CANCELLED' })
    expect(inTrash()).toEqual(['a.txt'])
  })
})

describe('a copy that replaces', () => {
  it('never moves its original to the trash, nor a folder that it is in', async () => {
    const outer = addFolder('Album')
    const inner = addFolder('Album', outer)
    const file = add('a.txt', ROOT, 'first')
    add('b.txt', inner, 'second')
    await read()
    const to = { kind: 'COPY', parentId: await rootOf(drive), groupCloudId: undefined, onConflict: 'REPLACE' } as const
    for (const ref of [file, inner, outer]) {
      const id = await start({ ...to, ids: [await idOf(ref)] }).catch(() => null)
      if (id === null) continue
      await run(id)
      expect(await get(id)).toMatchObject({ state: 'FAILED' })
    }
    expect(inTrash()).toEqual([])
    expect(await contentsOf(await rootOf(drive))).toEqual([
      'Album/',
      'Album/Album/',
      'Album/Album/b.txt: second',
      'a.txt: first',
    ])
  })
})

describe('what is replaced in an account', () => {
  const to = async () =>
    ({ kind: 'COPY', parentId: await rootOf(other), groupCloudId: undefined, onConflict: 'REPLACE' }) as const
  const refuse = (wanted: string, code: 'Forbidden' | 'Transient') => {
    before = (operation) => {
      if (operation !== wanted) return
      throw new ProviderError(code, { provider: 'memory', operation }, { message: 'It is refused.' })
    }
  }

  it('stays where it is when the copy cannot be stored', async () => {
    const file = add('a.txt', ROOT, 'mine')
    add('a.txt', ROOT, 'theirs', 'other')
    await Promise.all([read(), read(other)])
    refuse('put', 'Forbidden')
    const id = await start({ ...(await to()), ids: [await idOf(file)] })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'FAILED' })
    expect([await contentsOf(await rootOf(other)), inTrash('other')]).toEqual([['a.txt: theirs'], []])
    before = () => {}
    await jobs.service.retry(world.viewer, id)
    await run(id)
    expect([await contentsOf(await rootOf(other)), inTrash('other')]).toEqual([['a.txt: mine'], ['a.txt']])
  })

  it('stays where it is until everything of a folder is stored', async () => {
    const folder = await plant()
    add('old.txt', addFolder('Photos', ROOT, 'other'), 'old', 'other')
    await Promise.all([read(), read(other)])
    refuse('put', 'Forbidden')
    const id = await start({ ...(await to()), ids: [await idOf(folder)] })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'FAILED', failedItems: 2 })
    expect(inTrash('other')).toEqual([])
    expect(await contentsOf(await rootOf(other))).toContain('Photos/old.txt: old')
    before = () => {}
    await jobs.service.retry(world.viewer, id)
    await run(id)
    expect([await contentsOf(await rootOf(other)), inTrash('other')]).toEqual([PLANTED, ['Photos']])
  })

  it('is kept beside the copy, with a message, when it cannot be moved to the trash', async () => {
    const file = add('a.txt', ROOT, 'mine')
    add('a.txt', ROOT, 'theirs', 'other')
    await Promise.all([read(), read(other)])
    refuse('trash', 'Forbidden')
    const id = await start({ ...(await to()), kind: 'MOVE', ids: [await idOf(file)] })
    await run(id)
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: mine', 'a.txt: theirs'])
    expect([inTrash(), inTrash('other')]).toEqual([[], []])
    const [problem] = await jobs.service.problems(world.viewer, id)
    expect(problem?.detail).toBe(
      'It was stored as “a (2).txt”, and replaces nothing: “other” does not allow this for “a.txt”.',
    )
    before = () => {}
    await jobs.service.retry(world.viewer, id)
    await run(id)
    expect(await contentsOf(await rootOf(other))).toEqual(['a.txt: mine'])
    expect([inTrash(), inTrash('other')]).toEqual([['a.txt'], ['a.txt']])
  })

  it('is not touched when the account does not allow deleting it', async () => {
    const file = add('a.txt', ROOT, 'mine')
    world.cloud.setRights('other', add('a.txt', ROOT, 'theirs', 'other'), { delete: false })
    await Promise.all([read(), read(other)])
    const id = await start({ ...(await to()), ids: [await idOf(file)] })
    await run(id)
    expect(await contentsOf(await rootOf(other))).toEqual(['a.txt: theirs'])
    const [problem] = await jobs.service.problems(world.viewer, id)
    expect(problem?.detail).toContain('“a.txt” cannot be replaced')
  })

  it('is replaced by what the original is now, when that was changed while the server was down', async () => {
    const file = add('a.txt', ROOT, 'first')
    add('a.txt', ROOT, 'theirs', 'other')
    await Promise.all([read(), read(other)])
    const id = await start({ ...(await to()), ids: [await idOf(file)] })
    // The copy is in the index, and the server ends before the job knows.
    const killed = new AbortController()
    const events: typeof deps.events = {
      ...deps.events,
      publish(topic, ...rest) {
        deps.events.publish(topic, ...rest)
        if (topic !== 'filesChanged') return
        killed.abort(new Error('The server was killed.'))
        throw killed.signal.reason
      },
    }
    await runJob({ ...deps, events }, new Map(), id, killed.signal)
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: first', 'a.txt: theirs'])
    world.cloud.overwrite('drive', file, Buffer.from('second'))
    await read()
    await run(id)
    expect(await contentsOf(await rootOf(other))).toEqual(['a.txt: second'])
  })
})

/**
 * Ends the process before the n-th call of a service, for each n, and lets each account fail in between: at every moment each file is
 * complete at the target, or still at its source; and at the end it is at the target once.
 */
describe('after a kill before any call', () => {
  const LARGE = randomBytes(250_000)

  async function plantLarge(): Promise<string> {
    const folder = await plant()
    add('large.bin', folder, LARGE)
    await read()
    return idOf(folder)
  }

  async function killAtEachCall(id: string, isSafe: () => Promise<void>): Promise<number> {
    let calls = 0
    let kills = 0
    for (let round = 1; round < 400; round += 1) {
      const job = await get(id)
      if (job.endedAt !== null) break
      const stop = new AbortController()
      calls = 0
      before = (operation) => {
        calls += 1
        const where = { provider: 'memory', operation }
        if (calls === round) {
          kills += 1
          stop.abort(new Error('The server was killed.'))
          throw new ProviderError('Transient', where, { message: 'It was killed.' })
        }
        if (calls % 7 === 3 && round % 3 === 0)
          throw new ProviderError('Transient', where, { message: 'It fails now and then.' })
      }
      await runJob(deps, new Map(), id, stop.signal).catch(() => undefined)
      before = () => {}
      await isSafe()
      world.clock.advance(60_000)
      await world.report.whenIdle()
    }
    return kills
  }

  const EXPECTED = [...PLANTED, `Photos/large.bin: ${LARGE.toString().slice(0, 40)}`].sort()

  it('moves from an account into a group cloud', async () => {
    const source = await plantLarge()
    const id = await start({ ids: [source] })
    const kills = await killAtEachCall(id, async () => {
      if (inTrash().length > 0) expect((await contentsOf(null)).length).toBe(EXPECTED.length)
    })
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(kills).toBeGreaterThan(5)
    expect((await contentsOf(null)).map((line) => line.slice(0, 20))).toEqual(EXPECTED.map((line) => line.slice(0, 20)))
    expect(inTrash()).toEqual(['Photos'])
  })

  it('moves from an account to another one', async () => {
    const source = await plantLarge()
    const id = await start({ ids: [source], parentId: await rootOf(other), groupCloudId: undefined })
    const there = () => world.cloud.objects('other').filter(({ kind, trashed }) => kind === 'file' && !trashed)
    const kills = await killAtEachCall(id, async () => {
      if (inTrash().length > 0) expect(there().length).toBe(3)
    })
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(kills).toBeGreaterThan(5)
    expect(
      there()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['a.txt', 'b.txt', 'large.bin'])
    expect(
      there()
        .find(({ name }) => name === 'large.bin')
        ?.bytes.equals(LARGE),
    ).toBe(true)
    expect(
      world.cloud
        .objects('other')
        .filter(({ kind }) => kind === 'folder')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['2024', 'Empty', 'Photos'])
    expect(inTrash()).toEqual(['Photos'])
  })

  it.each([
    ['file', 'COPY', ['a.txt: mine']],
    ['folder', 'COPY', PLANTED],
    ['folder', 'MOVE', PLANTED],
  ] as const)(
    'replaces a %s, which is in the folder until the new one is complete there (%s)',
    async (what, kind, made) => {
      const folder = await plant()
      const ref = what === 'folder' ? folder : add('a.txt', ROOT, 'mine')
      const theirs = what === 'folder' ? addFolder('Photos', ROOT, 'other') : ROOT
      add(what === 'folder' ? 'old.txt' : 'a.txt', theirs, 'theirs', 'other')
      await Promise.all([read(), read(other)])
      const target = await rootOf(other)
      const id = await start({
        kind,
        ids: [await idOf(ref)],
        parentId: target,
        groupCloudId: undefined,
        onConflict: 'REPLACE',
      })
      const live = () => world.cloud.objects('other').filter(({ trashed, kind: one }) => !trashed && one === 'file')
      const kills = await killAtEachCall(id, async () => {
        if (inTrash('other').length > 0) expect(live()).toHaveLength(what === 'folder' ? 2 + 1 : 1)
      })
      expect(await get(id)).toMatchObject({ state: 'DONE' })
      expect(kills).toBeGreaterThan(5)
      expect(await contentsOf(target)).toEqual(made)
      expect(inTrash('other')).toEqual([what === 'folder' ? 'Photos' : 'a.txt'])
    },
  )

  it('makes a folder that replaces another one once', async () => {
    const folder = await plant()
    const theirs = addFolder('Photos', ROOT, 'other')
    add('old.txt', theirs, 'old', 'other')
    await read(other)
    const to = { parentId: await rootOf(other), groupCloudId: undefined, onConflict: 'REPLACE' } as const
    const id = await start({ ids: [await idOf(folder)], ...to })
    let kills = 1
    const createFolder: typeof files.createFolder = async (...input) => {
      const made = await files.createFolder(...input)
      if (kills-- > 0) throw new Error('The server was killed.')
      return made
    }
    const killed = { ...deps, files: { ...files, createFolder }, onError: () => undefined }
    await runJob(killed, new Map(), id, NEVER)
    world.clock.advance(60_000)
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(await contentsOf(await rootOf(other))).toEqual(PLANTED)
    expect(inTrash('other')).toEqual(['Photos'])
    expect(inTrash()).toEqual(['Photos'])
  })
})

describe('changes of many entries of an account', () => {
  it('are a job from the fifty-first on, one result for each, also after a crash', async () => {
    const refs = Array.from({ length: 51 }, (_, index) => add(`${index}.txt`))
    const kept = add('kept.txt')
    await read()
    const ids = await Promise.all(refs.map(idOf))
    const asked = (kind: 'TRASH' | 'RESTORE' | 'DELETE' | 'MOVE', some = ids) =>
      jobs.service.isNeeded(world.viewer, { kind, ids: some, parentId: null })
    expect([await asked('TRASH'), await asked('TRASH', ids.slice(1))]).toEqual([true, false])
    const change = async (kind: 'TRASH' | 'RESTORE' | 'DELETE') => {
      const id = await start({ kind, ids, groupCloudId: undefined })
      // The server ends in the middle.
      const left = new AbortController()
      let calls = 0
      before = () => {
        calls += 1
        if (calls === 40) left.abort(new Error('The server ends.'))
      }
      await runJob(deps, new Map(), id, left.signal).catch(() => undefined)
      before = () => {}
      await run(id)
      expect(await get(id)).toMatchObject({ kind, state: 'DONE', doneItems: 51, failedItems: 0, totalItems: 51 })
    }
    await change('TRASH')
    expect(inTrash()).toHaveLength(51)
    await change('RESTORE')
    expect(inTrash()).toEqual([])
    await change('DELETE')
    expect(world.cloud.objects('drive').filter(({ kind }) => kind === 'file')).toMatchObject([{ ref: kept }])
  })
})
