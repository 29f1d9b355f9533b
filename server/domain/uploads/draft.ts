import type { ClientBase } from 'pg'
import { UnknownOutcomeError } from '../../db/transaction.ts'
import type { Outcome } from '../../lib/batcher.ts'
import { DiskFullError } from '../../storage/errors.ts'
import { DomainError, IdempotencyKeyReusedError, StorageFullError, UploadIncompleteError } from '../errors.ts'
import type { BlockSums } from '../files/content/blockSums.ts'
import type { FileType } from '../files/content/types.ts'
import type { Copy, FileState, OnConflict } from '../files/contract.ts'
import { isTotalQuotaError } from '../groupClouds/members.ts'
import { claimKey } from '../idempotency.ts'
import type { Layout, SingleAccount } from './placing.ts'

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
  readonly singleAccount: SingleAccount | null
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

/** An Idempotency-Key and what its request means. */
export type RequestKey = { readonly key: string; readonly fingerprint: Buffer }

type Keyed = {
  readonly item: { readonly userId: string; readonly idempotency: RequestKey | null }
  readonly outcome: Outcome<unknown> | null
}

const FORGET = `delete from idempotency_keys k using unnest($1::uuid[], $2::text[]) as i(user_id, key)
  where k.user_id = i.user_id and k.key = i.key`

/** Claims the key of one item of a batch; a reused key refuses this item alone. Null: the item shall be done. */
export async function claim(
  client: ClientBase,
  { item }: Keyed,
  operation: string,
  resultId: string,
): Promise<Outcome<string> | null> {
  if (!item.idempotency) return null
  const sql = async (text: string, values: readonly unknown[]) => (await client.query(text, [...values])).rows
  try {
    const earlier = await claimKey(sql, { userId: item.userId, ...item.idempotency, operation, resultId })
    return earlier === null ? null : { ok: true, value: earlier }
  } catch (error) {
    if (error instanceof DomainError) return { ok: false, error }
    throw error
  }
}

/** Gives back the keys of refused items: the same request may be tried again. */
export async function forgetClaims(client: ClientBase, drafts: readonly Keyed[]): Promise<void> {
  const refused = drafts.flatMap(({ item, outcome }) =>
    item.idempotency && outcome?.ok === false && !(outcome.error instanceof IdempotencyKeyReusedError)
      ? [{ userId: item.userId, key: item.idempotency.key }]
      : [],
  )
  if (refused.length === 0) return
  await client.query(FORGET, [refused.map(({ userId }) => userId), refused.map(({ key }) => key)])
}

/** A full disk, or a full TOTAL_QUOTA that others filled meanwhile, in the words of the domain; every other error as it is. */
export function translate(error: unknown, neededBytes: number): unknown {
  if (isTotalQuotaError(error)) {
    return new StorageFullError(neededBytes, 0, 'There is no room left on this server for all of its users together.')
  }
  if (!(error instanceof DiskFullError)) return error
  const message = 'The disk of this server is full. Please try again later, or ask its administrator to make room.'
  return new StorageFullError(neededBytes, error.freeBytes, message)
}

/** Whether staged bytes may go after this error: not when a row that refers to them may have been committed. */
export function isUncommitted(error: unknown): boolean {
  return !(error instanceof UnknownOutcomeError)
}

/** Staged bytes are gone before they became a file: this server stood still so long that another one took it for dead and swept. */
export function bytesGone(): UploadIncompleteError {
  return new UploadIncompleteError('What had arrived was lost before it could be stored. Please try again.')
}
