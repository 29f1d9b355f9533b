import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ByteReader } from '../../../storage/byteSource.ts'
import { type BlockSums, blockSum, SUM_BYTES } from './blockSums.ts'
import {
  type Allowance,
  type Choice,
  type CopyStream,
  createCopyStream,
  type Faults,
  type Finding,
  type OpenPart,
  type Part,
  partAt,
  READ_LIMITS,
  type ReadableCopy,
  type ReadBudget,
  WrongBytesError,
} from './copyStream.ts'

/** A connection that is not read from for this long is closed: an account allows only a few. */
const IDLE_MS = 5_000

/**
 * How far ahead of the reader blocks are fetched. The read-ahead is staggered: the farther away a run is, the smaller
 * the part of it that is fetched. So the accounts finish their runs one after the other, each just before the reader
 * needs it, and none of them has to pause; that takes half the memory of the full window.
 */
const WINDOW = 2 * READ_LIMITS.eachBytes

/** Consecutive blocks that begin in one part; they are fetched sequentially. */
type Run = { readonly accountId: string; readonly first: number; readonly last: number }

export type BlockReaderOptions = {
  readonly origin: BlockOrigin
  /** The copy whose accounts determine how the work is divided. */
  readonly copy: ReadableCopy
  readonly budget: ReadBudget
  /** First and last byte of the range. */
  readonly start: number
  readonly end: number
  /** Aborts all requests to the accounts. */
  readonly abort: () => void
}

/**
 * Reads a range sequentially while later blocks are prefetched: sequentially from each account and concurrently from
 * all accounts, as far as memory allows.
 */
export function createBlockReader({ origin, copy, budget, start, end, abort }: BlockReaderOptions): ByteReader {
  const { blockSize, signal } = origin
  const allowance = budget.join()
  const window = createWindow(allowance)
  let current: { readonly index: number; readonly block: Buffer } | undefined
  let next = Math.floor(start / blockSize)
  allowance.wantNow(next)

  const runs = runsOf(copy, blockSize, Math.floor(start / blockSize), Math.floor(end / blockSize))
  for (const accountId of new Set(runs.map((run) => run.accountId))) {
    const lane = runs.filter((run) => run.accountId === accountId)
    void fetchLane(origin, allowance, window, lane)
  }
  // Wakes a reader that waits for a block.
  signal.addEventListener('abort', () => window.fail(signal.reason), { once: true })

  return {
    async read(target, position) {
      const index = Math.floor(position / blockSize)
      if (current?.index !== index) {
        if (index !== next) throw new Error('A reader must read forward from its start.')
        if (current) allowance.give(current.block)
        current = undefined
        allowance.wantNow(index)
        current = { index, block: await window.next(index) }
        next += 1
      }
      return current.block.copy(target, 0, position - index * blockSize)
    },
    async close() {
      abort()
      if (current) allowance.give(current.block)
      current = undefined
      allowance.leave()
      window.clear()
    },
  }
}

function runsOf({ parts }: ReadableCopy, blockSize: number, first: number, last: number): Run[] {
  return parts.flatMap(({ accountId, offset, size }) => {
    const from = Math.max(Math.ceil(offset / blockSize), first)
    const to = Math.min(Math.ceil((offset + size) / blockSize) - 1, last)
    return from <= to ? [{ accountId, first: from, last: to }] : []
  })
}

type Window = ReturnType<typeof createWindow>

/** Blocks that were fetched and not read yet. */
function createWindow(allowance: Allowance) {
  const blocks = new Map<number, Buffer>()
  const errors = new Map<number, unknown>()
  let failure: { readonly error: unknown } | undefined
  let waiting: { readonly index: number; readonly resume: () => void } | undefined

  const wake = (index?: number): void => {
    if (waiting && (index === undefined || waiting.index === index)) waiting.resume()
  }

  return {
    put(index: number, block: Buffer): void {
      if (failure) allowance.give(block)
      else blocks.set(index, block)
      wake(index)
    },
    /** The reader gets the error when it reaches this block, after all blocks before it. */
    putError(index: number, error: unknown): void {
      errors.set(index, error)
      wake(index)
    },
    fail(error: unknown): void {
      failure ??= { error }
      wake()
    },
    async next(index: number): Promise<Buffer> {
      for (;;) {
        const block = blocks.get(index)
        if (failure || errors.has(index)) throw failure?.error ?? errors.get(index)
        blocks.delete(index)
        if (block) return block
        await new Promise<void>((resume) => {
          waiting = { index, resume }
        })
        waiting = undefined
      }
    },
    clear(): void {
      failure ??= { error: new Error('The reader was closed.') }
      for (const block of blocks.values()) allowance.give(block)
      blocks.clear()
    },
  }
}

/** The block that the reader must have reached before this one is fetched. */
function readerAt({ first, last }: Pick<Run, 'first' | 'last'>, index: number, window: number): number {
  const part = (index - first) / (last - first + 1)
  return Math.ceil(Math.max(first - window * (1 - part), index - window))
}

/** Fetches all runs of one account, in their order. Ends when the reader is gone or a block cannot be fetched. */
async function fetchLane(origin: BlockOrigin, allowance: Allowance, window: Window, lane: readonly Run[]) {
  for (const { first, last } of lane) {
    const fetch = createBlockFetch(origin, last)
    for (let index = first; index <= last; index += 1) {
      const from = readerAt({ first, last }, index, WINDOW / origin.blockSize)
      const isThere = await fetchBlock(origin, allowance, window, fetch, index, from)
      if (!isThere) return fetch.disconnect()
    }
    fetch.disconnect()
  }
}

async function fetchBlock(
  origin: BlockOrigin,
  allowance: Allowance,
  window: Window,
  fetch: BlockFetch,
  index: number,
  from: number,
): Promise<boolean> {
  const idle = setTimeout(() => fetch.disconnect(), IDLE_MS)
  const block = await allowance.take(index, blockLength(origin, index), from)
  clearTimeout(idle)
  if (!block) return false
  try {
    await fetch.fetch(index, block)
    window.put(index, block)
    return true
  } catch (error) {
    allowance.give(block)
    window.putError(index, error)
    return false
  }
}

/** Where the blocks of one download are read from. */
export type BlockOrigin = BlockSums & {
  readonly size: number
  readonly faults: Faults
  readonly openPart: OpenPart
  readonly stallMs: number
  /** Aborted when the reader is gone. */
  readonly signal: AbortSignal
  /** Called with the result of each request to an account. */
  readonly onWorked: (part: Part, copy: ReadableCopy, block: number) => Promise<void>
  readonly onFailed: (part: Part, error: unknown) => void
  /**
   * Whether, after this error, the account reports that it holds another object there now, so that retrying is
   * pointless.
   */
  readonly isReplaced: (part: Part, error: unknown) => Promise<boolean>
  /** Recorded before the next copy is read. */
  readonly onFinding: (finding: Finding, found: { copy: ReadableCopy; part: Part; block: number }) => Promise<void>
  /** Searches for copies that were made since the file was opened. @returns whether there are any */
  readonly findNewCopies: () => Promise<boolean>
  /** The error when no copy is left. */
  readonly unavailable: () => Promise<Error>
}

/** Reads the blocks of a run sequentially; each is returned only if it matches its sum. */
export type BlockFetch = {
  /** Fills the target with block `index`. @throws the error of `unavailable`, the signal's reason */
  fetch(index: number, target: Buffer): Promise<void>
  /** Closes the connection; the next fetch opens another one. */
  disconnect(): void
}

function blockLength({ size, blockSize }: Pick<BlockOrigin, 'size' | 'blockSize'>, index: number): number {
  return Math.min(blockSize, size - index * blockSize)
}

/** `last` is the last block of the run: one request fetches them all. */
function createBlockFetch(origin: BlockOrigin, last: number): BlockFetch {
  const { blockSize, faults, signal } = origin
  const end = last * blockSize + blockLength(origin, last) - 1
  let stream: CopyStream | undefined

  function disconnect(): void {
    stream?.close()
    stream = undefined
  }

  function streamOf({ copy, lastChance }: Choice, position: number): CopyStream {
    if (stream && (stream.copy !== copy || stream.position() !== position)) disconnect()
    const { openPart, stallMs } = origin
    stream ??= createCopyStream({ openPart, stallMs, copy, start: position, end, lastChance })
    return stream
  }

  /** @returns whether the block was read */
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
      disconnect()
      signal.throwIfAborted()
      const part = reading.part() ?? partAt(copy, position)
      if (!part) throw error
      const isReplaced = await origin.isReplaced(part, error)
      const cause = isReplaced ? new WrongBytesError('Another object is stored there now.') : error
      origin.onFailed(part, cause)
      const finding = faults.failed(copy, part, position, cause)
      if (finding) await origin.onFinding(finding, { copy, part, block: index })
      return false
    }
  }

  return {
    disconnect,
    async fetch(index, target) {
      signal.throwIfAborted()
      signal.addEventListener('abort', disconnect, { once: true })
      try {
        for (let isDone = false; !isDone; ) {
          const choice = faults.choose(index * blockSize)
          if (choice) {
            if (choice.pauseMs > 0) await sleep(choice.pauseMs, undefined, { signal })
            isDone = await attempt(choice, index, target)
          } else if (!(await origin.findNewCopies())) throw await origin.unavailable()
        }
      } finally {
        signal.removeEventListener('abort', disconnect)
      }
    },
  }
}

function isRight({ sums }: BlockSums, index: number, block: Buffer): boolean {
  const at = index * SUM_BYTES
  return blockSum(createHash('sha256').update(block)).equals(sums.subarray(at, at + SUM_BYTES))
}
