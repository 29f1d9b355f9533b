import { createBatcher } from '../../lib/batcher.ts'
import { sumBlocks } from '../files/content/blockSums.ts'
import type { UploadsHousekeeping } from '../housekeeping.ts'
import { createCommit, isolating } from './commit.ts'
import type { UploadsService } from './contract.ts'
import type { UploadsDeps } from './deps.ts'
import { type CommitItem, type Committed, SumsMissingError } from './draft.ts'
import { createHousekeeping } from './housekeeping.ts'
import { createLiveUploads } from './liveUploads.ts'
import { createFindGroupCloud, createSingleAccountGroupClouds } from './placing.ts'
import { createConclude, createReceive } from './receive.ts'
import { type Reservation, reserveBatch } from './reserve.ts'
import { createResumable } from './resumable.ts'

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
  const singleAccounts = createSingleAccountGroupClouds()
  const finishing = { ...deps, commit, conclude: createConclude(deps), findGroupCloud: createFindGroupCloud(pool) }

  const copying = {
    ...finishing,
    receiving,
    singleAccounts,
    anyType: true,
    conclude: createConclude({ ...deps, onStored: () => {} }),
  }

  return {
    receiving: allReceiving,
    receiveCopy: createReceive(copying).receive,
    service: {
      ...createReceive({ ...finishing, receiving, singleAccounts }),
      ...createResumable({ ...finishing, live, reserve }),
    },
    housekeeping: createHousekeeping({ ...deps, live, receiving: allReceiving }),
  }
}
