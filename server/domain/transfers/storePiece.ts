import { ProviderError } from '../../providers/errors.ts'
import { ObjectMissingError } from '../../storage/errors.ts'
import { ContentUnavailableError } from '../errors.ts'
import { enqueueRenames } from '../files/content/objects.ts'
import { leaveRemnants } from '../files/content/removals.ts'
import { enqueueSettle } from '../jobs.ts'
import type { Clock, RowDeps } from './deps.ts'
import { SourceError, type StoredObject } from './sendPiece.ts'
import { changeCopies, type Refusal, tellTransfer, type Verdict, type WaitsFor } from './states.ts'
import type { PieceWork, TransferWork } from './work.ts'

const STORE_PIECE = {
  name: 'transfers-store-piece',
  text: `with stored as (
      update pieces set state = 'STORED', object_ref = $2, hash = $3, object_path = $4, session = null, sent_bytes = size
      where id = $1 and state = 'PLANNED' returning account_id, size, copy_id
    ), counted as (
      update accounts a set reserved_bytes = a.reserved_bytes - s.size, used_bytes = a.used_bytes + s.size, updated_at = now()
      from stored s where a.id = s.account_id
    )
    select copy_id from stored`,
}

const FINISH = {
  name: 'transfers-finish-copy',
  text: `with finished as (
      update copies set state = 'STORED' where id = $1 and state = 'STORING'
        and not exists (select from pieces where copy_id = $1 and state <> 'STORED') returning id
    )
    update transfers set state = 'DONE', sent_bytes = total_bytes, error = null, next_try_at = null, ended_at = $3
    from finished where transfers.id = $2
    returning exists (
      select from copies c join pieces p on p.copy_id = c.id join files f on f.id = c.file_id
        left join group_cloud_members m on m.group_cloud_id = f.group_cloud_id and m.account_id = p.account_id
      where f.id = transfers.file_id and (m.account_id is null or m.draining)) as misplaced,
      (select f.name from files f where f.id = transfers.file_id) as name`,
}

export type PieceOutcome = 'STORED' | 'FINISHED' | 'GONE'

/**
 * A verified piece becomes part of its copy, the last one finishes copy and transfer, and the last copy frees the staged bytes:
 * all in one transaction. GONE: the piece is not wanted any more, and its object is noted for removal.
 */
export async function storePiece(
  deps: RowDeps,
  work: TransferWork,
  piece: PieceWork,
  stored: StoredObject,
): Promise<PieceOutcome> {
  const outcome = await changeCopies(deps, async (change): Promise<PieceOutcome> => {
    const { tx } = change
    await tx.query('select from accounts where id = $1 for no key update', [piece.accountId])
    const file = await tx.query('select from files where id = $1 and purged_at is null for update', [work.fileId])
    const kept = file.rowCount
      ? await tx.query({ ...STORE_PIECE, values: [piece.id, stored.ref, stored.hash, stored.path] })
      : null
    if (!kept?.rowCount) {
      const { ref: objectRef, hash } = stored
      const remnant = {
        accountId: piece.accountId,
        pieceId: piece.id,
        objectRef,
        session: null,
        size: piece.size,
        hash,
      }
      await leaveRemnants(tx, deps.enqueue, [remnant])
      return 'GONE'
    }
    const values = [work.copyId, work.id, new Date(deps.clock.now())]
    const finished = await tx.query<{ misplaced: boolean; name: string }>({ ...FINISH, values })
    const [end] = finished.rows
    if (!end) return 'STORED'
    change.fileIds.add(work.fileId)
    // It was renamed while it was sent.
    if (end.name !== work.fileName) await enqueueRenames(tx, deps.enqueue, [work.fileId])
    // What stood elsewhere only until now can go.
    const { userId, fileId, kind } = work
    if (end.misplaced || kind !== 'STORE') await enqueueSettle(tx, deps.enqueue, { userId, fileIds: [fileId] })
    return 'FINISHED'
  })
  if (outcome === 'FINISHED') tellTransfer(deps, work, work.fileSize)
  return outcome
}

const DONE = `with stored as (update copies set state = 'STORED' where id = $1 and state = 'STORING')
  update transfers set state = 'DONE', sent_bytes = total_bytes, error = null, next_try_at = null, ended_at = $3
  where id = $2 and state = 'RUNNING'`

/** For a transfer all of whose pieces are stored. */
export async function finishTransfer(deps: RowDeps, work: TransferWork): Promise<void> {
  await changeCopies(deps, async ({ tx, fileIds }) => {
    await tx.query('select from files where id = $1 for update', [work.fileId])
    await tx.query(DONE, [work.copyId, work.id, new Date(deps.clock.now())])
    fileIds.add(work.fileId)
  })
  tellTransfer(deps, work, work.fileSize)
}

/** A piece that could not be sent, and what stopped it. */
export type PieceFailure = { readonly piece: PieceWork; readonly error: unknown }

/** Why a piece goes to another account, in words that end a sentence; null when it stays. */
export function reasonToMove({ piece, error }: PieceFailure): string | null {
  const name = `“${piece.accountName}”`
  if (piece.accountDisconnected) return `${name} was disconnected`
  if (!(error instanceof ProviderError)) return null
  if (error.code === 'QuotaExceeded') return `${name} is full`
  if (error.code === 'Forbidden') return `${name} takes no more for now`
  if (error.code === 'TooLarge') return `${name} does not take objects of this size`
  if (error.code === 'Corrupt') return `${name} did not keep what was sent`
  return error.code === 'Transient' && piece.accountUnreachable ? `${name} cannot be reached` : null
}

/** What an account that refuses a piece is remembered for, so that it is not tried again before anything has changed. */
export function refusalOf({ piece, error }: PieceFailure): Refusal | null {
  if (!(error instanceof ProviderError)) return null
  const { accountId, accountName, accountQuota } = piece
  if (error.code === 'QuotaExceeded') return { accountId, why: `“${accountName}” is full`, quota: accountQuota }
  const refuses = error.code === 'Forbidden' || error.code === 'TooLarge' || error.code === 'Corrupt'
  return refuses ? { accountId, why: reasonToMove({ piece, error }) ?? '', quota: null } : null
}

/** Tries of what nothing explains, over about a quarter of an hour. What is said of the last one is never much older than the next. */
const MOST_ATTEMPTS = 24
const FIRST_PAUSE_MS = 7_000
const LONGEST_PAUSE_MS = 45_000
/** When a provider does not say how long to wait. */
const RATE_PAUSE_MS = 60_000
/** What waits for room or for another copy is tried again that often, besides when something changes. */
const LOOK_AGAIN_MS = 600_000
/** What is too large for every account with room: only another account, or a change at the service, can mend that. */
const TOO_LARGE_MS = 86_400_000

type Attempts = { readonly attempts: number; readonly progressed: boolean }

/** What becomes of a transfer whose pieces could not all be sent: the worst thing that a try might mend decides. */
export function judge(failures: readonly PieceFailure[], { attempts, progressed }: Attempts, clock: Clock): Verdict {
  const tried = progressed ? 1 : attempts + 1
  const verdicts = failures.map((failure) => judgeOne(failure, tried, attempts, clock))
  const worst = verdicts.toSorted((a, b) => RANK[a.state] - RANK[b.state])[0]
  if (worst?.state !== 'WAITING') return worst ?? { state: 'WAITING', error: null, nextTryAt: null, attempts }
  const waiting = verdicts.filter(({ state }) => state === 'WAITING')
  const soonest = waiting.toSorted((a, b) => Number(a.nextTryAt) - Number(b.nextTryAt))[0]
  return soonest ?? worst
}

const RANK: Readonly<Record<Verdict['state'], number>> = { FAILED: 0, WAITING: 1, PARKED: 2 }

function judgeOne({ piece, error }: PieceFailure, tried: number, attempts: number, clock: Clock): Verdict {
  const name = `“${piece.accountName}”`
  const wait = (words: string, ms: number, counted: number): Verdict => ({
    state: 'WAITING',
    error: words,
    nextTryAt: new Date(clock.now() + ms),
    attempts: counted,
  })
  const park = (waitsFor: WaitsFor, words: string, ms: number | null): Verdict => ({
    state: 'PARKED',
    error: words,
    nextTryAt: ms === null ? null : new Date(clock.now() + ms),
    attempts,
    waitsFor,
  })
  if (error instanceof MoveRefused) {
    return park('ROOM', error.message, isTooLarge(error.cause) ? TOO_LARGE_MS : LOOK_AGAIN_MS)
  }
  if (error instanceof SourceError && isLost(error.cause)) {
    const seconds = error.cause instanceof ContentUnavailableError ? error.cause.retryAfterSeconds : null
    if (seconds !== null) return wait(sourceWords(error.cause), seconds * 1000, attempts)
    return park('SOURCE', sourceWords(error.cause), LOOK_AGAIN_MS)
  }
  if (error instanceof SourceError) return again('The bytes cannot be read just now.', SOURCE_GIVEN_UP)
  if (!(error instanceof ProviderError))
    return again('Something went wrong on this server.', 'Something went wrong on this server.')
  if (error.code === 'ReconnectNeeded' || error.code === 'AuthExpired') {
    return park('ACCOUNT', `Please connect ${name} again; then this goes on by itself.`, null)
  }
  if (error.code === 'RateLimited') {
    const ms = error.detail.retryAfterMs ?? RATE_PAUSE_MS * (0.75 + clock.random() / 2)
    return wait(`${name} asked to wait a while.`, ms, attempts)
  }
  if (error.code === 'Transient') {
    return {
      ...again(`${name} cannot be reached just now.`, `${name} did not answer for a quarter of an hour.`),
      waitsFor: 'ACCOUNT',
    }
  }
  return {
    state: 'FAILED',
    error: `${name} does not take it: ${error.detail.message}`,
    nextTryAt: null,
    attempts: tried,
  }

  /** `givenUp` stays true whatever comes. */
  function again(words: string, givenUp: string): Verdict {
    if (tried >= MOST_ATTEMPTS) return { state: 'FAILED', error: givenUp, nextTryAt: null, attempts: tried }
    return wait(words, pauseMs(tried, clock), tried)
  }
}

function pauseMs(tried: number, clock: Clock): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (tried - 1), LONGEST_PAUSE_MS) * (0.75 + clock.random() / 2)
}

function isTooLarge(cause: unknown): boolean {
  return cause instanceof ProviderError && cause.code === 'TooLarge'
}

/** A piece could not go to another account either; the message says why, the cause why it had to. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}

function isLost(cause: unknown): cause is Error {
  return cause instanceof ContentUnavailableError || cause instanceof ObjectMissingError
}

const SOURCE_GIVEN_UP = 'The bytes could not be read for a quarter of an hour.'

function sourceWords(cause: Error): string {
  if (cause instanceof ContentUnavailableError) return noSourceWords(cause.message)
  return 'The received content is missing on this server.'
}

/** `unavailable`: why no copy can be read. */
export function noSourceWords(unavailable: string): string {
  return `There is no copy to read from now: ${unavailable}`
}
