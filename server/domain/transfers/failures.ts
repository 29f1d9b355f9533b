import type { Clock } from '../../lib/clock.ts'
import { ProviderError } from '../../providers/errors.ts'
import { ObjectMissingError } from '../../storage/errors.ts'
import { ContentUnavailableError, DomainError, ProviderFailedError } from '../errors.ts'
import { SourceError } from './sendPiece.ts'
import type { PieceWork, Refusal, Verdict, WaitsFor } from './work.ts'

/** A piece that could not be sent, and the error. */
export type PieceFailure = { readonly piece: PieceWork; readonly error: unknown }

/** Why a piece moves to another account, as a clause without a full stop; null when it stays. */
export function reasonToMove({ piece, error }: PieceFailure): string | null {
  const name = `“${piece.accountName}”`
  if (piece.accountDisconnected) return `${name} was disconnected`
  if (!(error instanceof ProviderError)) return null
  if (error.code === 'QuotaExceeded') return `${name} is full`
  if (error.code === 'Forbidden') return `${name} accepts no more files for now`
  if (error.code === 'TooLarge') return `${name} does not accept files of this size`
  if (error.code === 'Corrupt') return `${name} stored other data than was sent`
  return error.code === 'Transient' && piece.accountUnreachable ? `${name} cannot be reached` : null
}

/** What is stored about an account that refused a piece, so that it is not tried again before something has changed. */
export function refusalOf({ piece, error }: PieceFailure): Refusal | null {
  if (!(error instanceof ProviderError)) return null
  const { accountId, accountName, accountQuota } = piece
  if (error.code === 'QuotaExceeded') return { accountId, why: `“${accountName}” is full`, quota: accountQuota }
  const refuses = error.code === 'Forbidden' || error.code === 'TooLarge' || error.code === 'Corrupt'
  return refuses ? { accountId, why: reasonToMove({ piece, error }) ?? '', quota: null } : null
}

/** No account accepts a piece that had to move. The message says why, the cause is the error that made it move. */
export class MoveRefused extends Error {
  override readonly name = 'MoveRefused'
}

/** Attempts after errors without a known remedy, over about a quarter of an hour. The pauses are short enough that the message shown stays current. */
const MAX_ATTEMPTS = 24
const FIRST_PAUSE_MS = 7_000
const MAX_PAUSE_MS = 45_000
/** When a provider does not say how long to wait. */
const RATE_PAUSE_MS = 60_000
/** Polling interval of transfers that wait for free space or for another copy, in addition to events. */
const POLL_MS = 600_000
/** For pieces that are too large for every account with free space: only another account, or a change at the service, can help. */
const TOO_LARGE_MS = 86_400_000

type Attempts = {
  readonly attempts: number
  /** The provider has confirmed more bytes than before this run. */
  readonly progressed: boolean
}

/** How a transfer is left when some of its pieces could not be sent: by the worst failure that another attempt may remedy. */
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
  const wait = (message: string, ms: number, counted: number): Verdict => ({
    state: 'WAITING',
    error: message,
    nextTryAt: new Date(clock.now() + ms),
    attempts: counted,
  })
  const park = (waitsFor: WaitsFor, message: string, ms: number | null): Verdict => ({
    state: 'PARKED',
    error: message,
    nextTryAt: ms === null ? null : new Date(clock.now() + ms),
    attempts,
    waitsFor,
  })
  if (error instanceof MoveRefused) {
    return park('ROOM', error.message, isTooLarge(error.cause) ? TOO_LARGE_MS : POLL_MS)
  }
  if (error instanceof SourceError && isLost(error.cause)) {
    const seconds = error.cause instanceof ContentUnavailableError ? error.cause.retryAfterSeconds : null
    if (seconds !== null) return wait(sourceMessage(error.cause), seconds * 1000, attempts)
    return park('SOURCE', sourceMessage(error.cause), POLL_MS)
  }
  if (error instanceof SourceError) {
    return again('The file cannot be read at the moment.', 'The file could not be read for a quarter of an hour.')
  }
  if (error instanceof ProviderFailedError) return again(error.message, error.message)
  if (error instanceof DomainError) return { state: 'FAILED', error: error.message, nextTryAt: null, attempts: tried }
  if (!(error instanceof ProviderError)) {
    return again('Something went wrong on this server.', 'Something went wrong on this server.')
  }
  if (error.code === 'ReconnectNeeded' || error.code === 'AuthExpired') {
    return park('ACCOUNT', `Please connect ${name} again; then this continues by itself.`, null)
  }
  // Reached only by what can go to this account alone.
  if (error.code === 'QuotaExceeded')
    return park('ROOM', `${name} is full. This continues when there is room.`, POLL_MS)
  if (error.code === 'RateLimited') {
    const ms = error.detail.retryAfterMs ?? RATE_PAUSE_MS * (0.75 + clock.random() / 2)
    return wait(`${name} asked Skypool to wait.`, ms, attempts)
  }
  if (error.code === 'Transient') {
    return {
      ...again(`${name} cannot be reached at the moment.`, `${name} did not answer for a quarter of an hour.`),
      waitsFor: 'ACCOUNT',
    }
  }
  return {
    state: 'FAILED',
    error: `${name} does not accept it: ${error.detail.message}`,
    nextTryAt: null,
    attempts: tried,
  }

  /** `givenUp`: the final message, which must stay true whatever happens later. */
  function again(message: string, givenUp: string): Verdict {
    if (tried >= MAX_ATTEMPTS) return { state: 'FAILED', error: givenUp, nextTryAt: null, attempts: tried }
    return wait(message, pauseMs(tried, clock), tried)
  }
}

function pauseMs(tried: number, clock: Clock): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (tried - 1), MAX_PAUSE_MS) * (0.75 + clock.random() / 2)
}

function isTooLarge(cause: unknown): boolean {
  return cause instanceof ProviderError && cause.code === 'TooLarge'
}

function isLost(cause: unknown): cause is Error {
  return cause instanceof ContentUnavailableError || cause instanceof ObjectMissingError
}

function sourceMessage(cause: Error): string {
  if (cause instanceof ContentUnavailableError) return noSourceMessage(cause.message)
  return 'The uploaded content is missing on this server.'
}

/** `unavailable`: why no copy can be read. */
export function noSourceMessage(unavailable: string): string {
  return `No copy can be read at the moment: ${unavailable}`
}
