import type { Encryption } from '../../lib/encryption.ts'
import type { Contents } from '../files/content/content.ts'
import type { FilesService, OnConflict } from '../files/contract.ts'
import { nameKey } from '../files/tree/names.ts'
import { type InPlaceChangeDeps, type PlacedFolder, requireFolder } from '../inPlace/placed.ts'
import type { Clock } from '../transfers/contract.ts'
import type { Protecting, UploadsService } from '../uploads/contract.ts'
import type { Viewer } from '../viewer.ts'
import type { ItemRow, JobRow } from './rows.ts'

// One item on its way: what both targets, group clouds and accounts, need.

export type CarryDeps = InPlaceChangeDeps & {
  readonly contents: Pick<Contents, 'openVersion'>
  /** Without a record in the activity log: the job has one entry. */
  readonly files: Pick<FilesService, 'changeEach' | 'createFolder' | 'getMany' | 'remove' | 'trash'>
  /** Uploads of content that is already in Skypool or an account: of any type, without a record in the activity log. */
  readonly uploads: Pick<UploadsService, 'receive' | 'create' | 'get' | 'append' | 'finish' | 'remove'>
  readonly encryption: Pick<Encryption, 'encrypt' | 'decrypt'>
  readonly clock: Clock
  /** Files of this size and larger continue where an attempt ended. */
  readonly resumableBytes?: number
}

/** One item on its way. */
export type Carrying = {
  readonly job: JobRow
  readonly item: ItemRow
  readonly viewer: Viewer
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number) => void
  /** Of a job that protects files. */
  readonly protecting?: Protecting
}

export type Carried = { readonly madeId: string; readonly version: string | null }

/** Null: the target is Skypool's own. */
export async function findAccountFolder(
  { pool }: CarryDeps,
  { userId }: Viewer,
  parentId: string | null,
): Promise<PlacedFolder | null> {
  if (parentId === null) return null
  const { rows } = await pool.query<{ inPlace: boolean }>(
    'select account_id is not null as "inPlace" from files where id = $1 and user_id = $2',
    [parentId, userId],
  )
  return rows[0]?.inPlace ? requireFolder(pool, userId, parentId) : null
}

/** The chosen entries follow the job's rule; in the folders that it made, names are free but for what others put there. */
export function onConflictOf({ job, item }: Carrying): OnConflict {
  return item.parentItemId === null ? job.onConflict : 'RENAME'
}

/** What has the name in the target folder goes to the trash. */
export async function trashTaken(
  { pool, files }: CarryDeps,
  viewer: Viewer,
  parentId: string | null,
  name: string,
): Promise<void> {
  const { rows } = await pool.query<{ id: string }>(
    `select id from files where user_id = $1 and parent_id is not distinct from $2::uuid and name_key = $3
     and trashed_at is null and purged_at is null limit 1`,
    [viewer.userId, parentId, nameKey(name)],
  )
  const [taken] = rows
  if (taken) await files.trash(viewer, [taken.id])
}

/** An upload in progress: the name that it has at the target, and its session there. */
export type Saved = { readonly name: string; readonly session: string }

function contextOf({ id }: { readonly id: string }): string {
  return `fileJobItems:${id}`
}

export function encrypted({ encryption }: CarryDeps, item: { readonly id: string }, saved: Saved): string {
  return encryption.encrypt(JSON.stringify(saved), contextOf(item))
}

export function sessionOf({ encryption }: CarryDeps, item: Pick<ItemRow, 'id' | 'session'>): Saved | null {
  if (item.session === null) return null
  return JSON.parse(encryption.decrypt(item.session, contextOf(item))) as Saved
}
