import { setMaxListeners } from 'node:events'
import type { Clock } from '../../lib/clock.ts'
import type { AccountLimits, PauseKind } from '../../lib/limits.ts'
import { type Call, type Capabilities, type Content, type Download, type Driver, isWrite } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { hasBody, type Operation, wrapDriver } from './wrapDriver.ts'

/**
 * Limits the calls of one account: as many concurrent calls as the service allows, none during a pause that it asked for, and none
 * for half a minute after five consecutive failures. A pause after a write affects writes only, and one of downloads only
 * those. A download holds its slot until its body has ended. With `shared`, slots and pauses are those of all servers; failures are
 * counted here only, because a service may be reached from one server and not from another.
 */
export function limit(driver: Driver, { clock, shared }: { clock: Clock; shared?: SharedAccount | undefined }): Driver {
  const limiter = createLimiter(driver.capabilities, clock, shared)
  const enter = (operation: Operation, call: Call): Promise<Entered> =>
    limiter.enter({ lane: laneOf(operation), isWrite: isWrite(operation) }, call, { provider: driver.kind, operation })

  return {
    ...wrapDriver(driver, async (operation, call, work) => {
      const entered = await enter(operation, call)
      try {
        const value = await work(driver)
        if (hasBody(operation)) leaveWithBody(call, value as Download, entered)
        else entered.leave(null)
        return value
      } catch (error) {
        entered.leave(outcomeOf(call, error))
        throw error
      }
    }),
    async put(call, entry, content, progress) {
      const entered = await enter('put', call)
      const source = watchContent(content)
      try {
        const stored = await driver.put(call, entry, source.content, progress)
        entered.leave(null)
        return stored
      } catch (error) {
        entered.leave(source.isBroken() ? undefined : outcomeOf(call, error))
        throw error
      }
    },
  }
}

/** An account whose limits hold for all servers. */
export type SharedAccount = AccountLimits & { readonly accountId: string }

function laneOf(operation: Operation): Lane {
  if (operation === 'put') return 'write'
  return hasBody(operation) ? 'read' : 'control'
}

/** Aborted calls and other errors say nothing about the service. */
function outcomeOf({ signal }: Call, error: unknown): CallOutcome {
  return error instanceof ProviderError && !signal.aborted ? error : undefined
}

/** A body that was read in part is a success as well; an unread one says nothing about the service. */
function leaveWithBody(call: Call, { body }: Download, entered: Entered): void {
  entered.answered()
  let failure: unknown = body.errored
  const onClose = (): void => {
    if (failure) entered.leave(outcomeOf(call, failure))
    else entered.leave(body.readableDidRead || body.readableEnded ? null : undefined)
  }
  body.once('error', (error) => {
    failure = error
  })
  if (body.closed) onClose()
  else body.once('close', onClose)
}

/** An error of the content is not a failure of the account that it is sent to. */
function watchContent(content: Content): { content: Content; isBroken(): boolean } {
  let broken = false
  const watched: Content = {
    size: content.size,
    open(start) {
      const source = content.open(start)
      source.once('error', () => {
        broken = true
      })
      return source
    },
  }
  return { content: watched, isBroken: () => broken }
}

type Limiter = {
  /**
   * Waits for a slot and the end of a pause. The caller calls `leave` once.
   * @throws ProviderError Transient without waiting while the circuit is open, RateLimited when the pause is longer than
   * `call.patienceMs`; the signal's reason once it is aborted
   */
  enter(kind: CallKind, call: Pick<Call, 'signal' | 'lastChance' | 'patienceMs'>, where: Where): Promise<Entered>
}
type CallKind = { readonly lane: Lane; readonly isWrite: boolean }
type Where = { readonly provider: string; readonly operation: string }
type Entered = {
  /** The service has answered, so it can be reached. */
  answered(): void
  leave(outcome: CallOutcome): void
}

/** The longest pause that a call waits for by default; a longer one rejects at once. */
const MAX_WAIT_MS = 60_000
const POLL_MS = 100
const ALL_LANES: readonly Lane[] = ['write', 'read', 'control']

/**
 * The slots, pauses and the circuit of one account. A pause after a write affects writes only: services count these separately
 * (Dropbox: too_many_write_operations; Drive: daily uploads), and where they do not, the next read gets a separate pause.
 */
function createLimiter(capabilities: Capabilities, clock: Clock, shared?: SharedAccount): Limiter {
  const lanes = createLanes(capabilities, clock)
  const { pauseOfAll, pauseOfWrites, pauseOfDownloads, hear, tell } = createPauses(clock, lanes, shared)
  const circuit = createCircuit(clock)

  /** Waits for the result of a running probe, which decides for insisting calls too. */
  async function probeEnded(signal: AbortSignal): Promise<void> {
    while (circuit.isProbing()) await clock.sleep(POLL_MS, signal)
  }

  return {
    async enter({ lane, isWrite }, { signal, lastChance = false, patienceMs = MAX_WAIT_MS }, where) {
      const pauses = [pauseOfAll, ...(isWrite ? [pauseOfWrites] : []), ...(lane === 'read' ? [pauseOfDownloads] : [])]
      const pause = isWrite ? pauseOfWrites : pauseOfAll
      const pausedMs = (): number => {
        hear()
        return Math.max(...pauses.map(({ leftMs }) => leftMs()))
      }
      let freeShared = (): void => {}
      // One job's signal serves many concurrent calls, which Node would report as a leak of listeners.
      setMaxListeners(0, signal)
      for (;;) {
        signal.throwIfAborted()
        const wait = pausedMs()
        if (wait > patienceMs) throw pausedFor(wait, where)
        if (lastChance) await probeEnded(signal)
        refuseWhenOpen(circuit.leftMs(lastChance), where)
        if (wait > 0) await clock.sleep(wait, signal)
        await lanes.take(lane, signal)
        freeShared = await takeShared(lane, signal)
        // A pause or failure may have come while this call waited for the slot.
        if (pausedMs() === 0 && circuit.leftMs(lastChance) === 0) break
        freeShared()
        lanes.free(lane)
      }
      const isProbe = circuit.begin()
      const startedAt = pause.epoch()
      const downloadsStartedAt = pauseOfDownloads.epoch()
      const limited = ({ detail: { retryAfterMs, isOfDownloads } }: ProviderError): void => {
        if (isOfDownloads) pauseOfDownloads.begin(retryAfterMs, downloadsStartedAt)
        else if (pause.begin(retryAfterMs, startedAt)) lanes.halve(isWrite ? ['write'] : ALL_LANES)
        tell()
      }
      let isOver = false
      return {
        answered: () => circuit.answered(isProbe),
        leave(outcome) {
          if (isOver) return
          isOver = true
          if (outcome?.code === 'RateLimited') limited(outcome)
          if (outcome === null) for (const { reset } of pauses) reset()
          circuit.end(isProbe, outcome)
          freeShared()
          lanes.free(lane)
        },
      }
    },
  }

  async function takeShared(lane: Lane, signal: AbortSignal): Promise<() => void> {
    if (!shared) return () => {}
    try {
      return await shared.slots.take(`${shared.accountId} ${lane}`, lanes.most(lane), signal)
    } catch (error) {
      lanes.free(lane)
      throw error
    }
  }
}

const LANES_OF: Readonly<Record<PauseKind, readonly Lane[]>> = { ALL: ALL_LANES, WRITES: ['write'], DOWNLOADS: [] }

/** Serial numbers of shared pauses begin at 1. */
const NONE = 0
/** Clocks differ by less than this (ms): a pause that ends no later is known to the others. */
const KNOWN_MS = 250

/** The pauses of one account. `hear` begins those that another server was asked for, and `tell` tells the others of those here. */
function createPauses(clock: Clock, lanes: Pick<Lanes, 'halve'>, shared?: SharedAccount) {
  const [pauseOfAll, pauseOfWrites, pauseOfDownloads] = [createPause(clock), createPause(clock), createPause(clock)]
  const kinds = [
    { kind: 'ALL', pause: pauseOfAll, serial: NONE },
    { kind: 'WRITES', pause: pauseOfWrites, serial: NONE },
    { kind: 'DOWNLOADS', pause: pauseOfDownloads, serial: NONE },
  ] satisfies { kind: PauseKind; pause: Pause; serial: number }[]

  function hear(): void {
    if (!shared) return
    for (const known of kinds) {
      const news = shared.pauses.latest(shared.accountId, known.kind)
      if (news?.serial === known.serial) continue
      if (!news && known.serial !== NONE) known.pause.end()
      known.serial = news?.serial ?? NONE
      if (!news) continue
      const leftMs = news.leftMs()
      if (leftMs <= known.pause.leftMs()) continue
      known.pause.begin(leftMs, known.pause.epoch())
      lanes.halve(LANES_OF[known.kind])
    }
  }

  function tell(): void {
    if (!shared) return
    for (const known of kinds) {
      const leftMs = known.pause.leftMs()
      const told = shared.pauses.latest(shared.accountId, known.kind)?.leftMs() ?? 0
      if (leftMs > told + KNOWN_MS || (leftMs > 0 && told === 0))
        known.serial = shared.pauses.begin(shared.accountId, known.kind, leftMs)
    }
  }

  return { pauseOfAll, pauseOfWrites, pauseOfDownloads, hear, tell }
}

function pausedFor(retryAfterMs: number, where: Where): ProviderError {
  const message = 'The service asked Skypool to wait.'
  return new ProviderError('RateLimited', where, { message, retryAfterMs, attempts: 0 })
}

function refuseWhenOpen(leftMs: number, where: Where): void {
  if (leftMs === 0) return
  const message = 'The service does not answer; calls to it are paused.'
  throw new ProviderError('Transient', where, { message, retryAfterMs: leftMs, attempts: 0 })
}

/**
 * Uploads, downloads and other calls have separate slots. An upload waits for the download that feeds it, from another account or
 * the same one, and must not hold the slot that the download needs; short calls must not wait for either.
 */
type Lane = 'write' | 'read' | 'control'

type Lanes = {
  /** Waits for a slot, first come, first served. Rejects with the signal's reason once that is aborted. */
  take(lane: Lane, signal: AbortSignal): Promise<void>
  free(lane: Lane): void
  /** How many slots the lane has now. */
  most(lane: Lane): number
  /** Halves the concurrency of these lanes; it grows by one after each minute. */
  halve(lanes: readonly Lane[]): void
}

const MAX_WRITES = 4
const GROW_EVERY_MS = 60_000

type Waiting = { readonly start: () => void }

/** Divides the concurrency that the service allows; each lane has at least one slot. */
function createLanes(capabilities: Capabilities, clock: Pick<Clock, 'now'>): Lanes {
  const most = shares(capabilities)
  const total = Math.max(3, capabilities.maxConcurrency)
  const active: Record<Lane, number> = { write: 0, read: 0, control: 0 }
  const waiting: Record<Lane, Waiting[]> = { write: [], read: [], control: [] }
  const ceilings = new Map<Lane, { readonly most: number; readonly since: number }>()

  const now = (lane: Lane): number => {
    const { most: ceiling, since } = ceilings.get(lane) ?? { most: total, since: 0 }
    const grown = Math.floor((clock.now() - since) / GROW_EVERY_MS)
    return Math.min(total, ceiling + Math.max(0, grown))
  }
  const slots = (lane: Lane): number => Math.max(1, Math.floor((most[lane] * now(lane)) / total))
  const isFree = (lane: Lane): boolean => active[lane] < slots(lane)
  const startWaiting = (lane: Lane): void => {
    while (waiting[lane].length > 0 && isFree(lane)) {
      active[lane] += 1
      waiting[lane].shift()?.start()
    }
  }

  return {
    take(lane, signal) {
      if (waiting[lane].length === 0 && isFree(lane)) {
        active[lane] += 1
        return Promise.resolve()
      }
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          waiting[lane] = waiting[lane].filter((other) => other !== one)
          reject(signal.reason)
        }
        const start = (): void => {
          signal.removeEventListener('abort', stop)
          resolve()
        }
        const one: Waiting = { start }
        waiting[lane].push(one)
        signal.addEventListener('abort', stop, { once: true })
        startWaiting(lane)
      })
    },
    free(lane) {
      active[lane] -= 1
      startWaiting(lane)
    },
    most: slots,
    halve(lanes) {
      for (const lane of lanes) {
        ceilings.set(lane, { most: Math.max(1, Math.floor(now(lane) / 2)), since: clock.now() })
      }
    },
  }
}

/** How the service's concurrency is divided: the sum does not exceed it, unless it is below three. */
function shares({ maxConcurrency, maxConcurrentWrites }: Capabilities): Readonly<Record<Lane, number>> {
  const write = Math.max(1, Math.min(MAX_WRITES, maxConcurrentWrites, Math.floor(maxConcurrency / 2)))
  const control = Math.max(1, Math.floor((maxConcurrency - write) / 3))
  return { write, control, read: Math.max(1, maxConcurrency - write - control) }
}

/** How one call ended, as far as it says something about the service. `null`: success; `undefined`: unknown. */
type CallOutcome = ProviderError | null | undefined

const FIRST_PAUSE_MS = 1_000
const MAX_PAUSE_MS = 64_000

type Pause = {
  /** How long no call may be made (ms); 0 when calls are allowed. */
  leftMs(): number
  /** Number of pauses so far: a call that began in an earlier epoch started without the last pause. */
  epoch(): number
  /** The service asked for a pause, of `retryAfterMs` where it says so. @returns false when the call began before the last pause */
  begin(retryAfterMs: number | undefined, epoch: number): boolean
  /** A call succeeded: the next pause is short again. */
  reset(): void
  /** It does not apply any more. */
  end(): void
}

/** Pauses that an account's service asks for (429). Without a stated time they double, with up to a second of jitter. */
function createPause(clock: Clock): Pause {
  let until = 0
  let pauses = 0
  let inARow = 0

  return {
    leftMs: () => Math.max(0, until - clock.now()),
    epoch: () => pauses,
    begin(retryAfterMs, epoch) {
      const isNew = epoch === pauses
      if (isNew) {
        pauses += 1
        inARow += 1
      }
      const doubled = Math.min(FIRST_PAUSE_MS * 2 ** (inARow - 1), MAX_PAUSE_MS - 1_000)
      const ms = retryAfterMs ?? (isNew ? doubled + clock.random() * 1_000 : 0)
      until = Math.max(until, clock.now() + ms)
      return isNew
    },
    reset() {
      inARow = 0
    },
    end() {
      until = 0
      inARow = 0
    },
  }
}

const MAX_FAILURES = 5
const WITHIN_MS = 60_000
const OPEN_MS = 30_000
/** Reported as the rest of the time while a probe is running. */
const PROBING_MS = 1_000
/** Calls that insist wait at least this long after a failure. */
const INSIST_AFTER_MS = 1_000

export type Circuit = {
  /** How long calls fail without being sent (ms); 0 when they are allowed. A call that insists may go earlier, as the only one. */
  leftMs(insists?: boolean): number
  /** A call is testing whether the service can be reached again. */
  isProbing(): boolean
  /** A call starts. @returns whether it is the probe */
  begin(): boolean
  /** The service has answered a call: after a probe the circuit closes. */
  answered(isProbe: boolean): void
  end(isProbe: boolean, outcome: CallOutcome): void
}

/**
 * Circuit breaker: opens after five consecutive failures within a minute; half a minute later one call is let through as a probe. After
 * another half minute without an answer the next call is a probe as well: the first may be an upload that takes hours.
 */
function createCircuit(clock: Pick<Clock, 'now'>): Circuit {
  let failures: number[] = []
  let openUntil: number | null = null
  let probingUntil = 0
  const isProbing = (): boolean => clock.now() < probingUntil
  const close = (): void => {
    openUntil = null
    probingUntil = 0
    failures = []
  }

  return {
    leftMs(insists = false) {
      if (openUntil === null) return 0
      const closedFor = insists ? (failures.at(-1) ?? 0) + INSIST_AFTER_MS : openUntil
      return Math.max(closedFor - clock.now(), isProbing() ? PROBING_MS : 0)
    },
    isProbing,
    begin() {
      const isProbe = openUntil !== null
      if (isProbe) probingUntil = clock.now() + OPEN_MS
      return isProbe
    },
    answered(isProbe) {
      if (isProbe) close()
    },
    end(isProbe, outcome) {
      // Of two probes, the other one may have closed it.
      const decides = isProbe && openUntil !== null
      if (outcome === undefined) {
        if (decides) probingUntil = 0
        return
      }
      if (outcome?.code !== 'Transient') return close()
      const now = clock.now()
      failures = [...failures.filter((at) => now - at < WITHIN_MS), now]
      if (!decides && failures.length < MAX_FAILURES) return
      openUntil = now + OPEN_MS
      probingUntil = 0
    },
  }
}
