import type { Readable } from 'node:stream'
import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import { ConflictError, InvalidInputError, NotFoundError } from '../errors.ts'
import type { Contents } from '../files/content/content.ts'
import { refreshStates } from '../files/content/states.ts'
import { addVersion, authorOf, type VersionSource } from '../files/content/versions.ts'
import type { File } from '../files/contract.ts'
import {
  ancestry,
  type Change,
  type ChangeDeps,
  chainOf,
  changeTree,
  fileGone,
  lockAccounts,
  lockLiveEntries,
} from '../files/tree/change.ts'
import { requireFile } from '../files/tree/entries.ts'
import { markPurged } from '../files/tree/trash.ts'
import { enqueueReconcile, type VersionsHousekeeping } from '../jobs.ts'
import { type Place, timeCursor } from '../timeCursor.ts'
import type { StoredFile, UploadsService } from '../uploads/contract.ts'
import type { Viewer } from '../viewer.ts'

/** A content that a file has, or had. */
export type FileVersion = {
  readonly id: string
  readonly fileId: string
  /** It is what the file has now; it cannot be restored or deleted. */
  readonly isCurrent: boolean
  readonly size: number
  /** Lower-case hex. */
  readonly sha256: string
  /** Since when it was the file's content. */
  readonly createdAt: Date
  /** Until when it was; null for the current one. */
  readonly endedAt: Date | null
  /** An earlier version is removed after this time; null for the current one. */
  readonly keptUntil: Date | null
  readonly source: VersionSource
  /** Who made it: the name of an API key at that time, otherwise the owner's name. */
  readonly by: string
  readonly byKey: boolean
  /** RESTORE: since when the restored version was the file's content. */
  readonly restoredFrom: Date | null
}

export type ListVersions = { readonly limit: number; readonly after?: string | undefined }

export type FileVersionPage = {
  readonly items: readonly { readonly version: FileVersion; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

/** How long earlier versions of a file are kept: so many days, and at most so many. */
export type VersionLimits = { readonly days: number; readonly most: number }

type NewVersionLimits = { readonly days?: number | undefined; readonly most?: number | undefined }

/** Earlier versions, and the size of their contents: once for versions with the same content, and without further copies. */
export type VersionsUsage = { readonly versions: number; readonly bytes: number }

type OpenedFileVersion = {
  /** The file as it is now, with size, type and hash of the version. */
  readonly file: File
  readonly source: ByteSource
  readonly version: FileVersion
}

export type ContentInput = {
  /** null: not known beforehand. */
  readonly size: number | null
  readonly atMostBytes?: number | undefined
  /** Only if the file has one of these contents (SHA-256 in lower-case hex). */
  readonly ifSha256?: readonly string[] | undefined
  readonly source: Exclude<VersionSource, 'RESTORE'>
}

export interface VersionsService {
  /**
   * All versions of a file of Skypool's own, newest first; a file that was never replaced has one. Files in accounts have none here.
   * @throws NotFoundError, also for folders
   */
  list(viewer: Viewer, fileId: string): Promise<FileVersion[]>
  /**
   * The same versions in pages. A version that the last page had is not in the next one, although it may have been replaced since.
   * @throws as list, InvalidInputError for a cursor of another list
   */
  page(viewer: Viewer, fileId: string, options: ListVersions): Promise<FileVersionPage>
  /** The bytes of a version; `toKeep`: it is downloaded, not only shown. @throws NotFoundError, ContentUnavailableError */
  open(viewer: Viewer, id: string, options?: { readonly toKeep?: boolean }): Promise<OpenedFileVersion>
  /**
   * Makes an earlier version the file's content again, as a new version. Does nothing if the file has these bytes.
   * @returns the file, and the version that it had before; null if nothing was changed
   * @throws NotFoundError, also for a file in the trash; ConflictError for the current version
   */
  restore(viewer: Viewer, id: string): Promise<{ readonly file: File; readonly previousId: string | null }>
  /** Removes an earlier version, with its bytes unless another version has them. @throws NotFoundError, ConflictError for the current one */
  remove(viewer: Viewer, id: string): Promise<FileVersion>
  /**
   * Gives a file a new content, like an upload; what it had becomes an earlier version.
   * @throws as UploadsService.receive, NotFoundError also for a file in an account, PreconditionFailedError
   */
  write(viewer: Viewer, fileId: string, input: ContentInput, body: Readable): Promise<StoredFile>
  limits(viewer: Viewer): Promise<VersionLimits>
  /** Versions beyond the new limits are removed in the background. @throws InvalidInputError */
  setLimits(viewer: Viewer, limits: NewVersionLimits): Promise<VersionLimits>
  /** What the earlier versions of all files take. */
  usage(viewer: Viewer): Promise<VersionsUsage>
}

export type VersionsDeps = ChangeDeps & {
  readonly contents: Pick<Contents, 'openVersion'>
  readonly receive: UploadsService['receive']
}

export function createVersionsService(deps: VersionsDeps): VersionsService {
  const { pool } = deps
  return {
    list: (viewer, fileId) => listVersions(pool, viewer, fileId),
    page: (viewer, fileId, options) => pageOfVersions(pool, viewer, fileId, options),
    open: (viewer, id) => openVersion(deps, viewer, id),
    restore: (viewer, id) => restore(deps, viewer, id),
    remove: (viewer, id) => remove(deps, viewer, id),
    async write(viewer, fileId, { ifSha256, ...input }, body) {
      const { name, parentId } = await requireOwnFile(pool, viewer, fileId)
      await requireOutsideTrash(pool, viewer, fileId)
      const replaces = { fileId, ifSha256 }
      return deps.receive(viewer, { ...input, name, parentId, replaces, onConflict: 'REPLACE' }, body)
    },
    limits: (viewer) => readLimits(pool, viewer),
    setLimits: (viewer, limits) => setLimits(deps, viewer, limits),
    usage: (viewer) => readUsage(pool, viewer),
  }
}

/** @throws NotFoundError also for folders, and for files in accounts */
async function requireOwnFile(pool: Pool, viewer: Viewer, id: string): Promise<File> {
  const file = await requireFile(pool, viewer, id)
  if (file.kind === 'FILE' && file.accountId === null) return file
  throw new NotFoundError('There are no versions: this is a folder, or it is in an account.')
}

/** Its folder may be in the trash: that is said of the file, which the caller has named. @throws NotFoundError */
async function requireOutsideTrash(pool: Pool, { userId }: Viewer, id: string): Promise<void> {
  const chain = chainOf(await ancestry({ tx: pool, userId }, [id]), id)
  if (!chain.every(({ live }) => live)) throw fileGone()
}

type Row = FileVersion & { readonly contentId: string }
type Listed = Row & { readonly readAt: Date }

const COLUMNS = `v.id, v.file_id as "fileId", v.content_id as "contentId", v.ended_at is null as "isCurrent", v.size::float8 as size,
    encode(v.sha256, 'hex') as sha256, v.created_at as "createdAt", v.ended_at as "endedAt",
    v.ended_at + u.keep_versions_days * interval '1 day' as "keptUntil", v.source, coalesce(v.key_name, u.full_name) as by,
    v.key_name is not null as "byKey", v.restored_from as "restoredFrom"
  from file_versions v join users u on u.id = v.user_id join files f on f.id = v.file_id and f.purged_at is null`
/** When a version ends in the order of a list: the current one comes first. */
const END = `coalesce(v.ended_at, 'infinity')`
/** The place of the current version in a list that is continued: what ends after it was read, or becomes current, is not in a later page. */
const READ_AT = `clock_timestamp()::timestamptz(3) as "readAt"`

/** A file that was never replaced has no rows yet. */
const ONLY = `select ${READ_AT}, f.id, f.id as "fileId", f.id as "contentId", true as "isCurrent", f.size::float8 as size, encode(f.sha256, 'hex') as sha256,
    f.created_at as "createdAt", null as "endedAt", null as "keptUntil", 'UPLOAD' as source, coalesce(a.actor_name, u.full_name) as by,
    a.actor_name is not null as "byKey", null as "restoredFrom"
  from files f join users u on u.id = f.user_id left join lateral (
    select a.actor_name from activities a where a.subject_id = f.id and a.user_id = f.user_id and a.action = 'FILE_UPLOADED'
      and a.actor_kind = 'KEY' order by a.at limit 1) a on true
  where f.id = $1 and f.user_id = $2 and f.kind = 'FILE' and f.account_id is null and f.sha256 is not null and not f.is_version
    and f.purged_at is null and not exists (select from file_versions v where v.file_id = f.id)`

async function listVersions(pool: Pool, viewer: Viewer, fileId: string): Promise<FileVersion[]> {
  return (await readVersions(pool, viewer, fileId, null, null)).map(toVersion)
}

async function pageOfVersions(
  pool: Pool,
  viewer: Viewer,
  fileId: string,
  { limit, after }: ListVersions,
): Promise<FileVersionPage> {
  const cursors = timeCursor(`versions/${fileId}`)
  const place = after === undefined ? null : cursors.decode(after)
  const rows = await readVersions(pool, viewer, fileId, place, limit + 1)
  const items = rows.slice(0, limit).map((row) => ({
    version: toVersion(row),
    cursor: cursors.encode({ at: row.endedAt ?? row.readAt, id: row.id }),
  }))
  return { items, hasNextPage: rows.length > items.length }
}

/** Newest first. @param limit null: all @throws NotFoundError */
async function readVersions(
  pool: Pool,
  viewer: Viewer,
  fileId: string,
  place: Place | null,
  limit: number | null,
): Promise<Listed[]> {
  await requireOwnFile(pool, viewer, fileId)
  const { userId } = viewer
  // The current version of the last page may have been about to end when it was read.
  const { rows } = await pool.query<Listed>(
    `select ${READ_AT}, ${COLUMNS} where v.file_id = $1 and v.user_id = $2
     ${place ? `and (${END}, v.id) < ($4::timestamptz, $5::uuid) and v.id <> $5::uuid` : ''}
     order by ${END} desc, v.id desc limit $3`,
    [fileId, userId, limit, ...(place ? [place.at, place.id] : [])],
  )
  return rows.length > 0 || place ? rows : (await pool.query<Listed>(ONLY, [fileId, userId])).rows
}

function toVersion({ contentId: _, readAt: __, ...version }: Row & Partial<Listed>): FileVersion {
  return version
}

async function requireVersion(pool: Pick<Pool, 'query'>, { userId }: Viewer, id: string): Promise<Row> {
  const { rows } = await pool.query<Row>(`select ${COLUMNS} where v.id = $1 and v.user_id = $2`, [id, userId])
  // The only version of a file that was never replaced has the id of the file.
  const version = rows[0] ?? (await pool.query<Row>(ONLY, [id, userId])).rows[0]
  if (!version) throw new NotFoundError('This version does not exist any more.')
  return version
}

/** Another content may be exchanged with it while it is opened. */
const OPEN_ATTEMPTS = 3

/** @throws NotFoundError, ContentUnavailableError */
async function openVersion({ pool, contents }: VersionsDeps, viewer: Viewer, id: string): Promise<OpenedFileVersion> {
  for (let attempt = 0; attempt < OPEN_ATTEMPTS; attempt += 1) {
    const { contentId, ...version } = await requireVersion(pool, viewer, id)
    const [file, opened] = await Promise.all([
      requireFile(pool, viewer, version.fileId),
      contents.openVersion(viewer, contentId),
    ])
    if (opened.file.sha256 !== version.sha256) continue
    const { sha256, size, category, mimeType } = opened.file
    return { file: { ...file, sha256, size, category, mimeType }, source: opened.source, version }
  }
  throw new ConflictError('This file is being changed. Please try again.')
}

/** Earlier ones only. @throws ConflictError */
function requireEarlier(version: FileVersion, verb: string): void {
  if (version.isCurrent) throw new ConflictError(`This is the current version, so it cannot be ${verb}.`)
}

const SAME_CONTENT = 'select sha256 = $2 as same from files where id = $1'

async function restore(
  deps: VersionsDeps,
  viewer: Viewer,
  id: string,
): Promise<{ readonly file: File; readonly previousId: string | null }> {
  const { fileId } = await requireVersion(deps.pool, viewer, id)
  const previousId = await changeTree(deps, viewer, async (change) => {
    const { tx, userId, enqueue } = change
    await lockAccounts(change)
    await lockLiveEntries(change, [fileId])
    // Read again: the lock keeps every other change of these versions away.
    const version = await requireVersion(tx, viewer, id)
    requireEarlier(version, 'restored')
    const { contentId, sha256, createdAt: restoredFrom } = version
    const { rows } = await tx.query<{ same: boolean }>(SAME_CONTENT, [fileId, Buffer.from(sha256, 'hex')])
    if (rows[0]?.same || contentId === fileId) return null
    const previous = await addVersion(tx, fileId, contentId, { ...authorOf(viewer, 'RESTORE'), restoredFrom })
    // The group cloud of the file may be another one than that of the version.
    await enqueueReconcile(tx, enqueue, { userId, fileIds: [fileId, contentId] })
    await refreshStates(tx, { fileIds: [fileId, contentId] })
    change.changedIds.add(fileId)
    return previous
  })
  return { file: await requireFile(deps.pool, viewer, fileId), previousId }
}

async function remove(deps: VersionsDeps, viewer: Viewer, id: string): Promise<FileVersion> {
  const found = await requireVersion(deps.pool, viewer, id)
  return changeTree(deps, viewer, async (change) => {
    await lockAccounts(change)
    await change.tx.query('select from files where id = $1 for update', [found.fileId])
    const version = await requireVersion(change.tx, viewer, id)
    requireEarlier(version, 'deleted')
    await discardVersions(change, [id])
    return toVersion(version)
  })
}

const DELETE = `delete from file_versions where id = any($1::uuid[]) and user_id = $2 and ended_at is not null
  returning file_id as "fileId", content_id as "contentId"`
const UNUSED = `select f.id from files f where f.id = any($1::uuid[]) and f.is_version and f.purged_at is null
  and not exists (select from file_versions v where v.content_id = f.id)`

/** Deletes earlier versions, and the contents that no version has any more. The caller has locked the accounts. */
async function discardVersions(change: Change, ids: readonly string[]): Promise<void> {
  const { tx, userId, enqueue, changedIds } = change
  const deleted = await tx.query<{ fileId: string; contentId: string }>(DELETE, [ids, userId])
  for (const { fileId } of deleted.rows) changedIds.add(fileId)
  const contentIds = [...new Set(deleted.rows.map(({ contentId }) => contentId))]
  await tx.query('select from files where id = any($1::uuid[]) order by id for update', [contentIds])
  const { rows } = await tx.query<{ id: string }>(UNUSED, [contentIds])
  if (rows.length === 0) return
  const unused = rows.map((row) => row.id)
  await markPurged(change, unused, unused.length)
  await enqueue(tx, 'purgeFiles', { userId }, { key: `purge ${userId}` })
}

const MOST_DAYS = 3650
const MOST_VERSIONS = 1000
const LIMITS = 'select keep_versions_days as days, most_versions as most from users where id = $1'

async function readLimits(pool: Pool, { userId }: Viewer): Promise<VersionLimits> {
  const { rows } = await pool.query<VersionLimits>(LIMITS, [userId])
  const [limits] = rows
  if (!limits) throw new NotFoundError()
  return limits
}

async function setLimits(
  { pool, enqueue }: VersionsDeps,
  viewer: Viewer,
  { days, most }: NewVersionLimits,
): Promise<VersionLimits> {
  const isWhole = (value: number | undefined, limit: number) =>
    value === undefined || (Number.isInteger(value) && value >= 1 && value <= limit)
  const problems = [
    ...(isWhole(days, MOST_DAYS) ? [] : [{ path: 'days', message: `Please choose between 1 and ${MOST_DAYS} days.` }]),
    ...(isWhole(most, MOST_VERSIONS)
      ? []
      : [{ path: 'most', message: `Please choose between 1 and ${MOST_VERSIONS} versions.` }]),
  ]
  if (problems.length > 0) throw new InvalidInputError(problems)
  const { userId } = viewer
  await transaction(pool, async (tx) => {
    await tx.query(
      `update users set keep_versions_days = coalesce($2, keep_versions_days), most_versions = coalesce($3, most_versions)
       where id = $1`,
      [userId, days ?? null, most ?? null],
    )
    await enqueue(tx, 'sweepVersions', { userId }, { key: `versions ${userId}` })
  })
  return readLimits(pool, viewer)
}

const USAGE = `select (select count(*)::int from file_versions v where v.user_id = $1 and v.ended_at is not null) as versions,
  (select coalesce(sum(size), 0)::float8 from files where user_id = $1 and kind = 'FILE' and purged_at is null and account_id is null
    and is_version) as bytes`

async function readUsage(pool: Pool, { userId }: Viewer): Promise<VersionsUsage> {
  const { rows } = await pool.query<VersionsUsage>(USAGE, [userId])
  return rows[0] ?? { versions: 0, bytes: 0 }
}

/** Versions per transaction. */
const BATCH = 200

/** Too old, or too many of a file, by the database's clock. */
const EXPIRED = `select v.id, v.user_id as "userId" from (
    select v.id, v.user_id, v.ended_at, row_number() over (partition by v.file_id order by v.ended_at desc, v.created_at desc, v.id) as number
    from file_versions v where v.ended_at is not null and ($1::uuid is null or v.user_id = $1)) v
  join users u on u.id = v.user_id
  where v.ended_at < now() - u.keep_versions_days * interval '1 day' or v.number > u.most_versions
  order by v.user_id, v.id limit ${BATCH}`

export function createVersionsHousekeeping(deps: ChangeDeps): VersionsHousekeeping {
  return {
    async sweep(userId, signal) {
      for (let count = BATCH; count === BATCH; ) {
        signal.throwIfAborted()
        const { rows } = await deps.pool.query<{ id: string; userId: string }>(EXPIRED, [userId ?? null])
        count = rows.length
        for (const owner of new Set(rows.map((row) => row.userId))) {
          await changeTree(deps, { userId: owner }, async (change) => {
            await lockAccounts(change)
            // Read again under the lock: the owner may have decided to keep more of them.
            const expired = await change.tx.query<{ id: string }>(EXPIRED, [owner])
            await discardVersions(
              change,
              expired.rows.map(({ id }) => id),
            )
          })
        }
      }
    },
  }
}
