import type pg from 'pg'
import { transaction } from '../../db/pool.ts'
import { newId } from '../../lib/ids.ts'
import { ProviderError } from '../../providers/errors.ts'
import { sourceOfBytes } from '../../storage/byteSource.ts'
import {
  ConflictError,
  ContentUnavailableError,
  DomainError,
  InvalidInputError,
  NoThumbnailError,
  TooLargeError,
} from '../errors.ts'
import { createArchive, readWhole } from '../files/content/archive.ts'
import type { Contents } from '../files/content/content.ts'
import type { File, ListFiles } from '../files/contract.ts'
import { contentSize, requireFile } from '../files/tree/entries.ts'
import { listFiles } from '../files/tree/listing.ts'
import type { Thumbnail } from '../thumbnails/kinds.ts'
import type { ThumbnailsService } from '../thumbnails/service.ts'
import { changeShares, endShares, lockFileOf, type ShareChange, type ShareChangeDeps } from './changes.ts'
import {
  NOT_ENDED,
  type Sent,
  type SharedArchive,
  type SharedContent,
  type SharedDownload,
  type SharesService,
  type Visitor,
} from './contract.ts'
import {
  type Gate,
  linkGone,
  notInShare,
  type OpenShare,
  ownerOf,
  type RequestRate,
  redactErrors,
  requireBelow,
  temporarilyUnavailable,
} from './visits.ts'
import type { ShareLog, Watch } from './watch.ts'

/** A claim that was not updated for so long belongs to a crashed process. */
const STALE = "interval '5 minutes'"
/** An aborted download counts when more than this fraction of the content was sent. */
const MOST_GIVEN_BACK = 0.5
/** Tolerance for adding floating-point fractions. */
const WHOLE = 1 - 1e-6

/**
 * Reserves one download of a limited share while it is active: completed and active downloads never exceed the limit.
 * @throws NotFoundError when it is used up, ConflictError while all remaining downloads are active
 */
async function takeClaim(pool: pg.Pool, shareId: string, serverId: string | null): Promise<string> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ left: number }>(
      `select s.max_downloads - s.downloads as left from shares s where s.id = $1 and ${NOT_ENDED} for update`,
      [shareId],
    )
    const [share] = rows
    if (!share) throw linkGone()
    const claimed = await tx.query(`select from share_claims where share_id = $1 and seen_at > now() - ${STALE}`, [
      shareId,
    ])
    // Null: the limit was removed in the meantime.
    if (share.left !== null && (claimed.rowCount ?? 0) >= share.left) {
      throw new ConflictError('All downloads that this link allows are in progress. Please try again later.')
    }
    const id = newId()
    await tx.query(
      'insert into share_claims (id, share_id, server_id) select $1, $2, (select id from servers where id = $3)',
      [id, shareId, serverId],
    )
    return id
  })
}

/** Releases the claims of crashed processes. */
export async function forgetStaleClaims(pool: pg.Pool): Promise<void> {
  await pool.query(`delete from share_claims where seen_at <= now() - ${STALE}`)
}

/**
 * Releases a claim. `part`: the sent fraction of the content. An aborted download does not count, but the fractions add up, so that
 * never more whole contents are sent than the limit allows. The last download ends the share. @returns whether a download was counted
 */
async function releaseClaim(deps: ShareChangeDeps, share: OpenShare, claimId: string, part: number): Promise<boolean> {
  return changeShares(deps, async (change) => {
    await lockFileOf(change, share.file.id)
    await change.tx.query('delete from share_claims where id = $1', [claimId])
    return count(change, share, part)
  })
}

async function count(change: ShareChange, { id, userId, file }: OpenShare, part: number): Promise<boolean> {
  const { rows } = await change.tx.query<{ cut_part: number }>('select cut_part from shares where id = $1 for update', [
    id,
  ])
  const [share] = rows
  if (!share) return false
  const sum = share.cut_part + part
  const counts = part > MOST_GIVEN_BACK || sum >= WHOLE
  const cutPart = part > MOST_GIVEN_BACK ? share.cut_part : Math.max(0, counts ? sum - 1 : sum)
  const { rows: counted } = await change.tx.query<{ used_up: boolean | null }>(
    `update shares set cut_part = $2, downloads = downloads + $3 where id = $1 returning downloads >= max_downloads as used_up`,
    [id, cutPart, counts ? 1 : 0],
  )
  if (counts) change.fileIds.set(file.id, userId)
  if (counted[0]?.used_up) await endShares(change, userId, file.id, [id])
  return counts
}

/** Counts a completed download of a share without a limit. */
async function countDownload(deps: ShareChangeDeps, { id, userId, file }: OpenShare): Promise<void> {
  await changeShares(deps, async (change) => {
    await change.tx.query('update shares set downloads = downloads + 1 where id = $1', [id])
    change.fileIds.set(file.id, userId)
  })
}

export type DownloadDeps = ShareChangeDeps & {
  readonly contents: Pick<Contents, 'open' | 'export'>
  readonly gate: Gate
  readonly rate: RequestRate
  readonly watch: Watch
  readonly log: ShareLog
  /** Id in the register of servers: a claim is released with the server that sends the download. */
  readonly serverId?: string | null
}

type Options = Parameters<SharesService['open']>[2]

/** @throws as SharesService.open */
export async function openDownload(
  deps: DownloadDeps,
  visitor: Visitor,
  id: string,
  options: Options,
): Promise<SharedContent | SharedArchive> {
  const { gate, rate } = deps
  const { fileId, inline, headersOnly = false, continues = false } = options
  const content = `${id} ${fileId ?? ''}`
  const share = await gate.findUnlocked(
    visitor,
    id,
    continues && rate.isActive(visitor.address, content) ? 'RANGE' : 'PAGE',
  )
  if (inline && share.maxDownloads !== null) throw noPreview()
  const file = await targetOf(deps, share, fileId)
  const opened = file.kind === 'FOLDER' ? await openFolder(deps, share, file) : await openFile(deps, share, file)
  rate.begin(visitor.address, content)
  if (headersOnly) return { ...opened.download, ...UNCOUNTED }
  if (inline) return { ...opened.download, ...beginPreview(deps, share, file) }
  return { ...opened.download, ...(await beginDownload(deps, visitor, share, file, opened.size)) }
}

/** Previews are not counted, so links with a limit have none. */
function noPreview(): InvalidInputError {
  const message = 'A link with a download limit has no preview. Please download the file.'
  return new InvalidInputError([{ path: 'disposition', message }])
}

export type PictureDeps = Pick<DownloadDeps, 'pool' | 'gate'> & { readonly thumbnails: Pick<ThumbnailsService, 'get'> }

/** @throws as SharesService.thumbnail */
export async function openPicture(
  deps: PictureDeps,
  visitor: Visitor,
  id: string,
  { fileId, size, signal }: Parameters<SharesService['thumbnail']>[2],
): Promise<Thumbnail> {
  const share = await deps.gate.findUnlocked(visitor, id, 'PICTURE')
  if (share.maxDownloads !== null) throw new NoThumbnailError('A link with a download limit has no thumbnails.')
  const file = await targetOf(deps, share, fileId)
  return deps.thumbnails.get(ownerOf(share), file.id, size, signal).catch((error: unknown) => {
    throw error instanceof ContentUnavailableError ? temporarilyUnavailable(error) : error
  })
}

async function targetOf(
  { pool }: Pick<DownloadDeps, 'pool'>,
  share: OpenShare,
  fileId: string | undefined,
): Promise<File> {
  if (fileId === undefined || fileId === share.file.id) return share.file
  if (share.file.kind !== 'FOLDER') throw notInShare()
  await requireBelow(pool, share, fileId)
  return requireFile(pool, ownerOf(share), fileId)
}

async function openFile(deps: DownloadDeps, share: OpenShare, target: File) {
  const { contents, log } = deps
  if (target.isNative) return openDocument(deps, share, target)
  const { file, source } = await contents.open(ownerOf(share), target.id).catch((error: unknown) => {
    if (!(error instanceof ContentUnavailableError)) throw error
    log.unavailable(share)
    throw temporarilyUnavailable(error)
  })
  return { download: { file, source: redactErrors(source, () => log.unavailable(share)) }, size: async () => file.size }
}

/** Visitors wait for the end of an export, so that its size is known and a part is never taken for all of it. */
const MOST_EXPORTED_BYTES = 32 * 1024 * 1024

/** A native document, as its usual type. */
async function openDocument({ contents, log }: DownloadDeps, share: OpenShare, target: File) {
  try {
    const { name, mimeType, read } = await contents.export(ownerOf(share), target.id)
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of (await read()) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MOST_EXPORTED_BYTES) throw new TooLargeError('The exported document is too large.')
      chunks.push(chunk)
    }
    const file: File = { ...target, name, mimeType, size, isNative: false }
    return { download: { file, source: sourceOfBytes(Buffer.concat(chunks)) }, size: async () => size }
  } catch (error) {
    log.unavailable(share)
    throw hideReason(error)
  }
}

/** Reasons name accounts of the owner. */
function hideReason(error: unknown): unknown {
  const isOwners = error instanceof DomainError || error instanceof ProviderError
  return isOwners ? temporarilyUnavailable(error) : error
}

async function openFolder({ pool, contents, log }: DownloadDeps, share: OpenShare, folder: File) {
  const viewer = ownerOf(share)
  const list = (options: ListFiles) => listFiles(pool, viewer, options)
  const open = (file: File) =>
    readWhole(redacted, viewer, file).catch((error: unknown) => {
      throw hideReason(error)
    })
  const redacted: Pick<DownloadDeps['contents'], 'open' | 'export'> = {
    async open(owner, fileId) {
      const { file, source } = await contents.open(owner, fileId)
      return { file, source: redactErrors(source, () => log.unavailable(share)) }
    },
    export: contents.export,
  }
  const archive = createArchive({ list, open }, [folder])
  return { download: { archive }, size: () => contentSize(pool, viewer, folder.id) }
}

/** For requests of headers only. */
const UNCOUNTED: SharedDownload = { signal: new AbortController().signal, done: async () => undefined }

/** A preview does not count as a download, however often a player reads it. */
function beginPreview({ watch }: DownloadDeps, { id: shareId, passwordHash }: OpenShare, file: File): SharedDownload {
  const { signal, remove } = watch.add({ shareId, fileId: file.id, passwordHash, claimId: null })
  return { signal, done: async () => remove() }
}

async function beginDownload(
  deps: DownloadDeps,
  visitor: Visitor,
  share: OpenShare,
  file: File,
  sizeOf: () => Promise<number>,
): Promise<SharedDownload> {
  const { pool, watch, log } = deps
  // The size is only needed to compute the sent fraction under a limit; for a folder it has to be summed up.
  const size = share.maxDownloads === null ? 0 : await sizeOf()
  const claimId = share.maxDownloads === null ? null : await takeClaim(pool, share.id, deps.serverId ?? null)
  const { id: shareId, passwordHash } = share
  const { signal, remove } = watch.add({ shareId, fileId: file.id, passwordHash, claimId })
  return {
    signal,
    async done(sent) {
      remove()
      if (await recordDownload(deps, share, claimId, file.kind === 'FOLDER', size, sent)) log.downloaded(visitor, share)
    },
  }
}

/** @returns whether a download was counted */
async function recordDownload(
  deps: ShareChangeDeps,
  share: OpenShare,
  claimId: string | null,
  isArchive: boolean,
  size: number,
  { bytes, whole }: Sent,
): Promise<boolean> {
  if (claimId !== null) {
    const isWhole = whole && (isArchive || size === 0)
    return releaseClaim(deps, share, claimId, isWhole ? 1 : Math.min(1, bytes / Math.max(size, 1)))
  }
  if (whole) await countDownload(deps, share)
  return whole
}
