import type { Outcome } from '../../lib/batcher.ts'
import type { BlockSums } from '../files/blockSums.ts'
import type { FileType } from '../files/types.ts'
import type { Copy, FileState, OnConflict } from '../services.ts'
import type { RequestKey } from './keys.ts'
import type { Layout } from './layout.ts'
import type { Sole } from './soleGroupClouds.ts'

/** A received content that asks to become a file. All ids are made before, so that doing it twice makes one file. */
export type CommitItem = {
  readonly fileId: string
  /** Staging object that holds the bytes, durable already. */
  readonly objectId: string
  readonly userId: string
  readonly groupCloudId: string
  readonly parentId: string | null
  readonly name: string
  readonly type: FileType
  readonly size: number
  readonly sha256: Buffer
  /** The file whose bytes these are; null for those that came from outside. */
  readonly copiedFrom: string | null
  /** null: not computed; needed as soon as a provider shall hold it. */
  readonly sums: BlockSums | null
  readonly onConflict: OnConflict
  /** The resumable upload behind it; null for a one-request upload. */
  readonly uploadId: string | null
  /** Complete uploads that it was put together from: what they reserve is its own. */
  readonly partIds: readonly string[]
  readonly idempotency: RequestKey | null
  /** Its group cloud as it was when the upload began, where that was one account of this server and one copy. */
  readonly sole: Sole | null
  /** Asked just before the commit: a file must not come to be whose bytes are gone. */
  readonly isThere: () => boolean | Promise<boolean>
}

/** What an item became. `created` false: an earlier request with the same key or upload made that file. */
export type Committed =
  | {
      readonly created: true
      readonly fileId: string
      readonly name: string
      readonly parentId: string | null
      readonly createdAt: Date
      readonly state: FileState
      readonly stateReason: string | null
      readonly copies: readonly Copy[]
      /** The file that went to the trash for it (REPLACE). */
      readonly replacedId: string | null
    }
  | { readonly created: false; readonly fileId: string }

/** An item on its way through one transaction: each step fills in what it finds out, or the outcome that ends the way. */
export type Draft = {
  readonly item: CommitItem
  name: string
  parentId: string | null
  /** Bytes that its upload has reserved, by account; they are freed when it becomes a file. */
  reserved: ReadonlyMap<string, number>
  layout: Layout | null
  replacedId: string | null
  outcome: Outcome<Committed> | null
}

/** Its blocks must be summed first: then the item can be committed. */
export class SumsMissingError extends Error {
  override readonly name = 'SumsMissingError'
}

/** What was recalled of its group cloud does not hold, or its name is taken: the group cloud must be looked up, then the item can be committed. */
export class OutdatedError extends Error {
  override readonly name = 'OutdatedError'
}

export function draftOf(item: CommitItem): Draft {
  return {
    item,
    name: item.name,
    parentId: item.parentId,
    reserved: new Map(),
    layout: null,
    replacedId: null,
    outcome: null,
  }
}

export function fail(draft: Draft, error: unknown): void {
  draft.outcome = { ok: false, error }
}

export function pending(drafts: readonly Draft[]): Draft[] {
  return drafts.filter((draft) => draft.outcome === null)
}
