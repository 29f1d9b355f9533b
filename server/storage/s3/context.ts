import type { createSemaphore } from '../../lib/concurrency.ts'
import { ObjectMissingError } from '../errors.ts'
import { isTooLate } from './errors.ts'
import type { S3Objects } from './objects.ts'
import type { StagedRows } from './rows.ts'

export type S3Limits = {
  /** Size of the first parts; later ones are larger. What is smaller is one object. At least 5 MiB at most services. */
  readonly partBytes: number
  /** Parts of one upload; services accept 10,000, and a few are needed to complete an upload. */
  readonly maxParts: number
  /** Bytes that one request copies; services accept 5 GiB. */
  readonly copyBytes: number
  /** Parts that are sent at a time, of one object and of all. */
  readonly parallelParts: number
  readonly parallelPartsOfAll: number
  /** How long (ms) a writer relies on the answer that it is the latest one: another server takes over later than that. */
  readonly reliedMs: number
  /** How long (ms) after a writer was last active the service may still carry out one of its requests, even if the writer has died. */
  readonly lateMs: number
  /** Age (ms) of uploads and tails that `sweep` removes when no row names them: a server may be about to add the row. */
  readonly leftOverMs: number
}

const MIB = 1024 * 1024
export const DEFAULT_S3_LIMITS: S3Limits = {
  partBytes: 8 * MIB,
  maxParts: 9_900,
  copyBytes: 1024 * MIB,
  parallelParts: 2,
  parallelPartsOfAll: 16,
  reliedMs: 12_000,
  lateMs: 60_000,
  leftOverMs: 24 * 60 * 60 * 1000,
}

export type S3Context = {
  readonly objects: S3Objects
  readonly rows: StagedRows
  readonly limits: S3Limits
  /** Limits the parts in memory. */
  readonly sending: ReturnType<typeof createSemaphore>
  /** Staged objects whose bytes this process has put at their key, with the session in which it did. */
  readonly whole: Map<string, number>
  keyOf(id: string): string
  tailKeyOf(name: string): string
}

/** Size of the part with this number: ten thousand parts are about 340 GiB with parts of 8 to 64 MiB. */
export function partBytesOf({ partBytes }: S3Limits, number: number): number {
  if (number <= 2_000) return partBytes
  if (number <= 4_000) return 2 * partBytes
  return number <= 6_000 ? 4 * partBytes : 8 * partBytes
}

/**
 * For writes to a key that later sessions write to as well: each begins only when the session is known to be the latest one, and ends
 * soon after that, or not at all, even if this process is suspended during it.
 */
export type Fence = <Result>(write: (until: number) => Promise<Result>) => Promise<Result>

/** `knownAt`: when the session was known to be the latest one (performance.now()). */
export function createFence(
  { rows, limits: { reliedMs } }: Pick<S3Context, 'rows' | 'limits'>,
  id: string,
  session: number,
  knownAt: number,
): Fence {
  let checkedAt = knownAt
  return async (write) => {
    for (let attempt = 0; ; attempt += 1) {
      if (performance.now() - checkedAt > reliedMs / 2) {
        const now = performance.now()
        if (!(await rows.confirm(id, session))) throw new ObjectMissingError(id)
        checkedAt = now
      }
      try {
        return await write(checkedAt + reliedMs)
      } catch (error) {
        if (!isTooLate(error) || attempt === 3) throw error
        checkedAt = Number.NEGATIVE_INFINITY
      }
    }
  }
}

/** Objects whose writer this process remembers; the publication of others takes one more request. */
const REMEMBERED = 10_000

export function rememberWhole({ whole }: Pick<S3Context, 'whole'>, id: string, session: number): void {
  whole.delete(id)
  whole.set(id, session)
  const [oldest] = whole.keys()
  if (whole.size > REMEMBERED && oldest !== undefined) whole.delete(oldest)
}
