import type pg from 'pg'
import type { Db } from './db/client.ts'
import { createAccountsService } from './domain/accounts/service.ts'
import type { Events } from './domain/events.ts'
import { createFilesHousekeeping } from './domain/files/housekeeping.ts'
import { createFilesService } from './domain/files/service.ts'
import { createGroupCloudsService } from './domain/groupClouds/service.ts'
import type { Housekeeping } from './domain/housekeeping.ts'
import { forgetKeys } from './domain/idempotency.ts'
import type { Enqueue } from './domain/jobs.ts'
import type { Services } from './domain/services.ts'
import { createUploads } from './domain/uploads/service.ts'
import { createUsersService } from './domain/users/service.ts'
import type { Config } from './env.ts'
import type { ObjectStore } from './storage/objectStore.ts'

export type ComposeDeps = {
  readonly config: Pick<Config, 'localQuotaBytes' | 'acceptAnyType'>
  readonly pool: pg.Pool
  readonly db: Db
  readonly store: ObjectStore
  readonly events: Events
  readonly enqueue: Enqueue
  /** Told about what failed after an answer was given. */
  readonly onError: (error: unknown) => void
}

/** The domain, wired: what the doors ask (`services`) and what jobs ask (`housekeeping`). */
export function createServices(deps: ComposeDeps): { services: Services; housekeeping: Housekeeping } {
  const { config, pool, db, store, events, enqueue, onError } = deps
  const fileDeps = { pool, events, enqueue, storage: store }
  const files = createFilesService(fileDeps)
  const answering = { getFile: files.get, getCopies: files.copies, onError }
  const uploads = createUploads({ pool, store, events, anyType: config.acceptAnyType, ...answering })
  return {
    services: {
      users: createUsersService({ db, pool, localQuotaBytes: config.localQuotaBytes }),
      accounts: createAccountsService({ db }),
      groupClouds: createGroupCloudsService({ db }),
      files,
      uploads: uploads.service,
    },
    housekeeping: {
      files: createFilesHousekeeping(fileDeps),
      uploads: uploads.housekeeping,
      forgetKeys: () => forgetKeys(async (text, values) => (await pool.query(text, [...values])).rows),
    },
  }
}
