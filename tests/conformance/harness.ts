import type { Driver, EntryRef } from '../../server/providers/driver.ts'

/** What the service is made to do once, to the next call that it concerns. */
export type ServiceFault =
  /** The next call is one too many. */
  | { readonly kind: 'rateLimit'; readonly retryAfterMs: number }
  /** The next call meets a 503. */
  | { readonly kind: 'serverError' }
  /** The next call's connection ends before an answer. */
  | { readonly kind: 'reset' }
  /** The next upload's connection ends after about so many bytes. */
  | { readonly kind: 'cutUp'; readonly afterBytes: number }
  /** The next download's connection ends after so many bytes. */
  | { readonly kind: 'cutDown'; readonly afterBytes: number }
  /** The next download ends after so many bytes as if it were whole. */
  | { readonly kind: 'shortBody'; readonly bytes: number }
  /** The next upload is stored, and the answer that says so is lost. */
  | { readonly kind: 'lostReply' }
  /** The next upload is accepted, and only so many bytes of it are there. */
  | { readonly kind: 'truncate'; readonly bytes: number }
  /** The next upload is accepted, and nothing is there. */
  | { readonly kind: 'vanish' }
export type FaultKind = ServiceFault['kind']

/** One account, empty, of one service, and what can be done to both. A new one for each case. */
export type Harness = {
  readonly driver: Driver
  /** A new driver object of the same account, as another process opens it. */
  reopen(): Driver
  /** What the driver sends at once: sizes around it are tried. */
  readonly chunkBytes: number
  /** So many entries of one folder are more than two pages of a list; null where there are no pages. */
  readonly manyEntries: number | null
  /** False where names and folders are accepted and not kept. */
  readonly keepsNames: boolean
  /** False where only the answer to an upload says the hash. */
  readonly keepsHash: boolean
  /** Cases that the service makes impossible, with the reason, where the cases cannot know it. */
  readonly lacks?: Readonly<Record<string, string>>
  /** The faults that `plan` can make. */
  readonly faults: ReadonlySet<FaultKind>
  plan(fault: ServiceFault): void | Promise<void>
  /**
   * The next upload lacks its last bytes at the service, whose answer to it is lost, or where the next deletion fails.
   */
  readonly keepPart?: (missing: number, then: 'LOST_ANSWER' | 'FAILED_DELETION') => void
  /** The access in the driver's credentials ends. */
  readonly expireAccess?: () => void | Promise<void>
  /** Leaves no room for anything. */
  readonly fillQuota?: () => void | Promise<void>
  /** Moves a file into the service's trash, as a user does there. */
  readonly trash?: (ref: EntryRef) => void | Promise<void>
  /** Replaces the content of a file, as a user does at the service. */
  readonly overwrite?: (ref: EntryRef, text: string) => void | Promise<void>
  /** Makes a document without bytes in the root, as a user does at the service. */
  readonly plantDocument?: () => Promise<EntryRef>
  /** How many uploads the service keeps that have not ended, as only its operator sees. */
  readonly unfinished?: () => number | Promise<number>
  /** Bytes of contents that the service has taken in so far, sent twice counted twice. */
  readonly receivedBytes?: () => number | Promise<number>
  close(): void | Promise<void>
}

/** A behaviour that every driver has, unless it lacks something for it. Throws where the driver does not behave. */
export type Case = {
  readonly name: string
  /** What is missing for it; null when nothing is. */
  readonly lacks?: (harness: Harness) => string | null
  run(harness: Harness): Promise<void>
}

export function needsFault(...kinds: readonly FaultKind[]): (harness: Harness) => string | null {
  return ({ faults }) => {
    const missing = kinds.filter((kind) => !faults.has(kind))
    return missing.length === 0 ? null : `The service cannot be made to ${missing.join(', ')}.`
  }
}

export function needsMethod(...names: readonly (keyof Driver)[]): (harness: Harness) => string | null {
  return ({ driver }) => {
    const missing = names.filter((name) => driver[name] === undefined)
    return missing.length === 0 ? null : `The service has no ${missing.join(', ')}.`
  }
}

/** For `SuiteOptions.skips` of drivers whose services cannot keep a part, or from which nothing can be deleted. */
export const keptPartSkips = (reason: string): Readonly<Record<string, string>> =>
  Object.fromEntries(KEPT_PART_CASES.map((name) => [name, reason]))

const KEPT_PART_CASES = [
  'leaves nothing of what the service kept in part, also when an answer was lost or a deletion failed',
  'deletes what the service kept in part when the upload is given up',
]
const ONE_FAULT = 'The test of the service makes one fault at a time.'
/** For `SuiteOptions.skips` of drivers whose harness has no `keepPart`. */
export const ONE_FAULT_SKIPS = keptPartSkips(ONE_FAULT)

/** For `SuiteOptions.skips` of drivers whose services make no pictures of files. */
export const NO_THUMBNAILS: Readonly<Record<string, string>> = {
  'has small pictures of photos, and of nothing else': 'The service makes none.',
}

/** Methods of the harness that only some services have. */
export function needsHook(...names: readonly (keyof Harness)[]): (harness: Harness) => string | null {
  return (harness) => {
    const missing = names.filter((name) => harness[name] === undefined)
    return missing.length === 0 ? null : `The test of the service has no ${missing.join(', ')}.`
  }
}

export function needsNames({ keepsNames }: Harness): string | null {
  return keepsNames ? null : 'Names and folders are not kept.'
}
