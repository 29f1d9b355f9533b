import type { Pool } from 'pg'
import { createLeases } from '../../db/leases.ts'
import type { TransfersHousekeeping } from '../housekeeping.ts'
import type { TransfersService } from '../services.ts'
import { SYSTEM_CLOCK } from './clock.ts'
import type { EngineDeps } from './deps.ts'
import { createDispatcher } from './dispatcher.ts'
import { createEngine } from './engine.ts'
import { createTransfersHousekeeping, createTransfersService } from './service.ts'
import { createSlots, SLOT_LIMITS } from './slots.ts'

export type TransfersDeps = Omit<EngineDeps, 'leases' | 'takeSlot' | 'clock'> & {
  /** For what jobs do: without time limits. */
  readonly workPool: Pool
  /** For the connection that holds the leases. */
  readonly leases: Pool
}

export type Transfers = {
  readonly service: TransfersService
  readonly housekeeping: TransfersHousekeeping
  /** Begins to send what waits, also what another process has left. */
  start(): void
  /** Ends what runs; it goes on at the next start without sending finished pieces again. Idempotent. */
  stop(): Promise<void>
}

/** Transfers, wired: what the doors and jobs ask, and the runner. */
export function createTransfers({ leases: leasePool, workPool, ...deps }: TransfersDeps): Transfers {
  const leases = createLeases(leasePool, 'transfer')
  const rowDeps = { ...deps, clock: SYSTEM_CLOCK }
  const engine = createEngine({ ...rowDeps, leases, takeSlot: createSlots(SLOT_LIMITS) })
  const dispatcher = createDispatcher({ pool: deps.pool, engine, onError: deps.onError })
  const asked = { ...rowDeps, engine, dispatcher }
  return {
    service: createTransfersService(asked),
    housekeeping: createTransfersHousekeeping({ ...asked, pool: workPool }),
    start: dispatcher.start,
    async stop() {
      await dispatcher.stop()
      await leases.close()
    },
  }
}
