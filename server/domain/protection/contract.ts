import type { Pool } from 'pg'
import { NotFoundError } from '../errors.ts'
import type { Queryable } from '../files/tree/entries.ts'
import type { Viewer } from '../viewer.ts'

/**
 * PROTECTED: all copies are stored, of the newest version. CATCHING_UP: copies are being made. AT_RISK: a copy is missing or could not be
 * made. SKIPPED: a document or shortcut of the provider, which has no bytes to copy.
 */
export const PROTECTION_STATES = ['PROTECTED', 'CATCHING_UP', 'AT_RISK', 'SKIPPED'] as const
type ProtectionState = (typeof PROTECTION_STATES)[number]

/** How an entry of an account is protected. */
export type ProtectionInfo = {
  /** The protected folder: the entry itself, or a folder above it. */
  readonly folderId: string
  readonly groupCloudId: string
  readonly copies: number
  readonly keepVersionsDays: number
  /** Of a file: its own; of a folder: of everything that is protected with it. */
  readonly state: ProtectionState
  /** Message: why it is at risk. */
  readonly reason: string | null
}

/** What is protected with a folder, in numbers. */
export type ProtectionCounts = {
  readonly files: number
  readonly bytes: number
  /** Files of which the newest version has all its copies. */
  readonly protectedFiles: number
  readonly atRiskFiles: number
  /** Documents and shortcuts of the provider, of which there are no bytes. */
  readonly skippedFiles: number
  /** Earlier versions that are kept, and their size. */
  readonly earlierVersions: number
  readonly earlierBytes: number
}

export const VERSION_REASONS = ['CHANGED', 'DELETED', 'MOVED'] as const
/** Why a version is an earlier one: its file was changed, deleted, or moved out of what is protected. */
export type VersionReason = (typeof VERSION_REASONS)[number]

/** A version of a file in an account that is kept for a time. */
export type EarlierVersion = {
  readonly id: string
  /** The file that it was a version of. It may be deleted. */
  readonly fileId: string
  /** The file's name, and the names of the folders above it in its account. */
  readonly name: string
  readonly path: readonly string[]
  readonly size: number
  /** When it was last changed, as the account reported it. */
  readonly modifiedAt: Date
  /** Since when it is an earlier version, and until when it is kept. */
  readonly endedAt: Date
  readonly keptUntil: Date
  readonly reason: VersionReason
}

export type ProtectInput = {
  readonly groupCloudId: string
  readonly copies: number
  readonly keepVersionsDays?: number | undefined
}

/** Restoring in the background. `intoAccount`: at its place in the account; otherwise into My Drive, because the account cannot be used. */
export type RestoredVersion = {
  readonly jobId: string
  /** The file that it was a version of, and its name. */
  readonly fileId: string
  readonly name: string
  readonly intoAccount: boolean
  /** The target folder; null for My Drive. */
  readonly folderName: string | null
}

export interface ProtectionService {
  /** How these entries are protected; others are missing. */
  find(viewer: Viewer, fileIds: readonly string[]): Promise<Map<string, ProtectionInfo>>
  /** Counts what is protected with a folder. @throws NotFoundError unless it is a protected folder itself */
  count(viewer: Viewer, folderId: string): Promise<ProtectionCounts>
  /**
   * Keeps copies of everything in a folder of an account, or in the account, and of what is changed there from now on. For a folder that
   * is protected already, changes how.
   * @throws NotFoundError, InvalidInputError, ConflictError where the group cloud has too few other accounts, InAccountError for a folder
   * of Skypool's own
   */
  protect(viewer: Viewer, folderId: string, input: ProtectInput): Promise<ProtectionInfo>
  /** Removes the copies and all earlier versions. @throws NotFoundError, ConflictError for what is protected with a folder above it */
  unprotect(viewer: Viewer, folderId: string): Promise<void>
  /**
   * Earlier versions of a file, or those of files that were deleted from a folder; of a protected folder, from all folders below it.
   * Newest first, at most 200. @throws NotFoundError
   */
  earlierVersions(viewer: Viewer, fileId: string): Promise<EarlierVersion[]>
  /**
   * Puts a version back into the account: at its place, next to what has its name now. Folders that are gone are created again. Into My
   * Drive, when the account cannot be used. @throws NotFoundError, ConflictError, ProviderFailedError
   */
  restore(viewer: Viewer, versionId: string): Promise<RestoredVersion>
}

type Row = Omit<ProtectionInfo, 'state' | 'reason'> & {
  readonly fileId: string
  readonly kind: 'FOLDER' | 'FILE'
  readonly native: boolean
  readonly readable: boolean
  readonly isWaiting: boolean
  readonly contentState: 'RECEIVED' | 'STORING' | 'STORED' | 'AT_RISK' | null
  readonly contentReason: string | null
  readonly problem: string | null
  readonly hasEnded: boolean
  readonly folderState: ProtectionState
}

/** What the job of a version that is not stored says: once it has ended, the version could not be stored. */
const WAITING = `select i.detail, j.ended_at is not null as ended from file_jobs j left join file_job_items i on i.job_id = j.id and i.source_id = v.file_id
  where j.id = v.job_id and v.content_id is null`

/** The nearest protected folder at or above each entry. */
const FIND = `with recursive up (of, id, parent_id, depth) as (
    select f.id, f.id, f.parent_id, 0 from files f
      where f.id = any($2::uuid[]) and f.user_id = $1 and f.account_id is not null and f.purged_at is null and f.trash_root_id is null
        and exists (select from protections p where p.account_id = f.account_id)
    union all select up.of, p.id, p.parent_id, up.depth + 1 from up join files p on p.id = up.parent_id),
  own as (select distinct on (up.of) up.of, p.* from up join protections p on p.folder_id = up.id order by up.of, up.depth),
  whole as (select p.id, case
      when exists (select from files c where c.user_id = $1 and c.state = 'AT_RISK' and c.parent_id = p.container_id and c.purged_at is null
          and exists (select from protected_versions v where v.content_id = c.id and v.ended_at is null))
        or exists (select from protected_versions v join file_jobs j on j.id = v.job_id
          where v.account_id = p.account_id and v.protection_id = p.id and v.content_id is null and j.state in ('FAILED', 'CANCELLED')) then 'AT_RISK'
      when not p.listed
        or exists (select from protected_versions v
          where v.account_id = p.account_id and v.protection_id = p.id and v.content_id is null)
        or exists (select from transfers t join files c on c.id = t.file_id
          where t.user_id = $1 and t.state in ('WAITING', 'RUNNING', 'PAUSED', 'PARKED') and c.parent_id = p.container_id) then 'CATCHING_UP'
      else 'PROTECTED' end as state
    from (select distinct id, account_id, container_id, listed from own) p)
  select own.of as "fileId", own.folder_id as "folderId", own.group_cloud_id as "groupCloudId", own.copies,
    own.keep_versions_days as "keepVersionsDays", f.kind, e.native_kind is not null as native, coalesce(e.rights & 1 <> 0, true) as readable,
    v.content_id is null as "isWaiting", c.state as "contentState", c.state_reason as "contentReason", problem.detail as problem,
    coalesce(problem.ended, false) as "hasEnded",
    whole.state as "folderState"
  from own join files f on f.id = own.of join whole on whole.id = own.id left join account_entries e on e.file_id = f.id
    left join protected_versions v on v.file_id = f.id and v.ended_at is null left join files c on c.id = v.content_id
    left join lateral (${WAITING}) problem on true`

/** How entries are protected; others are missing. */
export async function findProtections(
  pool: Pool,
  userId: string,
  fileIds: readonly string[],
): Promise<Map<string, ProtectionInfo>> {
  const { rows } = await pool.query<Row>({ name: 'protection find', text: FIND, values: [userId, fileIds] })
  return new Map(rows.map((row) => [row.fileId, infoOf(row)]))
}

function infoOf(row: Row): ProtectionInfo {
  const { folderId, groupCloudId, copies, keepVersionsDays } = row
  return { folderId, groupCloudId, copies, keepVersionsDays, ...stateOf(row) }
}

function stateOf(row: Row): Pick<ProtectionInfo, 'state' | 'reason'> {
  const { kind, native, readable, isWaiting, contentState, contentReason, problem, hasEnded, folderState } = row
  if (kind === 'FOLDER') return { state: folderState, reason: null }
  if (native) return { state: 'SKIPPED', reason: SKIPPED }
  if (!readable)
    return { state: 'AT_RISK', reason: 'Its account does not allow downloading it, so it cannot be copied.' }
  if (isWaiting && hasEnded) return { state: 'AT_RISK', reason: problem ?? NOT_STORED }
  if (isWaiting || contentState === null) return { state: 'CATCHING_UP', reason: problem }
  if (contentState === 'AT_RISK') return { state: 'AT_RISK', reason: contentReason }
  return { state: contentState === 'STORED' ? 'PROTECTED' : 'CATCHING_UP', reason: null }
}

const NOT_STORED = 'It could not be copied. This is tried again within an hour.'
const SKIPPED = 'It exists only at its provider and has no bytes to copy. Export it to keep a copy.'

const COUNT = `with recursive below (id) as (
    select $2::uuid
    union all select f.id from below join files f on f.parent_id = below.id
      where f.kind = 'FOLDER' and f.purged_at is null and f.trash_root_id is null
        and not exists (select from protections o where o.folder_id = f.id)),
  version as (select v.ended_at, v.content_id, v.size, c.state, j.state as job
    from protections p join protected_versions v on v.protection_id = p.id
      left join files c on c.id = v.content_id left join file_jobs j on j.id = v.job_id
    where p.folder_id = $2 and p.user_id = $1 and c.purged_at is null),
  skipped as (select count(*)::int as files from below join files f on f.parent_id = below.id join account_entries e on e.file_id = f.id
    where f.kind = 'FILE' and f.purged_at is null and f.trash_root_id is null and (e.native_kind is not null or e.rights & 1 = 0))
  select count(*) filter (where ended_at is null)::int as files,
    coalesce(sum(size) filter (where ended_at is null), 0)::float8 as bytes,
    count(*) filter (where ended_at is null and state = 'STORED')::int as "protectedFiles",
    count(*) filter (where ended_at is null and (state = 'AT_RISK' or content_id is null and job in ('FAILED', 'CANCELLED')))::int as "atRiskFiles",
    (select files from skipped) as "skippedFiles",
    count(*) filter (where ended_at is not null)::int as "earlierVersions",
    coalesce(sum(size) filter (where ended_at is not null), 0)::float8 as "earlierBytes"
  from version`

/** @throws NotFoundError */
export async function countProtected(pool: Pool, userId: string, folderId: string): Promise<ProtectionCounts> {
  const found = await pool.query('select from protections where folder_id = $2 and user_id = $1', [userId, folderId])
  if (found.rowCount === 0) throw new NotFoundError()
  const { rows } = await pool.query<ProtectionCounts>(COUNT, [userId, folderId])
  const [counts] = rows
  if (!counts) throw new NotFoundError()
  return counts
}

const EARLIER_COLUMNS = `v.id, v.file_id as "fileId", v.name, v.path, v.size::float8 as size, c.updated_at as "modifiedAt",
  v.ended_at as "endedAt", v.ended_at + p.keep_versions_days * interval '1 day' as "keptUntil", v.reason`
const MOST_EARLIER = 200

/**
 * Of a file: its own. Of a folder: those of files that are no longer in it; of a protected folder, of all that are gone below it, since
 * their folders may be gone too.
 */
const EARLIER = `select ${EARLIER_COLUMNS} from protected_versions v join protections p on p.id = v.protection_id
    join files c on c.id = v.content_id
  where p.user_id = $1 and v.ended_at is not null and c.purged_at is null and (v.file_id = $2
    or (v.parent_id = $2 or p.folder_id = $2) and not exists (
      select from files f where f.id = v.file_id and f.purged_at is null and f.trash_root_id is null))
  order by v.ended_at desc, v.id limit ${MOST_EARLIER}`

export async function listEarlier(pool: Pool, userId: string, fileId: string): Promise<EarlierVersion[]> {
  const { rows } = await pool.query<EarlierVersion>(EARLIER, [userId, fileId])
  return rows
}

export type VersionToRestore = EarlierVersion & {
  readonly contentId: string
  readonly accountId: string
  readonly accountName: string
  readonly rootFileId: string | null
  readonly groupCloudId: string
  /** The account can be used now. */
  readonly present: boolean
}

/** @throws NotFoundError */
export async function requireVersion(sql: Queryable, userId: string, id: string): Promise<VersionToRestore> {
  const { rows } = await sql.query<VersionToRestore>(
    `select ${EARLIER_COLUMNS}, v.content_id as "contentId", a.id as "accountId", a.name as "accountName",
       i.root_file_id as "rootFileId", p.group_cloud_id as "groupCloudId",
       a.disconnected_at is null and a.status = 'CONNECTED' and a.unreachable_since is null as present
     from protected_versions v join protections p on p.id = v.protection_id join files c on c.id = v.content_id
       join accounts a on a.id = p.account_id left join account_indexes i on i.account_id = a.id
     where v.id = $2 and p.user_id = $1 and v.ended_at is not null and c.purged_at is null`,
    [userId, id],
  )
  const [row] = rows
  if (!row) throw new NotFoundError('This version does not exist any more.')
  return row
}
