import type { ObjectStore } from '../objectStore.ts'

// The two ends of a move, as the command sees them.

export type Found = { readonly id: string; readonly size: number }

/** A storage that objects are moved from or to. */
export type MovePlace = {
  /** For messages. */
  readonly name: string
  readonly store: Pick<ObjectStore, 'size' | 'open' | 'delete' | 'publish' | 'listStaged' | 'stagedSize'>
  /** All published objects, in no particular order. @throws when the place cannot be listed: that is never an empty list */
  list(): AsyncIterable<Found>
  /** Removes what a killed run has left of the copies of these objects. */
  clear(ids: readonly string[]): Promise<void>
  /** Begins a copy, which no server finds before `publish`, except in a bucket, where it has its key since `finish`. */
  receive(id: string): Receiving
  /** Bytes that can still be stored; null: not known. */
  freeBytes(): Promise<number | null>
  close(): void
}

/** A copy that is being made. */
export type Receiving = {
  /** Resolves when the next chunk may follow. @throws DiskFullError, and errors of the place */
  write(chunk: Buffer): Promise<void>
  /** Makes it durable. */
  finish(): Promise<void>
  /** Reads back what was stored; after `finish`. */
  read(size: number): AsyncIterable<Buffer>
  /** Gives it its name, and makes that durable. */
  publish(): Promise<void>
  /** Removes it. For copies that are not published. */
  drop(): Promise<void>
}
