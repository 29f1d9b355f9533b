import { ContentUnavailableError, InvalidInputError } from '../errors.ts'
import { createArchive } from '../files/archive.ts'
import type { Contents } from '../files/content.ts'
import { listFiles } from '../files/listing.ts'
import { contentSize, requireFile } from '../files/lookup.ts'
import type { Sent, SharedArchive, SharedContent, SharedDownload, SharesService, Visitor } from '../services/shares.ts'
import type { File, ListFiles } from '../services.ts'
import type { ShareChangeDeps } from './changes.ts'
import { countDownload, settleClaim, takeClaim } from './claims.ts'
import { discreet, temporarilyUnavailable } from './discreet.ts'
import type { Gate, OpenShare } from './gate.ts'
import type { ShareLog } from './log.ts'
import type { RequestRate } from './requestRate.ts'
import { notInShare, ownerOf, requireBelow } from './visits.ts'
import type { Watch } from './watch.ts'

export type DownloadDeps = ShareChangeDeps & {
  readonly contents: Pick<Contents, 'open'>
  readonly gate: Gate
  readonly rate: RequestRate
  readonly watch: Watch
  readonly log: ShareLog
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
  const { fileId, inline, looks = false, continues = false } = options
  const content = `${id} ${fileId ?? ''}`
  const share = await gate.pass(visitor, id, continues && rate.isUnderWay(visitor.address, content))
  if (inline && share.maxDownloads !== null) throw noPreview()
  const file = await targetOf(deps, share, fileId)
  const opened = file.kind === 'FOLDER' ? await openFolder(deps, share, file) : await openFile(deps, share, file)
  rate.begin(visitor.address, content)
  if (looks) return { ...opened.download, ...UNCOUNTED }
  if (inline) return { ...opened.download, ...beginPreview(deps, share, file) }
  return { ...opened.download, ...(await beginDownload(deps, visitor, share, file, opened.size)) }
}

/** A preview would be a download that nobody counts. */
function noPreview(): InvalidInputError {
  const message = 'A link with a limit shows nothing in place. Please download it.'
  return new InvalidInputError([{ path: 'disposition', message }])
}

async function targetOf({ pool }: DownloadDeps, share: OpenShare, fileId: string | undefined): Promise<File> {
  if (fileId === undefined || fileId === share.file.id) return share.file
  if (share.file.kind !== 'FOLDER') throw notInShare()
  await requireBelow(pool, share, fileId)
  return requireFile(pool, ownerOf(share), fileId)
}

async function openFile({ contents, log }: DownloadDeps, share: OpenShare, target: File) {
  const { file, source } = await contents.open(ownerOf(share), target.id).catch((error: unknown) => {
    if (!(error instanceof ContentUnavailableError)) throw error
    log.unavailable(share)
    throw temporarilyUnavailable(error)
  })
  return { download: { file, source: discreet(source, () => log.unavailable(share)) }, size: async () => file.size }
}

async function openFolder({ pool, contents, log }: DownloadDeps, share: OpenShare, folder: File) {
  const viewer = ownerOf(share)
  const list = (options: ListFiles) => listFiles(pool, viewer, options)
  const open = async (fileId: string) => {
    const { source } = await contents.open(viewer, fileId).catch((error: unknown) => {
      throw error instanceof ContentUnavailableError ? temporarilyUnavailable(error) : error
    })
    return { source: discreet(source, () => log.unavailable(share)) }
  }
  const archive = createArchive({ list, open }, [folder])
  return { download: { archive }, size: () => contentSize(pool, viewer, folder.id) }
}

/** Only its headers are looked at. */
const UNCOUNTED: SharedDownload = { signal: new AbortController().signal, done: async () => undefined }

/** Shown in place: nobody has taken it with them, however often a player reads it. */
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
  // A folder is added up only where a part of it may have to be told.
  const size = share.maxDownloads === null ? 0 : await sizeOf()
  const claimId = share.maxDownloads === null ? null : await takeClaim(pool, share.id)
  const { id: shareId, passwordHash } = share
  const { signal, remove } = watch.add({ shareId, fileId: file.id, passwordHash, claimId })
  return {
    signal,
    async done(sent) {
      remove()
      if (await settle(deps, share, claimId, file.kind === 'FOLDER', size, sent)) log.downloaded(visitor, share)
    },
  }
}

/** @returns whether a download was counted */
async function settle(
  deps: ShareChangeDeps,
  share: OpenShare,
  claimId: string | null,
  isArchive: boolean,
  size: number,
  { bytes, whole }: Sent,
): Promise<boolean> {
  if (claimId !== null) {
    const isWhole = whole && (isArchive || size === 0)
    return settleClaim(deps, share, claimId, isWhole ? 1 : Math.min(1, bytes / Math.max(size, 1)))
  }
  if (whole) await countDownload(deps, share)
  return whole
}
