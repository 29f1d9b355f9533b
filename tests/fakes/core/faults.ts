export const FAULT_KINDS = [
  'refuse',
  'reset',
  'cutUp',
  'cutDown',
  'blackhole',
  'delay',
  'rateLimit',
  'serverError',
  'expired',
  'invalidGrant',
  'policy',
  'full',
  'truncate',
  'vanish',
  'lostReply',
  'duplicate',
  'staleList',
  'incomplete',
  'flip',
  'wrongObject',
  'shortBody',
  'ignoreRange',
  'gzip',
  'skew',
  'redirect',
  'html',
] as const
export type FaultKind = (typeof FAULT_KINDS)[number]

/** A planned fault. Numbers that a kind does not know are ignored. */
export type Fault = {
  readonly kind: FaultKind
  readonly service?: string
  /** Any when absent; 'drive.files.*' matches by its beginning. */
  readonly operation?: string
  readonly user?: string
  /** How often it happens; 1 unless told, 0 = until cleared. */
  readonly count?: number
  /** How many exchanges that fit are spared first. */
  readonly after?: number
  /** cutUp, cutDown: bytes that still pass. serverError: bytes of the body kept nevertheless. truncate, shortBody: bytes lost. */
  readonly bytes?: number
  /** shortBody: Content-Length says the smaller number too, so that only who knows the size can tell. */
  readonly agreeing?: boolean
  /** flip: the byte, from the beginning of what is sent. */
  readonly at?: number
  /** delay: how long. skew: how far the clock of the service is ahead. */
  readonly ms?: number
  /** rateLimit: seconds of Retry-After; without it there is no such header. */
  readonly retryAfter?: number
  /** serverError, rateLimit, redirect: instead of the usual status. */
  readonly status?: number
  /** rateLimit, policy: instead of the usual reason of the service. */
  readonly reason?: string
  /** redirect: where to. */
  readonly location?: string
}

export type Occasion = { readonly service: string; readonly operation: string; readonly user: string | null }

export type Faults = {
  plan(fault: Fault): void
  clear(): void
  /** The first planned fault that fits, used up by the asking. */
  take(kind: FaultKind, occasion: Occasion): Fault | null
  /** What is still planned. */
  planned(): readonly Fault[]
}

type Planned = { readonly fault: Fault; left: number; toSpare: number }

export function createFaults(): Faults {
  let all: Planned[] = []
  return {
    plan(fault) {
      if (!FAULT_KINDS.includes(fault.kind)) throw new Error(`There is no fault ${String(fault.kind)}.`)
      all.push({
        fault,
        left: fault.count ? fault.count : fault.count === 0 ? Number.POSITIVE_INFINITY : 1,
        toSpare: fault.after ?? 0,
      })
    },
    clear() {
      all = []
    },
    take(kind, occasion) {
      for (const planned of all) {
        if (planned.fault.kind !== kind || !fits(planned.fault, occasion)) continue
        if (planned.toSpare > 0) {
          planned.toSpare -= 1
          continue
        }
        planned.left -= 1
        if (planned.left <= 0) all = all.filter((other) => other !== planned)
        return planned.fault
      }
      return null
    },
    planned: () => all.map(({ fault }) => fault),
  }
}

function fits(fault: Fault, { service, operation, user }: Occasion): boolean {
  if (fault.service !== undefined && fault.service !== service) return false
  if (fault.user !== undefined && fault.user !== user) return false
  if (fault.operation === undefined || fault.operation === operation) return true
  return fault.operation.endsWith('*') && operation.startsWith(fault.operation.slice(0, -1))
}
