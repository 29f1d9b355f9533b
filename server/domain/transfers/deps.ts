import type { Pool } from 'pg'
import type { Leases } from '../../db/leases.ts'
import type { Sealing } from '../../lib/sealing.ts'
import type { Driver } from '../../providers/driver.ts'
import type { ProviderError } from '../../providers/errors.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import type { Events } from '../events.ts'
import type { Enqueue } from '../jobs.ts'
import type { Clock } from './clock.ts'
import type { TakeSlot } from './slots.ts'

/** What a change of rows needs. */
export type RowDeps = {
  readonly pool: Pool
  readonly enqueue: Enqueue
  readonly events: Pick<Events, 'publish'>
  readonly storage: Pick<ObjectStore, 'delete'>
  readonly clock: Clock
}

/** What sending needs beyond that. */
export type EngineDeps = RowDeps & {
  /** Rejects with ProviderError ReconnectNeeded for an account that is expired, disconnected or gone. */
  readonly openDriver: (accountId: string) => Promise<Driver>
  /** Told how each account fares. */
  readonly report: { failed(accountId: string, error: ProviderError): void; worked(accountId: string): void }
  /** The bytes of a file, from wherever they can be read. */
  readonly source: (fileId: string) => Promise<ByteSource>
  readonly sealing: Pick<Sealing, 'seal' | 'open'>
  readonly leases: Leases
  readonly takeSlot: TakeSlot
  /** Told what nobody expects. */
  readonly onError: (error: unknown) => void
}
