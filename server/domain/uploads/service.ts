import type { Pool } from 'pg'
import { createBatcher } from '../../lib/batcher.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { Events } from '../events.ts'
import { sumBlocks } from '../files/blockSums.ts'
import type { UploadsHousekeeping } from '../housekeeping.ts'
import type { Enqueue } from '../jobs.ts'
import type { Copy, File, UploadsService } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import { createCommit } from './commit.ts'
import { createConclude } from './conclude.ts'
import { type CommitItem, type Committed, SumsMissingError } from './draft.ts'
import { createHousekeeping } from './housekeeping.ts'
import { isolating } from './isolating.ts'
import { createLiveUploads } from './liveUploads.ts'
import { createFindGroupCloud } from './pools.ts'
import { createReceive } from './receive.ts'
import { type Reservation, reserveBatch } from './reserve.ts'
import { createResumable } from './resumable.ts'
import { createSoleGroupClouds } from './soleGroupClouds.ts'

export type UploadsDeps = {
  readonly pool: Pool
  /** For the connection that holds the leases of uploads. */
  readonly leases: Pool
  readonly store: ObjectStore
  readonly events: Events
  readonly enqueue: Enqueue
  /** true: UPLOAD_TYPES=*. */
  readonly anyType: boolean
  /** Reads a file for an answer that was given before. @throws NotFoundError */
  readonly getFile: (viewer: Viewer, id: string) => Promise<File>
  /** And where its bytes are. */
  readonly getCopies: (viewer: Viewer, ids: readonly string[]) => Promise<ReadonlyMap<string, readonly Copy[]>>
  /** Told of every new file, once. */
  readonly onStored?: (viewer: Viewer, file: File) => void
  /** Told about what failed after an answer was given; nobody else would hear of it. */
  readonly onError: (error: unknown) => void
  /** Staged objects that others than uploads are writing now. */
  readonly alsoReceiving?: () => ReadonlySet<string>
  /** No other server can be on this database and storage. */
  readonly alone: boolean
}

export type Uploads = {
  readonly service: UploadsService
  readonly housekeeping: UploadsHousekeeping
  /** For what is here already: of any type, and no upload that anybody is told of. */
  readonly receiveCopy: UploadsService['receive']
  /** Staged objects that are written now and no row refers to: not to be swept by other servers. */
  readonly receiving: () => readonly string[]
}

/** Most uploads of one transaction. */
const BATCH = 100

/** The uploads service, and what jobs do for it. One per process; several may share a database and a DATA_DIR. */
export function createUploads(deps: UploadsDeps): Uploads {
  const { pool, store, alsoReceiving = () => new Set() } = deps
  const live = createLiveUploads(deps)
  /** Objects that a one-request upload is writing: no row knows them yet. */
  const receiving = new Set<string>()
  const commitOne = createBatcher({ run: createCommit(deps), limit: BATCH })
  /** An account at a provider that joined while the bytes came needs what only a second reading tells. */
  const commit = async (item: CommitItem): Promise<Committed> =>
    commitOne(item).catch(async (error: unknown) => {
      if (!(error instanceof SumsMissingError)) throw error
      return commitOne({ ...item, sums: await sumBlocks(store.open(item.objectId, item.size)) })
    })
  const reserve = createBatcher({
    run: isolating<Reservation, string>((items) => reserveBatch(pool, items)),
    limit: BATCH,
  })
  const allReceiving = () => [...receiving, ...alsoReceiving()]
  const soles = createSoleGroupClouds()
  const finishing = { ...deps, commit, conclude: createConclude(deps), findGroupCloud: createFindGroupCloud(pool) }

  const copying = {
    ...finishing,
    receiving,
    soles,
    anyType: true,
    conclude: createConclude({ ...deps, onStored: () => {} }),
  }

  return {
    receiving: allReceiving,
    receiveCopy: createReceive(copying).receive,
    service: {
      ...createReceive({ ...finishing, receiving, soles }),
      ...createResumable({ ...finishing, live, reserve }),
    },
    housekeeping: createHousekeeping({ ...deps, live, receiving: allReceiving }),
  }
}
