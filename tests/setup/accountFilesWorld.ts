import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { createLeases } from '../../server/db/locks.ts'
import { createRootFolders } from '../../server/domain/accounts/credentials.ts'
import { createAccountFeed } from '../../server/domain/feed/feed.ts'
import type { runJob } from '../../server/domain/fileJobs/run.ts'
import { createFileJobs } from '../../server/domain/fileJobs/service.ts'
import { createContent } from '../../server/domain/files/content/content.ts'
import { createFilesService } from '../../server/domain/files/service.ts'
import { createChangeInPlace } from '../../server/domain/inPlace/changes.ts'
import { createUploads } from '../../server/domain/uploads/service.ts'
import { createEncryption } from '../../server/lib/encryption.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { startTransfersWorld } from './transfersWorld.ts'

export const ROOT = 'root' as EntryRef
export const NEVER = new AbortController().signal

/** Called before each call of a driver, which waits for what it returns; may throw. */
export type BeforeCall = (accountId: string, operation: string) => unknown

/** Files in accounts, over services in memory: their content, changes, uploads and jobs. */
export async function startAccountFilesWorld(before: BeforeCall) {
  const world = await startTransfersWorld()
  const { enqueue, report, clock, store } = world
  const events = { ...world.events, subscribe: nothing }
  const openDriver = async (id: string) => watched(world.drivers.get(id) as Driver, (name) => before(id, name))
  const onError = (error: unknown) => void world.errors.push(error)
  const base = { pool: world.pool, events, enqueue, openDriver, report }
  const contents = createContent({ ...base, storage: store })
  const feed = createAccountFeed({ ...base, leases: world.pool, onError, everyMs: 0 })
  const rootFolders = createRootFolders(world.pool)
  const changeInPlace = createChangeInPlace({ ...base, rootFolders })
  const files = createFilesService({ ...base, contents, changeInPlace })
  const shown = { getFile: files.get, getCopies: files.copies, onError }
  const uploads = createUploads({ ...base, ...shown, leases: world.pool, store, anyType: true, alone: true })
  const jobDeps = {
    ...{ ...base, contents, files, clock, onError, uploads: uploads.copies, workPool: world.pool, rootFolders },
    encryption: createEncryption([randomBytes(32).toString('base64')]),
    resumableBytes: 100_000,
  }
  const jobs = createFileJobs({ ...jobDeps, leases: world.pool })
  const deps: Parameters<typeof runJob>[0] = { ...jobDeps, leases: createLeases(world.pool, 'fileJob') }

  const tree = (subject = 'drive') => world.cloud.tree(subject)

  return {
    world,
    base,
    changeInPlace,
    contents,
    files,
    uploads,
    jobs,
    deps,
    tree,
    add(name: string, parent: EntryRef = ROOT, bytes: string | Buffer = name, subject = 'drive'): EntryRef {
      const object = { parent, name, kind: 'file', bytes: Buffer.from(bytes), mimeType: null } as const
      return tree(subject).add({ ...object, modifiedAt: Date.parse('2024-05-06T07:08:09Z') }).ref
    },
    addFolder(name: string, parent: EntryRef = ROOT, subject = 'drive'): EntryRef {
      return tree(subject).add({ parent, name, kind: 'folder', bytes: Buffer.alloc(0), mimeType: null }).ref
    },
    /** Reads the changes of an account. */
    async read(accountId: string): Promise<void> {
      await world.pool.query("update account_feeds set next_at = now() - interval '1 second' where account_id = $1", [
        accountId,
      ])
      await feed.tick()
    },
    async idOf(ref: EntryRef): Promise<string> {
      const { rows } = await world.pool.query<{ id: string }>(
        'select file_id as id from account_entries where ref = $1',
        [ref],
      )
      return rows[0]?.id ?? ''
    },
    async rootOf(accountId: string): Promise<string> {
      const { rows } = await world.pool.query<{ id: string }>(
        'select root_file_id as id from account_indexes where account_id = $1',
        [accountId],
      )
      return rows[0]?.id ?? ''
    },
    async close(): Promise<void> {
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

function watched(driver: Driver, before: (operation: string) => unknown): Driver {
  return new Proxy(driver, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return (...input: unknown[]) => {
        try {
          const first = before(String(name))
          return first instanceof Promise ? first.then(() => value.apply(target, input)) : value.apply(target, input)
        } catch (error) {
          return Promise.reject(error)
        }
      }
    },
  })
}
