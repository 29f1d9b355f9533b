import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createOpenDriver } from '../../server/domain/accounts/credentials.ts'
import { createDuplicatesHousekeeping } from '../../server/domain/duplicates/service.ts'
import type { EventMap, Events } from '../../server/domain/events.ts'
import { createContent } from '../../server/domain/files/content/content.ts'
import { createReadBudget } from '../../server/domain/files/content/copyStream.ts'
import { createFilesHousekeeping } from '../../server/domain/files/housekeeping.ts'
import { createFilesService } from '../../server/domain/files/service.ts'
import type { Housekeeping } from '../../server/domain/jobs.ts'
import { attemptsOf } from '../../server/jobs/allTasks.ts'
import { createEncryption } from '../../server/lib/encryption.ts'
import type { Driver } from '../../server/providers/driver.ts'
import type { ProviderError } from '../../server/providers/errors.ts'
import { createEnqueue, migrateQueue } from '../../server/queue/enqueue.ts'
import { createObjectStore } from '../../server/storage/objectStore.ts'
import { createMemoryCloud } from '../fakes/memory/cloud.ts'
import { createTestDatabase } from './database.ts'
import { createMemoryProviders } from './memoryProviders.ts'
import { createRunJobs } from './runJobs.ts'

export type FilesDomain = Awaited<ReturnType<typeof startFilesDomain>>

export type FilesDomainOptions = {
  /** Wraps the driver of each account of the memory cloud. */
  readonly wrap?: (driver: Driver, accountId: string) => Driver
  /** The longest pause within a response. */
  readonly stallMs?: number
}

/** The files part of the domain with a separate database, disk folder, job queue and memory cloud. */
export async function startFilesDomain({ wrap, stallMs = 20_000 }: FilesDomainOptions = {}) {
  const database = await createTestDatabase()
  const { pool } = database
  await migrateQueue(pool)
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-files-'))
  const store = await createObjectStore(dataDir)
  const told: EventMap['filesChanged'][] = []
  const published: { topic: keyof EventMap; event: EventMap[keyof EventMap] }[] = []
  const events: Pick<Events, 'publish'> = {
    publish: (topic, _userId, event) => {
      published.push({ topic, event })
      if (topic === 'filesChanged') told.push(event as EventMap['filesChanged'])
    },
  }
  const cloud = createMemoryCloud()
  const openDriver = createOpenDriver({ pool, providers: createMemoryProviders(cloud, wrap) })
  const reported: { accountId: string; error: ProviderError | null }[] = []
  const report = {
    failed: (accountId: string, error: ProviderError) => void reported.push({ accountId, error }),
    worked: (accountId: string) => void reported.push({ accountId, error: null }),
  }
  const encryption = createEncryption(['a secret of the tests, long enough'])
  const base = { pool, store, storage: store, events: events as Events, enqueue: createEnqueue(attemptsOf) }
  const budget = createReadBudget()
  const contents = createContent({ ...base, openDriver, report, budget, stallMs })
  const deps = { ...base, openDriver, report, encryption, contents }
  const duplicates = createDuplicatesHousekeeping(deps)
  const housekeeping = { files: createFilesHousekeeping(deps), duplicates } as Housekeeping
  return {
    pool,
    store,
    deps,
    cloud,
    contents,
    /** The memory budget of downloads from the memory cloud. */
    budget,
    /** Results of calls, by account, in order. */
    reported,
    /** Every event, in order. */
    events: published,
    /** The events about files. */
    told,
    files: createFilesService(deps),
    housekeeping: housekeeping.files,
    duplicates,
    /** Runs all queued jobs. */
    runJobs: createRunJobs(pool, housekeeping),
    async close() {
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
