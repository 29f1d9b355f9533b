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
import { createInPlaceHousekeeping } from '../../server/domain/inPlace/indexer.ts'
import { createInPlaceService } from '../../server/domain/inPlace/service.ts'
import {
  createProtectionHousekeeping,
  createProtectionService,
  leaveProtection,
} from '../../server/domain/protection/service.ts'
import { createUploads } from '../../server/domain/uploads/service.ts'
import { createEncryption } from '../../server/lib/encryption.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { startTransfersWorld } from './transfersWorld.ts'

export const ROOT = 'root' as EntryRef
export const NEVER = new AbortController().signal

export type ProtectionWorld = Awaited<ReturnType<typeof startProtectionWorld>>

/** Keeping copies of what is in the account `drive` on the accounts `other` and `third`, over services in memory. */
export async function startProtectionWorld() {
  const world = await startTransfersWorld()
  /** Called before each call of a driver; may throw. */
  let before: (accountId: string, operation: string) => void = () => {}
  const drive = await world.account('drive')
  const other = await world.account('other')
  const third = await world.account('third')
  const pool = await world.groupCloud([drive, other, third])
  const { enqueue, report, clock, store } = world
  const events = { ...world.events, subscribe: nothing }
  const openDriver = async (id: string) => watched(world.drivers.get(id) as Driver, (name) => before(id, name))
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
  const protection = createProtectionService({ ...base, files, startCopy: jobs.copyContent })
  Object.assign(world.housekeeping, {
    protection: createProtectionHousekeeping(base),
    inPlace: createInPlaceHousekeeping({ ...base, changeInPlace }),
  })
  const inPlace = createInPlaceService({ ...base, leaveProtection })

  const tree = (subject = 'drive') => world.cloud.tree(subject)

  function add(name: string, parent: EntryRef = ROOT, bytes: string | Buffer = name): EntryRef {
    const object = { parent, name, kind: 'file', bytes: Buffer.from(bytes), mimeType: null } as const
    return tree().add({ ...object, modifiedAt: Date.parse('2024-05-06T07:08:09Z') }).ref
  }

  function addFolder(name: string, parent: EntryRef = ROOT): EntryRef {
    return tree().add({ parent, name, kind: 'folder', bytes: Buffer.alloc(0), mimeType: null }).ref
  }

  function move(ref: EntryRef, parent: EntryRef, name: string): void {
    const object = world.cloud.accounts.get('drive')?.objects.get(ref)
    if (!object) throw new Error('There is nothing to move.')
    Object.assign(object, { parent, name })
    tree().changed(object)
  }

  async function read(): Promise<void> {
    await world.pool.query("update account_feeds set next_at = now() - interval '1 second' where account_id = $1", [
      drive,
    ])
    await feed.tick()
  }

  /** Everything that follows from what was changed, until nothing is left to do. */
  async function settle(): Promise<void> {
    for (let round = 0; round < 40; round += 1) {
      await world.settleDown()
      const { rows } = await world.pool.query<{ id: string }>(
        "select id from file_jobs where state in ('WAITING', 'RUNNING') order by created_at",
      )
      if (rows.length === 0) return noFailedJobs()
      for (const { id } of rows) await runJob(deps, new Map(), id, NEVER)
      world.clock.advance(60_000)
    }
    throw new Error('It never settles.')
  }

  async function noFailedJobs(): Promise<void> {
    const { rows } = await world.pool.query(
      'select last_error from graphile_worker._private_jobs where last_error is not null',
    )
    expect(rows).toEqual([])
  }

  async function readAndSettle(): Promise<void> {
    await read()
    await settle()
  }

  async function idOf(ref: EntryRef): Promise<string> {
    const { rows } = await world.pool.query<{ id: string }>(
      'select file_id as id from account_entries where ref = $1',
      [ref],
    )
    return rows[0]?.id ?? ''
  }

  async function rootOf(): Promise<string> {
    const { rows } = await world.pool.query<{ id: string }>('select root_file_id as id from account_indexes')
    return rows[0]?.id ?? ''
  }

  async function text(fileId: string): Promise<string> {
    const { file, source } = await contents.open(world.viewer, fileId)
    const chunks: Buffer[] = []
    if (file.size > 0) {
      for await (const chunk of source.read(0, file.size - 1) as AsyncIterable<Buffer>) chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString()
  }

  async function stateOf(fileId: string): Promise<string | undefined> {
    return (await protection.find(world.viewer, [fileId])).get(fileId)?.state
  }

  /** The protecting copies that there are: `name: content on accounts`. */
  async function copies(): Promise<string[]> {
    const { rows } = await world.pool.query<{ id: string; name: string }>(
      `select c.id, c.name from files c join protected_versions v on v.content_id = c.id
       where v.ended_at is null and c.purged_at is null order by c.name`,
    )
    const found: string[] = []
    for (const { id, name } of rows) {
      const held = (await world.copies(id)).map((copy) => copy.replace('STORED: ', ''))
      found.push(`${name}: ${(await world.read(id)).toString()} on ${held.join(' and ')}`)
    }
    return found
  }

  async function protect(folderId: string, input: { copies?: number; keepVersionsDays?: number } = {}): Promise<void> {
    await protection.protect(world.viewer, folderId, { groupCloudId: pool, copies: 1, ...input })
    await settle()
  }

  const earlier = async (fileId: string) =>
    (await protection.earlierVersions(world.viewer, fileId)).map(({ name, reason }) => `${name} ${reason}`)

  const down = (accountId: string) => {
    before = (id, operation) => {
      if (id !== accountId) return
      throw new ProviderError('ReconnectNeeded', { provider: 'memory', operation }, { message: 'Signed out.' })
    }
  }

  await inPlace.setScope(world.viewer, drive, 'EVERYTHING')
  await read()
  await read()

  return {
    world,
    drive,
    other,
    third,
    pool,
    files,
    contents,
    jobs,
    deps,
    uploads,
    protection,
    inPlace,
    tree,
    add,
    addFolder,
    move,
    read,
    settle,
    readAndSettle,
    idOf,
    rootOf,
    text,
    stateOf,
    copies,
    protect,
    earlier,
    down,
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

function watched(driver: Driver, before: (operation: string) => void): Driver {
  return new Proxy(driver, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return (...input: unknown[]) => {
        try {
          before(String(name))
        } catch (error) {
          return Promise.reject(error)
        }
        return value.apply(target, input)
      }
    },
  })
}
