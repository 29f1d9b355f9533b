import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLeases } from '../../server/db/locks.ts'
import { createOpenDriver, createRootFolders } from '../../server/domain/accounts/credentials.ts'
import { createAccountHealth, createAfterChange } from '../../server/domain/accounts/health.ts'
import { createDuplicatesHousekeeping } from '../../server/domain/duplicates/service.ts'
import type { EventMap, Events } from '../../server/domain/events.ts'
import { createContent } from '../../server/domain/files/content/content.ts'
import { createFilesHousekeeping } from '../../server/domain/files/housekeeping.ts'
import { createChangeInPlace } from '../../server/domain/inPlace/changes.ts'
import { createInPlaceHousekeeping } from '../../server/domain/inPlace/indexer.ts'
import type { Housekeeping } from '../../server/domain/jobs.ts'
import type { EngineDeps, Transfer } from '../../server/domain/transfers/contract.ts'
import { createEngine } from '../../server/domain/transfers/engine.ts'
import {
  createTransfersHousekeeping,
  createTransfersService,
  SLOT_LIMITS,
} from '../../server/domain/transfers/service.ts'
import { attemptsOf } from '../../server/jobs/allTasks.ts'
import { createKeyedSemaphore } from '../../server/lib/concurrency.ts'
import { createEncryption } from '../../server/lib/encryption.ts'
import { newId } from '../../server/lib/ids.ts'
import type { Driver } from '../../server/providers/driver.ts'
import { localDriver } from '../../server/providers/local/driver.ts'
import type { Providers } from '../../server/providers/providers.ts'
import { createEnqueue, migrateQueue } from '../../server/queue/enqueue.ts'
import { createObjectStore } from '../../server/storage/objectStore.ts'
import { createOwner } from '../factories/files.ts'
import { createGroupCloud, createMemoryAccount, type GroupCloudOverrides } from '../factories/groupClouds.ts'
import { createReceived } from '../factories/received.ts'
import { createMemoryCloud, type MemoryCloudOptions } from '../fakes/memory/cloud.ts'
import { memoryModule } from '../fakes/memory/module.ts'
import { auditAccounts } from './auditAccounts.ts'
import { createTestDatabase } from './database.ts'
import { createRunJobs } from './runJobs.ts'
import { testClock } from './testClock.ts'

export type TransfersWorld = Awaited<ReturnType<typeof startTransfersWorld>>

export const MIB = 1024 * 1024

/** Transfers over a database, a disk folder, a memory cloud with accounts, and a clock that only tests move. */
export async function startTransfersWorld(cloudOptions: MemoryCloudOptions = {}) {
  const database = await createTestDatabase()
  const { pool } = database
  await migrateQueue(pool)
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-transfers-'))
  const store = await createObjectStore(dataDir)
  const { viewer, accountId: localId } = await createOwner(pool)
  const clock = testClock()
  const cloud = createMemoryCloud({ accessMs: 10 ** 12, clock, ...cloudOptions })
  const drivers = new Map<string, Driver>()
  drivers.set(localId, localDriver(store))
  const told: { topic: keyof EventMap; event: EventMap[keyof EventMap] }[] = []
  const events: Events = {
    publish: (topic, _userId, event) => void told.push({ topic, event }),
    subscribe: () => {
      throw new Error('Nobody listens here.')
    },
  }
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const enqueue = createEnqueue(attemptsOf)
  const open = ({ id }: { id: string }) => {
    const driver = drivers.get(id)
    if (!driver) throw new Error('This account has no driver.')
    return driver
  }
  const openDriver = createOpenDriver({ pool, providers: { open } as Partial<Providers> as Providers })
  const afterChange = createAfterChange({ pool, enqueue, events })
  const report = createAccountHealth({ pool, afterChange, onError, now: clock.now })
  const encryption = createEncryption([randomBytes(32).toString('base64')])
  const fileDeps = { pool, events, enqueue, storage: store, openDriver, report, encryption }
  const contents = createContent(fileDeps)
  const rootFolders = createRootFolders(pool)
  const changeInPlace = createChangeInPlace({ ...fileDeps, rootFolders })
  const engineDeps = (): EngineDeps => ({
    ...fileDeps,
    changeInPlace,
    clock,
    source: contents.source,
    leases: createLeases(pool, 'transfer'),
    takeSlot: createKeyedSemaphore(SLOT_LIMITS),
    onError,
  })
  const deps = engineDeps()
  const engine = createEngine(deps)
  const dispatcher = { wake: () => {}, recheck: () => {} }
  const asked = { ...deps, engine, dispatcher }
  const housekeeping = {
    transfers: createTransfersHousekeeping(asked),
    files: createFilesHousekeeping(fileDeps),
    duplicates: createDuplicatesHousekeeping({ pool, enqueue, contents }),
    inPlace: createInPlaceHousekeeping({ pool, enqueue, openDriver, changeInPlace }),
  } as Housekeeping
  const signal = new AbortController().signal
  const runJobs = createRunJobs(pool, housekeeping)
  const service = createTransfersService(asked)

  async function due(): Promise<string[]> {
    const { rows } = await pool.query<{ id: string }>(
      `select id from transfers where state in ('WAITING', 'RUNNING') and (next_try_at is null or next_try_at <= $1)
       order by created_at, id`,
      [new Date(clock.now())],
    )
    return rows.map(({ id }) => id)
  }

  return {
    pool,
    db: database.db,
    store,
    cloud,
    clock,
    viewer,
    localId,
    told,
    errors,
    events,
    enqueue,
    openDriver,
    drivers,
    report,
    contents,
    engineDeps,
    engine,
    service,
    housekeeping,
    runJobs,
    /** Also those that were queued for later. */
    async runLaterJobs(): Promise<void> {
      await pool.query('update graphile_worker._private_jobs set run_at = now()')
      await runJobs()
    },
    due,

    /** A connected account of the memory cloud with so many bytes. */
    async account(name: string, quota: number | 'UNLIMITED' = 'UNLIMITED'): Promise<string> {
      const id = await createMemoryAccount(pool, viewer.userId, name, quota)
      cloud.addAccount({ subject: name, quota })
      drivers.set(id, memoryModule(cloud).open(cloud.signIn(name)))
      return id
    },
    groupCloud: (accountIds: readonly string[], overrides?: GroupCloudOverrides) =>
      createGroupCloud(pool, viewer.userId, accountIds, overrides),
    /** A received file, planned as intake does. @returns its id and those of its transfers */
    receive: (groupCloudId: string, content: Buffer, name = `${newId()}.bin`, copiedFrom?: string) =>
      createReceived({ pool, store, enqueue }, { userId: viewer.userId, groupCloudId, content, name, copiedFrom }),

    /** Everything that is due, and the jobs that follow from it, until nothing is left. */
    async settleDown(): Promise<void> {
      for (let round = 0; round < 30; round += 1) {
        await report.whenIdle()
        await runJobs()
        const ids = await due()
        if (ids.length === 0) return
        await Promise.all(ids.map((id) => engine.run(id, signal)))
      }
      throw new Error('It never settles.')
    },

    run: (id: string, until: AbortSignal = signal) => engine.run(id, until),
    async transfer(id: string): Promise<Transfer> {
      const [transfer] = await service.getMany(viewer, [id])
      if (!transfer) throw new Error('There is no such transfer.')
      return transfer
    },
    async file(id: string) {
      const { rows } = await pool.query(
        'select state, state_reason as reason, staged_ref as "stagedRef" from files where id = $1',
        [id],
      )
      return rows[0] as { state: string; reason: string | null; stagedRef: string | null }
    },
    /** Copies as `state: account, account`, sorted. */
    async copies(fileId: string): Promise<string[]> {
      const { rows } = await pool.query<{ text: string }>(
        `select c.state || ': ' || string_agg(distinct a.name, ', ' order by a.name) as text
         from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
         where c.file_id = $1 group by c.id order by 1`,
        [fileId],
      )
      return rows.map(({ text }) => text)
    },
    /** The file read through the front door. */
    async read(fileId: string): Promise<Buffer> {
      const source = await contents.source(fileId)
      const chunks: Buffer[] = []
      for await (const chunk of source.read(0, source.size - 1) as AsyncIterable<Buffer>) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
    /** Whether an object is in this server's own storage. */
    async hasObject(ref: string): Promise<boolean> {
      for await (const id of store.listStored()) if (id === ref) return true
      return false
    },
    /** Names of files at the account, in order of creation. */
    names: (subject: string) =>
      cloud
        .objects(subject)
        .filter(({ kind }) => kind === 'file')
        .map(({ name }) => name),
    audit: () => auditAccounts(pool, cloud),
    async close() {
      await report.whenIdle()
      await deps.leases.close()
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
