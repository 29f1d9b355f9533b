import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type BlockSums, blockSum, SUM_BYTES } from './blockSums.ts'
import { type CopyStream, createCopyStream, type OpenPart, type Part, partAt, type ReadableCopy } from './copyStream.ts'
import { type Choice, type Faults, type Finding, WrongBytesError } from './faults.ts'

/** What the blocks of one download are made of. */
export type BlockOrigin = BlockSums & {
  readonly size: number
  readonly faults: Faults
  readonly openPart: OpenPart
  readonly stallMs: number
  /** Aborted when nobody reads any more. */
  readonly signal: AbortSignal
  /** Told how each account fares. */
  readonly onWorked: (part: Part, copy: ReadableCopy, block: number) => Promise<void>
  readonly onFailed: (part: Part, error: unknown) => void
  /** Whether, after this error, the account says that it holds something else there by now: no reading mends that. */
  readonly isReplaced: (part: Part, error: unknown) => Promise<boolean>
  /** It is written down before the next copy is read. */
  readonly onFinding: (finding: Finding, found: { copy: ReadableCopy; part: Part; block: number }) => Promise<void>
  /** Looks for copies that were made since the file was opened. @returns whether there are any */
  readonly lookAgain: () => Promise<boolean>
  /** What to say when no copy is left. */
  readonly unavailable: () => Promise<Error>
}

/** Reads the blocks of a run one after the other, each as it was stored or not at all. */
export type BlockFetch = {
  /** Fills the target with block `index`. @throws what `unavailable` says, the signal's reason */
  fetch(index: number, target: Buffer): Promise<void>
  /** Lets the connection go; the next fetch opens another one. */
  rest(): void
}

export function blockLength({ size, blockSize }: Pick<BlockOrigin, 'size' | 'blockSize'>, index: number): number {
  return Math.min(blockSize, size - index * blockSize)
}

/** `last` is the last block that will be asked for: one request fetches them all. */
export function createBlockFetch(origin: BlockOrigin, last: number): BlockFetch {
  const { blockSize, faults, signal } = origin
  const end = last * blockSize + blockLength(origin, last) - 1
  let stream: CopyStream | undefined

  function rest(): void {
    stream?.close()
    stream = undefined
  }

  function streamOf({ copy, lastChance }: Choice, position: number): CopyStream {
    if (stream && (stream.copy !== copy || stream.position() !== position)) rest()
    const { openPart, stallMs } = origin
    stream ??= createCopyStream({ openPart, stallMs, copy, start: position, end, lastChance })
    return stream
  }

  /** @returns whether the block was there */
  async function attempt(choice: Choice, index: number, target: Buffer): Promise<boolean> {
    const { copy } = choice
    const position = index * blockSize
    const reading = streamOf(choice, position)
    try {
      await reading.fill(target)
      if (!isRight(origin, index, target)) throw new WrongBytesError('A block differs from what was stored.')
      const part = reading.part()
      if (part) faults.worked(part)
      if (part) await origin.onWorked(part, copy, index)
      return true
    } catch (error) {
      rest()
      signal.throwIfAborted()
      const part = reading.part() ?? partAt(copy, position)
      if (!part) throw error
      const isReplaced = await origin.isReplaced(part, error)
      const cause = isReplaced ? new WrongBytesError('Something else is stored there by now.') : error
      origin.onFailed(part, cause)
      const finding = faults.failed(copy, part, position, cause)
      if (finding) await origin.onFinding(finding, { copy, part, block: index })
      return false
    }
  }

  return {
    rest,
    async fetch(index, target) {
      signal.throwIfAborted()
      signal.addEventListener('abort', rest, { once: true })
      try {
        for (let isDone = false; !isDone; ) {
          const choice = faults.choose(index * blockSize)
          if (choice) {
            if (choice.pauseMs > 0) await sleep(choice.pauseMs, undefined, { signal })
            isDone = await attempt(choice, index, target)
          } else if (!(await origin.lookAgain())) throw await origin.unavailable()
        }
      } finally {
        signal.removeEventListener('abort', rest)
      }
    },
  }
}

function isRight({ sums }: BlockSums, index: number, block: Buffer): boolean {
  const at = index * SUM_BYTES
  return blockSum(createHash('sha256').update(block)).equals(sums.subarray(at, at + SUM_BYTES))
}
