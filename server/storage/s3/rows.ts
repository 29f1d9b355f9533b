/** Durable part of the content of a staged object. */
export type StagedPart = { readonly number: number; readonly etag: string; readonly size: number }

/** A part in the same multipart upload that does not belong to the content: its writer stopped before it recorded it. */
export type UnusedPart = Pick<StagedPart, 'number' | 'size'>

/** What is left over below the size of a part: a separate object. */
export type Tail = { readonly name: string; readonly size: number }

/** A staged object: what is known of it by all servers. */
export type StagedRow = {
  /** Counts the writers; only the latest one can change the row. */
  readonly session: number
  readonly uploadId: string | null
  /** Number of the next part of that upload. */
  readonly nextPart: number
  /** Durable bytes in parts and tail. null: the object at its key has all there is, or does not exist. */
  readonly size: number | null
  readonly tail: Tail | null
  /** Stored with the size: what its writer needs in order to continue. */
  readonly note: Buffer | null
  /** Being deleted. */
  readonly discarded: boolean
}

export type Recorded = {
  readonly size: number
  readonly tail: Tail | null
  readonly note: Buffer | null
  /** Parts that were not recorded before. */
  readonly added: readonly StagedPart[]
}

/**
 * Which objects of the bucket are staged, and of which parts; kept in the database, so that no request has to list keys. Methods that
 * take a session return false or null, and change nothing, when a later session has begun or the object is being deleted.
 */
export interface StagedRows {
  /** Adds a row for a new object. @returns false when there is one */
  add(id: string): Promise<boolean>
  /** Begins the next session, of a new row if `create`. @returns the row from then on; null when there is none */
  take(id: string, create: boolean): Promise<(StagedRow & { readonly isNew: boolean }) | null>
  find(id: string): Promise<StagedRow | null>
  /** Whether the object is staged, or being deleted; null: neither. */
  state(id: string): Promise<'staged' | 'discarded' | null>
  /** Whether the session is the latest one. */
  confirm(id: string, session: number): Promise<boolean>
  /** Sets the multipart upload, whose parts are counted from 1. */
  begin(id: string, session: number, uploadId: string): Promise<boolean>
  /** A part number that no other session gets. */
  claim(id: string, session: number): Promise<number | null>
  /** Sets the durable content. */
  record(id: string, session: number, recorded: Recorded): Promise<boolean>
  /** The durable parts, by number. */
  parts(id: string): Promise<StagedPart[]>
  /** Adds unused parts, or sets their sizes, before the store makes an object that contains them. */
  recordUnused(id: string, session: number, unused: readonly UnusedPart[]): Promise<boolean>
  unusedParts(id: string): Promise<UnusedPart[]>
  /** The object at its key has all bytes from now on. */
  finish(id: string, session: number, note: Buffer | null): Promise<boolean>
  /** Marks the object as being deleted, and ends its sessions. @returns the row; null when there is none */
  discard(id: string): Promise<StagedRow | null>
  /** Adds a row of an object that is being deleted and has none. */
  addDiscarded(id: string): Promise<void>
  /** Removes the row of an object that was deleted, if it was last touched at least `idleMs` ago, by the database's clock. */
  forget(id: string, idleMs: number): Promise<void>
  /**
   * Removes the row of an object that is stored from now on; with a session only if that is the latest one.
   * @returns whether there was one
   */
  release(id: string, session: number | null): Promise<boolean>
  /** Ids of all staged objects; with `idleMs` only of those that were last touched at least that long ago, by the database's clock. */
  list(idleMs: number): Promise<string[]>
  /** Of these ids, those that are staged, with their uploads and tails. */
  among(ids: readonly string[]): Promise<Map<string, Pick<StagedRow, 'uploadId' | 'tail'>>>
}
