import type { Readable } from 'node:stream'
import { ProviderError } from '../../../providers/errors.ts'
import { ObjectMissingError } from '../../../storage/errors.ts'

/** Where a range of a file's bytes is. */
export type Part = {
  readonly id: string
  readonly accountId: string
  /** In this server's own storage. */
  readonly local: boolean
  readonly ref: string
  readonly offset: number
  readonly size: number
  /** `<algorithm>:<digest>` as the provider reported it when it was stored; null where it reports none. */
  readonly hash: string | null
  /** Its account reported that it has no such object. */
  readonly unseen: boolean
}

/**
 * A complete content, in parts of ascending offset. `suspectBlock`: a block that was read with wrong bytes, although
 * its account reports the object as unchanged.
 */
export type ReadableCopy = {
  readonly id: string
  readonly parts: readonly Part[]
  readonly suspectBlock: number | null
}

/** Bytes `start` to `end`, inclusive and relative to the part. Ends when the signal aborts. */
export type OpenPart = (part: Part, start: number, end: number, call: PartCall) => Promise<Readable>
/** `lastChance`: as in `Call` of a driver. */
export type PartCall = { readonly signal: AbortSignal; readonly lastChance: boolean }

/** A part ended before its size. */
export class ShortPartError extends Error {
  override readonly name = 'ShortPartError'
}

/** A sequential read of a copy. */
export type CopyStream = {
  readonly copy: ReadableCopy
  /** The next byte of the file to be read. */
  readonly position: () => number
  /** The part that was read last. */
  readonly part: () => Part | undefined
  /** Fills the target. @throws the account's error, ShortPartError */
  fill(target: Buffer): Promise<void>
  close(): void
}

export function partAt({ parts }: ReadableCopy, position: number): Part | undefined {
  return parts.find(({ offset, size }) => offset <= position && position < offset + size)
}

export type CopyStreamOptions = {
  readonly openPart: OpenPart
  /** An account that sends nothing for this long in the middle of a response has failed. */
  readonly stallMs: number
  readonly copy: ReadableCopy
  readonly start: number
  /** Inclusive. */
  readonly end: number
  /** For the first request. */
  readonly lastChance: boolean
}

/** Reads a range of a copy part by part, each with one request. */
export function createCopyStream({ openPart, stallMs, copy, start, end, ...first }: CopyStreamOptions): CopyStream {
  const aborted = new AbortController()
  let { lastChance } = first
  let position = start
  let part: Part | undefined
  let body: Readable | undefined
  let chunks: AsyncIterator<Buffer> | undefined
  let rest: Buffer | undefined
  let hasFailed = false

  async function openNext(): Promise<AsyncIterator<Buffer>> {
    part = partAt(copy, position)
    if (!part) throw new ShortPartError('The parts of a copy end before its file does.')
    const last = Math.min(part.offset + part.size - 1, end)
    const call = { signal: aborted.signal, lastChance }
    lastChance = false
    body = await openPart(part, position - part.offset, last - part.offset, call)
    // Errors of a body that is no longer read are ignored.
    body.on('error', () => undefined)
    if (aborted.signal.aborted) body.destroy()
    return body[Symbol.asyncIterator]()
  }

  /** Does not rely on a destroyed body to end: a stalled one may never do so. */
  async function withoutStall(next: Promise<Buffer>): Promise<Buffer> {
    const { signal } = aborted
    let [timer, giveUp]: [NodeJS.Timeout | undefined, () => void] = [undefined, () => {}]
    const givenUp = new Promise<never>((_resolve, reject) => {
      giveUp = () => reject(signal.reason)
      timer = setTimeout(() => reject(stalledError(stallMs)), stallMs)
      signal.addEventListener('abort', giveUp, { once: true })
    })
    try {
      return await Promise.race([next, givenUp])
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', giveUp)
    }
  }

  /** The next bytes, at most `most` and up to the end of the part. */
  async function nextBytes(most: number): Promise<Buffer> {
    if (!part || position >= part.offset + part.size) {
      body?.destroy()
      chunks = undefined
      rest = undefined
    }
    chunks ??= await openNext()
    const chunk = rest ?? (await withoutStall(nextChunk(chunks)))
    const left = (part?.offset ?? 0) + (part?.size ?? 0) - position
    const taken = chunk.subarray(0, Math.min(most, left))
    rest = taken.length < chunk.length ? chunk.subarray(taken.length) : undefined
    return taken
  }

  return {
    copy,
    position: () => position,
    part: () => part,
    async fill(target) {
      try {
        for (let filled = 0; filled < target.length; ) {
          const bytes = await nextBytes(target.length - filled)
          bytes.copy(target, filled)
          filled += bytes.length
          position += bytes.length
        }
      } catch (error) {
        hasFailed = true
        throw error
      }
    },
    close() {
      // A body without an error is destroyed before the abort: the layers below then count it as read, not as aborted.
      if (!hasFailed) body?.destroy()
      aborted.abort(new Error('The copy is no longer read.'))
      body?.destroy()
    },
  }
}

function stalledError(afterMs: number): ProviderError {
  const message = `No data for ${Math.round(afterMs / 1000)} seconds.`
  return new ProviderError('Transient', { provider: 'account', operation: 'get' }, { message })
}

async function nextChunk(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  for (;;) {
    const { done, value } = await chunks.next()
    if (done) throw new ShortPartError('An object ended before its last byte.')
    if (value.length > 0) return value
  }
}

/** Memory limits for downloads from providers: for all together, and for each. */
export type BudgetLimits = { readonly totalBytes: number; readonly eachBytes: number }

/** The share of one download. */
export type Allowance = {
  /**
   * Allocates memory for the block at a position, once it is available and the reader has reached `from`: lowest
   * position first, and at once for the block that the reader waits for. Null after `leave`.
   */
  take(position: number, bytes: number, from: number): Promise<Buffer | null>
  give(buffer: Buffer): void
  /** The reader waits for the block at this position. */
  wantNow(position: number): void
  /** Ends all waiting; allocated buffers must still be given back. */
  leave(): void
}

export type ReadBudget = {
  join(): Allowance
  /** Bytes held now by all downloads. */
  heldBytes(): number
}

const MIB = 2 ** 20
export const READ_LIMITS: BudgetLimits = { totalBytes: 48 * MIB, eachBytes: 16 * MIB }

/** Allocating memory costs more than filling it, so up to this many buffers are reused. */
const MOST_SPARE = 16

type Waiting = {
  readonly position: number
  readonly bytes: number
  readonly from: number
  readonly resolve: (buffer: Buffer | null) => void
}
type Member = { held: number; wanted: number; left: boolean; waiting: Waiting[] }

/**
 * Limits the memory of downloads. A download always gets the one block that its reader waits for, even beyond the
 * limits: slow readers that hold all memory cannot stop the others.
 */
export function createReadBudget({ totalBytes, eachBytes }: BudgetLimits = READ_LIMITS): ReadBudget {
  const members = new Set<Member>()
  const spare: Buffer[] = []
  let held = 0

  function allocate(bytes: number): Buffer {
    const at = spare.findIndex((buffer) => buffer.length === bytes)
    const [reused] = at === -1 ? [] : spare.splice(at, 1)
    return reused ?? Buffer.allocUnsafeSlow(bytes)
  }

  function fits(member: Member, bytes: number): boolean {
    return member.held + bytes <= eachBytes && held + bytes <= totalBytes
  }

  function grant(member: Member): void {
    for (const next of [...member.waiting]) {
      if (next.position !== member.wanted) {
        if (member.wanted < next.from) continue
        if (!fits(member, next.bytes)) return
      }
      member.waiting.splice(member.waiting.indexOf(next), 1)
      member.held += next.bytes
      held += next.bytes
      next.resolve(allocate(next.bytes))
    }
  }

  function leave(member: Member): void {
    member.left = true
    members.delete(member)
    for (const { resolve } of member.waiting.splice(0)) resolve(null)
  }

  function take(member: Member, position: number, bytes: number, from: number): Promise<Buffer | null> {
    if (member.left) return Promise.resolve(null)
    return new Promise((resolve) => {
      const after = member.waiting.findIndex((other) => other.position > position)
      member.waiting.splice(after === -1 ? member.waiting.length : after, 0, { position, bytes, from, resolve })
      grant(member)
    })
  }

  return {
    heldBytes: () => held,
    join() {
      const member: Member = { held: 0, wanted: -1, left: false, waiting: [] }
      members.add(member)
      return {
        take: (position, bytes, from) => take(member, position, bytes, from),
        give(buffer) {
          member.held -= buffer.length
          held -= buffer.length
          if (spare.length < MOST_SPARE) spare.push(buffer)
          for (const other of members) grant(other)
        },
        wantNow(position) {
          member.wanted = position
          grant(member)
        },
        leave: () => leave(member),
      }
    },
  }
}

/**
 * Wrong bytes are read once more, as the error may be in transit; then the account is asked for the size and hash of
 * the object.
 */
const WRONG_READS = 2
/** A block that was wrong this often is not read again in this download; other copies are tried first. */
const MOST_WRONG_READS = 5
/** Consecutive attempts at an account that breaks off, when no other copy is left. */
const ATTEMPTS = 5
const FIRST_PAUSE_MS = 200

/** The bytes of a block do not match their sum. */
export class WrongBytesError extends Error {
  override readonly name = 'WrongBytesError'
}

/**
 * WRONG: a block was read with wrong bytes more than once. UNSEEN: the account reports no such object, which may be
 * temporary.
 */
export type Finding = 'WRONG' | 'UNSEEN'

/** The copy to read next, and a pause before. `lastChance`: no other account is left. */
export type Choice = { readonly copy: ReadableCopy; readonly pauseMs: number; readonly lastChance: boolean }

/** The errors of one download, and which copies can still be read. */
export type Faults = {
  /** The best copy for a position; null when none is left. */
  choose(position: number): Choice | null
  /** @returns what is to be recorded of the copy, if anything */
  failed(copy: ReadableCopy, part: Part, position: number, error: unknown): Finding | null
  worked(part: Part): void
  /** The copy is not read any more in this download. */
  drop(copy: ReadableCopy): void
  /** Adds copies that were made since the download began. @returns whether there are any new ones */
  addCopies(copies: readonly ReadableCopy[]): boolean
  /** The last error of each account that failed. */
  readonly errors: ReadonlyMap<string, unknown>
}

/** `lastChance`: accounts that were unreachable before; they get one attempt. */
export function createFaults(found: readonly ReadableCopy[], lastChance: ReadonlySet<string>): Faults {
  const copies = [...found]
  const errors = new Map<string, unknown>()
  const failures = new Map<string, number>([...lastChance].map((accountId) => [accountId, ATTEMPTS - 1]))
  const wrong = new Map<string, number>()
  const gone = new Set<string>()
  /** Copies that are read only if no other one is left. */
  const suspects = new Set(copies.filter(({ suspectBlock }) => suspectBlock !== null).map(({ id }) => id))
  /** Accounts that got no request, because the layers below skipped them after earlier failures. */
  const skipped = new Set<string>()
  const retried = new Set<string>()

  const accountAt = (copy: ReadableCopy, position: number): string | undefined =>
    copy.parts.find(({ offset, size }) => position < offset + size)?.accountId

  /** An account that was skipped may have recovered: if no other one is left, it is tried once. */
  function retrySkipped(position: number): Choice | null {
    const isLeft = (accountId = '') => skipped.has(accountId) && !retried.has(accountId)
    const copy = copies.find((other) => !gone.has(other.id) && isLeft(accountAt(other, position)))
    if (!copy) return null
    retried.add(accountAt(copy, position) ?? '')
    return { copy, pauseMs: 0, lastChance: true }
  }

  function failuresAt(copy: ReadableCopy, position: number): number {
    const accountId = accountAt(copy, position)
    return accountId ? (failures.get(accountId) ?? 0) : ATTEMPTS
  }

  const wrongReads = ({ id }: ReadableCopy, position: number): number => wrong.get(`${id} ${position}`) ?? 0

  function countWrong(copy: ReadableCopy, position: number): number {
    const times = wrongReads(copy, position) + 1
    wrong.set(`${copy.id} ${position}`, times)
    return times
  }

  return {
    errors,
    choose(position) {
      const usable = copies
        .filter(({ id }) => !gone.has(id))
        .map((copy) => ({ copy, failed: failuresAt(copy, position), wrong: wrongReads(copy, position) }))
        .filter(({ failed, wrong }) => failed < ATTEMPTS && wrong < MOST_WRONG_READS)
        .sort((left, right) => {
          return Number(suspects.has(left.copy.id)) - Number(suspects.has(right.copy.id)) || left.failed - right.failed
        })
      const [best] = usable
      if (!best) return retrySkipped(position)
      const failed = lastChance.has(best.copy.parts[0]?.accountId ?? '') ? 0 : best.failed
      const again = failed + Math.max(0, best.wrong - WRONG_READS + 1)
      return { copy: best.copy, pauseMs: again === 0 ? 0 : FIRST_PAUSE_MS * 2 ** (again - 1), lastChance: false }
    },
    failed(copy, part, position, error) {
      errors.set(part.accountId, error)
      if (wasSkipped(error)) skipped.add(part.accountId)
      const kind = kindOf(error)
      if (kind === 'wrong') {
        if (countWrong(copy, position) !== WRONG_READS) return null
        suspects.add(copy.id)
        return 'WRONG'
      }
      if (kind === 'unseen') {
        if (countWrong(copy, position) < WRONG_READS) return null
        gone.add(copy.id)
        return 'UNSEEN'
      }
      if (kind === 'again') failures.set(part.accountId, (failures.get(part.accountId) ?? 0) + 1)
      else if (kind === 'account') failures.set(part.accountId, ATTEMPTS)
      else gone.add(copy.id)
      return null
    },
    addCopies(others) {
      const fresh = others.filter(({ id }) => !copies.some((copy) => copy.id === id))
      copies.push(...fresh)
      return fresh.length > 0
    },
    drop: ({ id }) => void gone.add(id),
    worked({ accountId }) {
      failures.delete(accountId)
      retried.delete(accountId)
      errors.delete(accountId)
    },
  }
}

function wasSkipped(error: unknown): boolean {
  return error instanceof ProviderError && error.code === 'Transient' && error.detail.attempts === 0
}

type Kind = 'wrong' | 'unseen' | 'again' | 'account' | 'copy'

function kindOf(error: unknown): Kind {
  if (error instanceof WrongBytesError || error instanceof ShortPartError) return 'wrong'
  if (error instanceof ObjectMissingError) return 'copy'
  if (!(error instanceof ProviderError)) return 'again'
  if (error.code === 'NotFound') return 'unseen'
  if (error.code === 'Corrupt') return 'wrong'
  const canRecover = error.code === 'Transient' || error.code === 'RateLimited'
  // If the layers below have given up, this account is not retried at once.
  return canRecover && error.detail.attempts === undefined ? 'again' : 'account'
}
