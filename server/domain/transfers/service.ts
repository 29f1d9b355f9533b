import { NotFoundError } from '../errors.ts'
import type { TransfersHousekeeping } from '../housekeeping.ts'
import type { Transfer, TransfersService } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import { cancelTransfer, pauseTransfer, resumeTransfer, retryTransfer } from './commands.ts'
import type { RowDeps } from './deps.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Engine } from './engine.ts'
import { getTransfers, listTransfers, pageOfTransfers } from './rows.ts'
import { settleBatch } from './settleFiles.ts'
import { reconcileAll, wakeAll } from './wakeAll.ts'

export type TransfersDeps = RowDeps & {
  readonly engine: Pick<Engine, 'speeds'>
  readonly dispatcher: Pick<Dispatcher, 'kick' | 'look'>
}

export function createTransfersService(deps: TransfersDeps): TransfersService {
  const { pool, engine, dispatcher } = deps
  const shown = (row: Omit<Transfer, 'bytesPerSecond'>): Transfer => ({
    ...row,
    bytesPerSecond: (row.state === 'RUNNING' && engine.speeds.get(row.id)) || null,
  })

  async function one(viewer: Viewer, id: string): Promise<Transfer> {
    const [row] = await getTransfers(pool, viewer.userId, [id])
    if (!row) throw new NotFoundError()
    return shown(row)
  }
  const commanded = (act: (deps: RowDeps, viewer: Viewer, id: string) => Promise<void>) => {
    return async (viewer: Viewer, id: string): Promise<Transfer> => {
      await act(deps, viewer, id)
      dispatcher.look(id)
      dispatcher.kick()
      return one(viewer, id)
    }
  }

  return {
    list: async ({ userId }, { open } = {}) => (await listTransfers(pool, userId, open)).map(shown),
    async page({ userId }, options) {
      const { items, hasNextPage } = await pageOfTransfers(pool, userId, options)
      return { items: items.map(({ row, cursor }) => ({ transfer: shown(row), cursor })), hasNextPage }
    },
    getMany: async ({ userId }, ids) => (await getTransfers(pool, userId, ids)).map((row) => row && shown(row)),
    pause: commanded(pauseTransfer),
    resume: commanded(resumeTransfer),
    cancel: commanded(cancelTransfer),
    retry: commanded(retryTransfer),
  }
}

export function createTransfersHousekeeping(deps: TransfersDeps): TransfersHousekeeping {
  const { dispatcher } = deps
  return {
    kick: () => dispatcher.kick(),
    async settle(scope, signal) {
      signal.throwIfAborted()
      await settleBatch(deps, scope)
      dispatcher.kick()
    },
    async wake(signal) {
      signal.throwIfAborted()
      await wakeAll(deps)
      dispatcher.kick()
    },
    async reconcile(signal) {
      signal.throwIfAborted()
      await reconcileAll(deps)
      dispatcher.kick()
    },
  }
}
