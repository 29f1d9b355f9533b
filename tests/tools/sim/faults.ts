import type { Fault, FaultHook, Operation } from '../../fakes/memory/faults.ts'
import { type Chance, createChance } from './random.ts'

/** Faults of the calls of one schedule: which call of an account fails depends on the seed and on its number, not on time. */
export type Faults = {
  readonly hook: FaultHook
  /** No faults while it is false. */
  active: boolean
  /** Accounts that do not respond. */
  readonly outages: Set<string>
  /** How many calls had each kind of fault. */
  readonly counts: Map<string, number>
  /** Wrong bytes sent, by account and object. */
  readonly wrongReads: Map<string, number>
  /** Called for every call of a schedule. */
  onCall(listener: (line: string) => void): void
  /** Also called for every call, unless null. */
  onNext(listener: (() => void) | null): void
}

type Kind = 'put' | 'get' | 'other'
const KIND: Readonly<Partial<Record<Operation, Kind>>> = { put: 'put', get: 'get' }

const WEIGHTS = {
  put: {
    down: 3,
    reset: 2,
    cut: 4,
    rate: 2,
    full: 1.5,
    forbidden: 0.5,
    expired: 1,
    lostReply: 4,
    truncated: 2,
    lied: 2,
    vanished: 1.5,
    hidden: 1,
    delayed: 1,
    silent: 0.5,
    permanent: 0.2,
  },
  get: {
    down: 3,
    cut: 4,
    rate: 1.5,
    expired: 1,
    flipped: 1,
    other: 1,
    short: 1.5,
    rangeIgnored: 1,
    packed: 1,
    delayed: 1,
  },
  other: { down: 4, rate: 2, expired: 1, lostReply: 3, delayed: 1, silent: 0.5 },
} as const
type Name = keyof (typeof WEIGHTS)['put'] | keyof (typeof WEIGHTS)['get'] | keyof (typeof WEIGHTS)['other']

const WRONG = new Set<Name>(['flipped', 'other', 'short', 'rangeIgnored'])

/** `rates`: the share of an account's calls that fail. */
export function createFaults(seed: string, rates: ReadonlyMap<string, number>): Faults {
  const numbers = new Map<string, number>()
  let tell: (line: string) => void = () => {}
  let next: (() => void) | null = null
  const count = (name: string) => faults.counts.set(name, (faults.counts.get(name) ?? 0) + 1)

  const hook: FaultHook = (operation, ref, account) => {
    const call = `${account} ${operation}`
    const number = (numbers.get(call) ?? 0) + 1
    numbers.set(call, number)
    next?.()
    const [name, fault] = choose(operation, account, createChance(seed, call, number))
    tell(`${call} #${number}${name === null ? '' : ` !${name}`}`)
    if (name === null) return null
    count(name)
    const object = `${account} ${ref}`
    if (operation === 'get' && WRONG.has(name as Name)) {
      faults.wrongReads.set(object, (faults.wrongReads.get(object) ?? 0) + 1)
    }
    return fault
  }

  function choose(operation: Operation, account: string, chance: Chance): [string | null, Fault | null] {
    if (!faults.active) return [null, null]
    if (faults.outages.has(account)) return ['outage', { kind: 'refused', code: 'Transient' }]
    if (!chance.happens(rates.get(account) ?? 0)) return [null, null]
    const name: Name = chance.weighted<Name>(WEIGHTS[KIND[operation] ?? 'other'] as Record<Name, number>)
    return [name, FAULTS[name](chance)]
  }

  const faults: Faults = {
    hook,
    active: true,
    outages: new Set(),
    counts: new Map(),
    wrongReads: new Map(),
    onCall(listener) {
      tell = listener
    },
    onNext(listener) {
      next = listener
    },
  }
  return faults
}

const FAULTS: Readonly<Record<Name, (chance: Chance) => Fault>> = {
  down: (chance) => ({ kind: 'refused', code: 'Transient', status: chance.oneOf([500, 502, 503]) }),
  reset: () => ({ kind: 'refused', code: 'Transient', afterBytes: 0 }),
  cut: (chance) => ({ kind: 'refused', code: 'Transient', afterBytes: chance.between(1, 400_000) }),
  rate: (chance) => ({ kind: 'refused', code: 'RateLimited', status: 429, retryAfterMs: chance.between(1, 90) * 1000 }),
  full: () => ({ kind: 'refused', code: 'QuotaExceeded', status: 507 }),
  forbidden: () => ({ kind: 'refused', code: 'Forbidden', status: 403 }),
  expired: () => ({ kind: 'refused', code: 'AuthExpired', status: 401 }),
  permanent: () => ({ kind: 'refused', code: 'Permanent', status: 400 }),
  lostReply: () => ({ kind: 'lostReply' }),
  truncated: (chance) => ({ kind: 'truncated', bytes: chance.between(0, 50_000), admitted: true }),
  lied: (chance) => ({ kind: 'truncated', bytes: chance.between(0, 50_000), admitted: false }),
  vanished: () => ({ kind: 'vanished' }),
  hidden: () => ({ kind: 'hidden', ms: 30_000 }),
  delayed: (chance) => ({ kind: 'delayed', ms: chance.between(1, 30) * 1000 }),
  silent: () => ({ kind: 'silent' }),
  flipped: (chance) => ({ kind: 'flipped', at: chance.between(0, 1_000_000) }),
  other: () => ({ kind: 'otherObject' }),
  short: (chance) => ({ kind: 'shortened', bytes: chance.between(0, 100_000) }),
  rangeIgnored: () => ({ kind: 'rangeIgnored' }),
  packed: () => ({ kind: 'packed' }),
}
