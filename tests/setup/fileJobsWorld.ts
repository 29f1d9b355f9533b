import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { createLeases } from '../../server/db/locks.ts'
import { createRootFolders } from '../../server/domain/accounts/credentials.ts'
import { createAccountFeed } from '../../server/domain/feed/feed.ts'
import { runJob } from '../../server/domain/fileJobs/run.ts'
import { createFileJobs } from '../../server/domain/fileJobs/service.ts'
import { createContent } from '../../server/domain/files/content/content.ts'
import { createFilesService } from '../../server/domain/files/service.ts'
import { createChangeInPlace } from '../../server/domain/inPlace/changes.ts'
import { createInPlaceService } from '../../server/domain/inPlace/service.ts'
import { createUploads } from '../../server/domain/uploads/service.ts'
import { createEncryption } from '../../server/lib/encryption.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { startTransfersWorld } from './transfersWorld.ts'

export const ROOT = 'root' as EntryRef
export const NEVER = new AbortController().signal

export type FileJobsWorld = Awaited<ReturnType<typeof startFileJobsWorld>>

/** Copying and moving between accounts and group clouds, over services in memory: the accounts `drive` and `other`, and a group cloud. */
export async function startFileJobsWorld() {
  const world = await startTransfersWorld()
  /** Called before each call of a driver, which waits for it; may throw. */
  let before: (operation: string) => undefined | Promise<unknown> = () => undefined
  const drive = await world.account('drive')
  const other = await world.account('other')
  const pool = await world.groupCloud([world.localId])
  const { enqueue, report, clock, store } = world
  const events = { ...world.events, subscribe: nothing }
  const openDriver = async (id: string) => watched(world.drivers.get(id) as Driver, (name) => before(name))
  const onError = (error: unknown) => void world.errors.push(error)
  const base = { pool: world.pool, events, enqueue, openDriver, report }
  const contents = createContent({ ...base, storage: store })
  const feed = createAccountFeed({ ...base, leases: world.pool, onError, everyMs: 0 })
  const changeInPlace = createChangeInPlace({ ...base, rootFolders: createRootFolders(world.pool) })
  const files = createFilesService({ ...base, contents, changeInPlace })
  const shown = { getFile: files.get, getCopies: files.copies, onError }
  const uploads = createUploads({ ...base, ...shown, leases: world.pool, store, anyType: true, alone: true })
  const jobDeps = {
    ...{ ...base, contents, files, clock, onError, uploads: uploads.copies, workPool: world.pool },
    rootFolders: createRootFolders(world.pool),
    encryption: createEncryption([randomBytes(32).toString('base64')]),
    resumableBytes: 100_000,
  }
  const jobs = createFileJobs({ ...jobDeps, leases: world.pool })
  const deps: Parameters<typeof runJob>[0] = { ...jobDeps, leases: createLeases(world.pool, 'fileJob') }

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
    const { rows } = await world.pool.query<{ id: string }>(
      'select file_id as id from account_entries where ref = $1',
      [ref],
    )
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
    const { id } = await jobs.service.start(world.viewer, {
      kind: 'MOVE',
      parentId: null,
      groupCloudId: pool,
      ...input,
    })
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

  for (const id of [drive, other]) {
    await createInPlaceService(base).setScope(world.viewer, id, 'EVERYTHING')
    await read(id)
    await read(id)
  }

  return {
    world,
    drive,
    other,
    pool,
    files,
    jobs,
    deps,
    tree,
    add,
    addFolder,
    read,
    idOf,
    rootOf,
    contentsOf,
    inTrash,
    run,
    start,
    get,
    plant,
    set before(called: typeof before) {
      before = called
    },
    async close() {
      await deps.leases.close()
      await jobs.stop()
      await feed.close()
      await world.report.whenIdle()
      expect(world.errors).toEqual([])
      await world.close()
    },
  }
}

async function* nothing() {}

function watched(driver: Driver, before: (operation: string) => undefined | Promise<unknown>): Driver {
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

export const PLANTED = ['Photos/', 'Photos/2024/', 'Photos/2024/b.txt: second', 'Photos/Empty/', 'Photos/a.txt: first']
