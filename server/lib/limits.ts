/** How many calls a minute. */
export type CallRule = {
  readonly most: number
  /** Calls come back evenly, up to `most`. Otherwise all at once, a minute after the first one. */
  readonly refills: boolean
}

export type CallTaken = {
  /** 0: the call may be made. Otherwise it was not counted, and one can be made after this time. */
  readonly waitMs: number
  /** About how many more can be made now, on any server. */
  readonly remaining: number
  /** About how long until all can be made again. */
  readonly fullMs: number
}

/** Calls per key and minute, counted over all servers. */
export type SharedCalls = {
  /** Counts a call, before it is made. @throws errors of the database: the call must not be made */
  take(key: string, rule: CallRule): Promise<CallTaken>
  /** Reverts one count. */
  giveBack(key: string): void
}

/** What may be done a limited number of times at once, over all servers. */
export type SharedSlots = {
  /**
   * One of `most` slots of the key, which is free for all servers again as soon as the returned function was called.
   * @returns null when all are held @throws errors of the database
   */
  tryTake(key: string, most: number): Promise<(() => void) | null>
  /**
   * Waits for one of `most` slots of the key; call the returned function once. A server keeps free slots for a moment, unless another
   * one waits for them, so that most calls cost no statement. Without the database a server uses its even part of them, at least
   * one. Rejects with the signal's reason once that is aborted.
   */
  take(key: string, most: number, signal: AbortSignal): Promise<() => void>
}

/** What all servers know, a moment after one of them has noted it, and forget after a while. */
export type SharedNotes = {
  add(note: string): void
  has(note: string): boolean
}

/** Which calls of an account the service has paused. */
export const PAUSE_KINDS = ['ALL', 'WRITES', 'DOWNLOADS'] as const
export type PauseKind = (typeof PAUSE_KINDS)[number]

/** Pauses of accounts that services asked for, on all servers, also after a restart. Reading them costs no statement. */
export type SharedPauses = {
  /** The newest pause known here; null: none. `serial` differs for each. */
  latest(accountId: string, kind: PauseKind): { readonly serial: number; leftMs(): number } | null
  /** Tells all servers of a pause. Never shortens one. @returns its serial */
  begin(accountId: string, kind: PauseKind, ms: number): number
  /** The account has a new login, to which its pauses do not apply. */
  forget(accountId: string): void
}

/** What limits requests on all servers. */
export type RequestLimits = { readonly calls: SharedCalls; readonly notes: SharedNotes }

/** What limits the calls of one account on all servers. */
export type AccountLimits = { readonly slots: Pick<SharedSlots, 'take'>; readonly pauses: SharedPauses }
