import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import type { Fault } from '../fakes/core/faults.ts'
import type { Emulators } from '../fakes/core/server.ts'
import type { FaultKind, Harness, ServiceFault } from './harness.ts'

/** What the operations of an emulated service are called. */
export type Operations = {
  /** A content by one request, a part of one, and the request that ends an upload. */
  readonly whole: string
  readonly part: string
  readonly last: string
  /** The request that makes a file of a content of any size, where there is one. */
  readonly any?: string
  readonly download: string
  /** The first request that deletes a file. */
  readonly remove: string
}

export type Emulated = {
  readonly emulators: Emulators
  readonly operations: Operations
  readonly chunkBytes: number
  readonly open: () => Driver
  readonly expireAccess: () => void
  /** Absent where the service has none of it. */
  readonly fillQuota?: () => void
  readonly trash?: (ref: EntryRef) => void | Promise<void>
  readonly overwrite?: (ref: EntryRef, text: string) => void | Promise<void>
  readonly plantDocument?: () => Promise<EntryRef>
  readonly unfinished?: () => number
}

export const CHUNK = 256 * 1024
/** More than two pages of this. */
export const PAGE = 10
/** What the suite sends for its faults of stored contents. */
const SENT_BYTES = 1000

const FAULTS: readonly FaultKind[] = [
  'rateLimit',
  'serverError',
  'reset',
  'cutUp',
  'cutDown',
  'shortBody',
  'lostReply',
  'truncate',
  'vanish',
]

/** The harness of a driver on an emulated service. */
export function emulatedHarness(emulated: Emulated): Harness {
  const { emulators, operations, chunkBytes, open, expireAccess, fillQuota, trash, overwrite } = emulated
  const { plantDocument, unfinished } = emulated
  const uploads = new Set<string>([operations.whole, operations.part, operations.last])
  return {
    driver: open(),
    reopen: open,
    chunkBytes,
    manyEntries: 2 * PAGE + 5,
    keepsNames: true,
    keepsHash: true,
    faults: new Set(FAULTS),
    plan(fault) {
      emulators.clearFaults()
      plan(emulated, fault)
    },
    keepPart(missing, then) {
      emulators.clearFaults()
      emulators.plan({ kind: 'truncate', bytes: missing })
      if (then === 'LOST_ANSWER') plan(emulated, { kind: 'lostReply' })
      else emulators.plan({ kind: 'serverError', operation: operations.remove })
    },
    expireAccess,
    ...(fillQuota && { fillQuota }),
    ...(overwrite && { overwrite }),
    ...(trash && { trash }),
    ...(plantDocument && { plantDocument }),
    ...(unfinished && { unfinished }),
    receivedBytes: () =>
      emulators.log().reduce((sum, { operation, bytesIn }) => sum + (uploads.has(operation) ? bytesIn : 0), 0),
    async close() {
      const bugs = emulators.log().flatMap(({ bug }) => bug ?? [])
      await emulators.close()
      if (bugs.length > 0) throw new Error(`The emulator has bugs: ${bugs.join('\n')}`)
    },
  }
}

function plan({ emulators, operations, chunkBytes }: Emulated, fault: ServiceFault): void {
  for (const one of faultsOf(fault, operations, chunkBytes)) emulators.plan(one)
}

function faultsOf(fault: ServiceFault, operations: Operations, chunkBytes: number): readonly Fault[] {
  const { whole, part, last, any, download: operation } = operations
  switch (fault.kind) {
    case 'rateLimit':
      return [{ kind: 'rateLimit', retryAfter: fault.retryAfterMs / 1000 }]
    case 'cutUp': {
      const [after, bytes] = [Math.floor(fault.afterBytes / chunkBytes), fault.afterBytes % chunkBytes]
      return [{ kind: 'cutUp', operation: part, after, bytes }]
    }
    case 'cutDown':
      return [{ kind: 'cutDown', operation, bytes: fault.afterBytes }]
    case 'shortBody':
      return [{ kind: 'shortBody', operation, bytes: fault.bytes, agreeing: true }]
    case 'truncate':
      return [{ kind: 'truncate', bytes: SENT_BYTES - fault.bytes }]
    case 'lostReply':
      if (any !== undefined) return [{ kind: 'lostReply', operation: any }]
      // Of two parts and a bit, where the last part is what ends an upload.
      return [
        { kind: 'lostReply', operation: whole },
        { kind: 'lostReply', operation: last, after: part === last ? 2 : 0 },
      ]
    default:
      return [{ kind: fault.kind }]
  }
}
