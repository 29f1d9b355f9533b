import type { FileState } from '../services.ts'

/** Why an account cannot be read from now. */
export type Loss = 'EXPIRED' | 'UNREACHABLE' | 'DISCONNECTED'

export type LostAccount = { readonly name: string; readonly how: Loss }

export type CopyFacts = {
  readonly state: 'STORING' | 'STORED' | 'MISSING'
  /** All of it is stored, on accounts that can be read from. */
  readonly readable: boolean
  /** Other bytes come of it than were stored, again and again, though its accounts say that it is whole. */
  readonly suspect: boolean
  /** Distinct accounts of its pieces that cannot be read from. */
  readonly lost: readonly LostAccount[]
  /** Names of all its accounts, in the order of the pieces, each once. */
  readonly names: readonly string[]
  /** Those of accounts where somebody changed what was stored. */
  readonly changed: readonly string[]
}

/** What the state of a file follows from. */
export type FileFacts = {
  readonly staged: boolean
  /** Copies that its group cloud asks for. */
  readonly wanted: number
  readonly copies: readonly CopyFacts[]
  /** Transfers that wait, run or are paused. */
  readonly open: number
  /** One of them, or one that is done, has sent something. */
  readonly begun: boolean
  /** One of its transfers waits for a person or was given up. */
  readonly stopped: boolean
  /** What stopped the latest of those. */
  readonly error: string | null
  /** Its user gave up a transfer that would have made a copy. */
  readonly cancelled: boolean
}

export type Assessment = { readonly state: FileState; readonly reason: string | null }

/** The one rule of a file's state; the reason is for people. */
export function assess(facts: FileFacts): Assessment {
  return facts.staged ? assessStaged(facts) : assessStored(facts)
}

/** The whole content is still here, so that nothing is lost yet. */
function assessStaged(facts: FileFacts): Assessment {
  if (facts.stopped) {
    return atRisk(`It waits on this server: ${facts.error ?? 'its copy could not be stored.'}`)
  }
  if (facts.open > 0) return { state: facts.begun ? 'STORING' : 'RECEIVED', reason: null }
  if (readableOf(facts) >= facts.wanted) return stored
  return atRisk(`It is on this server alone${facts.cancelled ? CANCELLED : ', and no copy of it is on its way.'}`)
}

/** A day after that settling plans it again. */
const CANCELLED = ': its transfer was cancelled, and is tried again after a day.'

const stored: Assessment = { state: 'STORED', reason: null }

function assessStored(facts: FileFacts): Assessment {
  const readable = readableOf(facts)
  if (readable >= facts.wanted) return stored
  const bad = facts.copies.filter(isBad)
  const onItsWay = readable > 0 && readable + facts.open >= facts.wanted
  if (bad.length === 0 && onItsWay && !facts.stopped) return { state: 'STORING', reason: null }
  return atRisk(readable === 0 ? whyNone(bad) : whyFewer(facts, readable, bad))
}

function atRisk(reason: string): Assessment {
  return { state: 'AT_RISK', reason }
}

function readableOf({ copies }: FileFacts): number {
  return copies.filter(({ readable }) => readable).length
}

function isBad({ state, readable }: CopyFacts): boolean {
  return state !== 'STORING' && !readable
}

const WHICH: Readonly<Record<Loss, string>> = {
  EXPIRED: 'which needs to be connected again',
  UNREACHABLE: 'which cannot be reached',
  DISCONNECTED: 'which was disconnected',
}

const WHAT: Readonly<Record<Loss, string>> = {
  EXPIRED: 'needs to be connected again',
  UNREACHABLE: 'cannot be reached',
  DISCONNECTED: 'was disconnected',
}

function whyNone(bad: readonly CopyFacts[]): string {
  const [only] = bad
  if (!only) return 'No copy of it is stored.'
  if (bad.length > 1) return `No copy of it can be read: ${listed(bad.flatMap(whatHappened))}.`
  if (only.changed.length > 0) return `No copy is left: this file was changed in ${changedIn(only)}.`
  if (only.state === 'MISSING') return `No copy is left: what ${namesOf(only)} held of it is gone or damaged.`
  const [lost] = only.lost
  if (only.lost.length !== 1 || !lost) return `Its only copy cannot be read: ${listed(whatHappened(only))}.`
  if (lost.how === 'DISCONNECTED') return `No copy is left: “${lost.name}” was disconnected.`
  return `Its only copy is ${partly(only)}on “${lost.name}”, ${WHICH[lost.how]}.`
}

function whyFewer(
  { wanted, error, stopped, cancelled }: FileFacts,
  readable: number,
  bad: readonly CopyFacts[],
): string {
  const [only] = bad
  const of = Math.max(wanted, readable + bad.length)
  if (!only) {
    const verb = readable === 1 ? 'is' : 'are'
    const none = cancelled ? CANCELLED : ', and no other is on its way yet.'
    return `Only ${readable} of ${of} copies ${verb} stored${stopped && error !== null ? `: ${error}` : none}`
  }
  if (bad.length > 1) return `${bad.length} of ${of} copies cannot be read: ${listed(bad.flatMap(whatHappened))}.`
  if (only.changed.length > 0) return `One of ${of} copies does not count: this file was changed in ${changedIn(only)}.`
  if (only.state === 'MISSING') return `One of ${of} copies is gone or damaged on ${namesOf(only)}.`
  const [lost] = only.lost
  if (only.lost.length !== 1 || !lost) return `One of ${of} copies cannot be read: ${listed(whatHappened(only))}.`
  return `One of ${of} copies is ${partly(only)}on “${lost.name}”, ${WHICH[lost.how]}.`
}

/** Half-sentences, one per account. */
export function whatHappened({ state, suspect, lost, names, changed }: Omit<CopyFacts, 'readable'>): string[] {
  if (changed.length > 0) return [`this file was changed in ${listed(changed.map(quoted))}`]
  if (state === 'MISSING') return [`what ${listed(names.map(quoted))} held is gone or damaged`]
  if (suspect && lost.length === 0) return [`${listed(names.map(quoted))} ${WRONG}`]
  return lost.map(({ name, how }) => `${quoted(name)} ${WHAT[how]}`)
}

const WRONG = 'sends other bytes than were stored, which is looked at again'

function partly({ names }: CopyFacts): string {
  return names.length > 1 ? 'partly ' : ''
}

function changedIn({ changed }: CopyFacts): string {
  return listed(changed.map(quoted))
}

function namesOf({ names }: CopyFacts): string {
  return listed(names.map(quoted))
}

function quoted(name: string): string {
  return `“${name}”`
}

/** As in a sentence, each once. */
export function listed(parts: readonly string[]): string {
  const distinct = [...new Set(parts)]
  const last = distinct.at(-1) ?? ''
  return distinct.length < 2 ? last : `${distinct.slice(0, -1).join(', ')} and ${last}`
}
