import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Logger, runOnce } from 'graphile-worker'
import type { EventMap, Events } from '../../server/domain/events.ts'
import { createFilesHousekeeping } from '../../server/domain/files/housekeeping.ts'
import { createFilesService } from '../../server/domain/files/service.ts'
import type { Housekeeping } from '../../server/domain/housekeeping.ts'
import { ALL_TASKS, attemptsOf } from '../../server/jobs/allTasks.ts'
import { createEnqueue, migrateQueue } from '../../server/queue/enqueue.ts'
import { createObjectStore } from '../../server/storage/objectStore.ts'
import { createTestDatabase } from './database.ts'

export type FilesDomain = Awaited<ReturnType<typeof startFilesDomain>>

/** The files part of the domain over a database, a disk folder and a job queue of its own. */
export async function startFilesDomain() {
  const database = await createTestDatabase()
  const { pool } = database
  await migrateQueue(pool)
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-files-'))
  const store = await createObjectStore(dataDir)
  const told: EventMap['filesChanged'][] = []
  const events: Pick<Events, 'publish'> = {
    publish: (topic, _userId, event) => {
      if (topic === 'filesChanged') told.push(event as EventMap['filesChanged'])
    },
  }
  const deps = { pool, store, storage: store, events: events as Events, enqueue: createEnqueue(attemptsOf) }
  const housekeeping = { files: createFilesHousekeeping(deps) } as Housekeeping
  const signal = new AbortController().signal
  const taskList = Object.fromEntries(
    ALL_TASKS.map(({ name, perform }) => [name, (payload: unknown) => perform(payload, { housekeeping, signal })]),
  )
  return {
    pool,
    store,
    deps,
    /** Every event, in order. */
    told,
    files: createFilesService(deps),
    housekeeping: housekeeping.files,
    /** Does everything that is queued. */
    runJobs: () => runOnce({ pgPool: pool, noHandleSignals: true, taskList, logger: new Logger(() => () => {}) }),
    async close() {
      await database.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
