import { type Readable, Transform, type TransformCallback } from 'node:stream'
import type pg from 'pg'
import { transaction, UnknownOutcomeError } from '../../db/pool.ts'
import { networkOf } from '../../lib/addresses.ts'
import type { ActivityLog } from '../activity/contract.ts'
import {
  ConflictError,
  ContentUnavailableError,
  DomainError,
  InvalidInputError,
  NotFoundError,
  ProviderFailedError,
  StorageFullError,
  TooLargeError,
  UploadOffsetMismatchError,
} from '../errors.ts'
import type { Events } from '../events.ts'
import type { File, FilesService } from '../files/contract.ts'
import type { Enqueue } from '../jobs.ts'
import type { Visitor } from '../shares/contract.ts'
import type { Checksum, Upload, UploadsService } from '../uploads/contract.ts'
import type { Viewer } from '../viewer.ts'
import {
  arrive,
  type ClaimRow,
  findClaim,
  longerThanClaim,
  nameUpload,
  type OpenUpload,
  reconcileClaims,
  takeClaim,
  touchClaim,
  uploadGone,
} from './claims.ts'
import type { LinkUpload, SentFile } from './contract.ts'
import { checkedNames, folderNameOf, type LinkGate, linkGone, type OpenLink } from './visits.ts'

export type ReceiveDeps = {
  readonly pool: pg.Pool
  readonly events: Events
  readonly enqueue: Enqueue
  /** Store in the name of the owner, without recording it as the owner's doing. */
  readonly uploads: Pick<UploadsService, 'create' | 'find' | 'get' | 'append' | 'finish' | 'remove' | 'receive'>
  readonly files: Pick<FilesService, 'makeFolders' | 'move'>
  readonly gate: LinkGate
  readonly log: UploadLinkLog
  /** Called with errors that occur after a file is stored. */
  readonly onError: (error: unknown) => void
}

const ownerOf = ({ userId }: OpenLink) => ({ userId, sessionId: null })

/** @throws as UploadLinksService.begin */
export async function beginUpload(
  deps: ReceiveDeps,
  visitor: Visitor,
  linkId: string,
  file: SentFile & { readonly size: number },
): Promise<LinkUpload> {
  const { pool, gate, uploads } = deps
  const link = await gate.findUnlocked(visitor, linkId, 'BEGIN')
  const names = checkedNames(link, file)
  const network = networkOf(visitor.address)
  const claim = await takeClaim(pool, { linkId, ...names, network, bytes: file.size, isExact: true })
  try {
    const { size, mimeType } = file
    const where = { parentId: link.folderId, onConflict: 'RENAME', linkId } as const
    const upload = await uploads.create(ownerOf(link), { name: names.name, size, mimeType, ...where })
    await nameUpload(pool, claim.id, upload.id)
    return present(claim.id, names.name, upload)
  } catch (error) {
    await reconcileClaims(pool, linkId, [claim.id])
    throw hideOwner(link, error)
  }
}

/** The upload as its visitor sees it: neither the name that the file has got, nor its id. */
function present(id: string, name: string, { size, offset, expiresAt, fileId }: Upload): LinkUpload {
  return { id, name, size: size ?? 0, offset, expiresAt, arrived: fileId !== null }
}

function arrived({ id, name, bytes }: ClaimRow): LinkUpload {
  return { id, name, size: bytes, offset: bytes, expiresAt: null, arrived: true }
}

/** @throws as UploadLinksService.progress */
export async function readProgress(
  { pool, gate, uploads }: ReceiveDeps,
  visitor: Visitor,
  linkId: string,
  id: string,
): Promise<LinkUpload> {
  const link = await gate.findUnlocked(visitor, linkId, 'CONTINUE')
  const claim = await findClaim(pool, linkId, id)
  if (claim.file_id) return arrived(claim)
  if (claim.upload_id === null) throw uploadGone()
  return present(id, claim.name, await uploads.get(ownerOf(link), claim.upload_id))
}

/** @throws as UploadLinksService.append */
export async function appendBytes(
  deps: ReceiveDeps,
  visitor: Visitor,
  linkId: string,
  id: string,
  offset: number,
  body: Readable,
  checksum?: Checksum,
  bodyBytes?: number,
): Promise<LinkUpload> {
  const { pool, gate, uploads } = deps
  const link = await gate.findUnlocked(visitor, linkId, 'CONTINUE')
  const claim = await findClaim(pool, linkId, id)
  if (claim.file_id) {
    if (offset !== claim.bytes) throw new UploadOffsetMismatchError(claim.bytes)
    return arrived(claim)
  }
  const { upload_id: uploadId } = claim
  if (uploadId === null) throw uploadGone()
  const owner = ownerOf(link)
  try {
    const upload = await uploads.find(owner, uploadId)
    const reached = await uploads.append(owner, uploadId, offset, body, checksum, undefined, bodyBytes)
    if (reached !== upload.size) return present(id, claim.name, { ...upload, offset: reached })
    if (!(await gate.isStillOpen(link))) {
      await uploads.remove(owner, uploadId).catch(unlessGone)
      throw linkGone()
    }
    await store(deps, visitor, link, claim, await uploads.finish(owner, uploadId))
    return arrived(claim)
  } catch (error) {
    // Refused types and expired uploads free their place; what can be continued keeps it.
    if (!(error instanceof UnknownOutcomeError)) await reconcileGone(deps, link, claim)
    throw hideOwner(link, error)
  }
}

/** Releases the claim if its upload does not exist any more. */
async function reconcileGone({ pool, uploads }: ReceiveDeps, link: OpenLink, claim: ClaimRow): Promise<void> {
  const upload = await uploads.find(ownerOf(link), claim.upload_id ?? '').catch(unlessGone)
  if (!upload || upload.fileId) await reconcileClaims(pool, link.id, [claim.id])
}

function unlessGone(error: unknown): null {
  if (error instanceof NotFoundError) return null
  throw error
}

/** @throws as UploadLinksService.cancel */
export async function cancelUpload(deps: ReceiveDeps, visitor: Visitor, linkId: string, id: string): Promise<void> {
  const { pool, gate } = deps
  const { userId } = await gate.findUnlocked(visitor, linkId, 'CONTINUE')
  const claim = await findClaim(pool, linkId, id)
  if (claim.file_id || claim.upload_id === null) return
  await endUpload(deps, { userId, id: linkId }, { id: claim.upload_id, claim })
}

/** Removes an upload. If it has become a file at that moment, that stays one and is counted. */
export async function endUpload(
  { pool, uploads }: { readonly pool: pg.Pool; readonly uploads: Pick<UploadsService, 'remove'> },
  { userId, id: linkId }: Pick<OpenLink, 'userId' | 'id'>,
  { id, claim }: OpenUpload,
): Promise<void> {
  const fileId = await uploads.remove({ userId, sessionId: null }, id).catch(unlessGone)
  if (claim === null) return
  if (fileId) await arrive(pool, linkId, claim.id, { id: fileId, size: claim.bytes })
  else await reconcileClaims(pool, linkId, [claim.id])
}

/** @throws as UploadLinksService.receive */
export async function receiveWhole(
  deps: ReceiveDeps,
  visitor: Visitor,
  linkId: string,
  file: SentFile & { readonly atMostBytes: number | null },
  body: Readable,
): Promise<Pick<LinkUpload, 'name' | 'size'>> {
  const { pool, gate, uploads } = deps
  const link = await gate.findUnlocked(visitor, linkId, 'BEGIN')
  const names = checkedNames(link, file)
  const bytes = file.atMostBytes ?? Number.POSITIVE_INFINITY
  const claim = await takeClaim(pool, {
    ...{ linkId, ...names, network: networkOf(visitor.address), bytes, isExact: false },
  })
  const guard = createGuard(claim.bytes, {
    touch: () => touchClaim(pool, claim.id),
    isStillOpen: () => gate.isStillOpen(link),
  })
  body.on('error', (error) => guard.stream.destroy(error))
  try {
    const input = { ...names, mimeType: file.mimeType, size: null, atMostBytes: claim.bytes ?? undefined }
    const where = { parentId: link.folderId, onConflict: 'RENAME' } as const
    const stored = await uploads.receive(ownerOf(link), { ...input, ...where }, body.pipe(guard.stream), claim.id)
    await store(deps, visitor, link, { ...claim, ...names }, stored)
    return { name: names.name, size: stored.size }
  } catch (error) {
    if (!(error instanceof UnknownOutcomeError)) await reconcileClaims(pool, linkId, [claim.id])
    throw hideOwner(link, guard.refusal() ?? error)
  }
}

/** Well within the day after which a claim without news is released. */
const TOUCH_MS = 60 * 60 * 1000

type Guard = { readonly stream: Transform; refusal(): DomainError | null }

/** Passes a body on, up to the claimed bytes; before its end it checks that the link is still open. */
function createGuard(
  most: number | null,
  { touch, isStillOpen }: { touch: () => Promise<void>; isStillOpen: () => Promise<boolean> },
): Guard {
  let passed = 0
  let touchedAt = performance.now()
  let refused: DomainError | null = null

  async function check(chunk: Buffer): Promise<void> {
    passed += chunk.length
    if (most !== null && passed > most) throw longerThanClaim()
    if (performance.now() - touchedAt < TOUCH_MS) return
    touchedAt = performance.now()
    await touch()
  }
  const finish = (work: Promise<void>, done: TransformCallback, chunk?: Buffer) =>
    work.then(
      () => done(null, chunk),
      (error: Error) => {
        if (error instanceof DomainError) refused = error
        done(error)
      },
    )

  const stream = new Transform({
    transform: (chunk: Buffer, _encoding, done) => void finish(check(chunk), done, chunk),
    flush: (done) =>
      void finish(
        isStillOpen().then((isOpen) => {
          if (!isOpen) throw linkGone()
        }),
        done,
      ),
  })
  stream.on('error', () => undefined)
  return { stream, refusal: () => refused }
}

/** Counts a stored file, puts it into its visitor's folder, and tells the owner. */
async function store(
  deps: ReceiveDeps,
  visitor: Visitor,
  link: OpenLink,
  claim: Pick<ClaimRow, 'id' | 'visitor'>,
  file: Pick<File, 'id' | 'name' | 'size'>,
): Promise<void> {
  const { pool, events, log, onError } = deps
  if (!(await arrive(pool, link.id, claim.id, file))) return
  log.received(visitor, link, file, claim.visitor)
  events.publish('filesChanged', link.userId, {
    ...{ fileIds: [link.folderId], removedIds: [], parentIds: [], truncated: false },
  })
  await sort(deps, link, claim.visitor, file.id).catch(onError)
  if (link.notifies) await notify(deps, link).catch(onError)
}

/**
 * The folder is made only now, so that visitors make no folder without a file. If that is not possible, the file stays where it is; so
 * do files for connected accounts, which are still on their way there.
 */
async function sort({ files }: ReceiveDeps, link: OpenLink, visitor: string, fileId: string): Promise<void> {
  if (visitor === '' || link.isInAccount) return
  const owner = ownerOf(link)
  try {
    const { id } = await files.makeFolders(owner, link.folderId, [folderNameOf(visitor, link.now)])
    if (id !== null) await files.move(owner, [fileId], id, 'RENAME')
  } catch (error) {
    if (!(error instanceof DomainError)) throw error
  }
}

/** One mail for all files that arrive within this time of each other. */
const MAIL_DELAY_SECONDS = 180

async function notify({ pool, enqueue }: ReceiveDeps, { id, userId, title }: OpenLink): Promise<void> {
  const job = { userId, notice: 'FILES_RECEIVED', about: title } as const
  const options = { key: `filesReceived ${id}`, delaySeconds: MAIL_DELAY_SECONDS }
  await transaction(pool, (tx) => enqueue(tx, 'mailNotice', job, options))
}

const NO_ROOM = 'There is no room for this file at the moment. Please ask whoever sent you this link.'
const UNAVAILABLE = 'This link cannot take files at the moment. Please try again later.'

const UNAVAILABLE_ERRORS = [ConflictError, ProviderFailedError, ContentUnavailableError]

/** Replaces errors that name accounts, free space or files of the owner. */
function hideOwner({ isInAccount }: OpenLink, error: unknown): unknown {
  if (error instanceof StorageFullError) return new StorageFullError(0, 0, NO_ROOM)
  if (error instanceof TooLargeError && isInAccount) return longerThanClaim()
  if (UNAVAILABLE_ERRORS.some((kind) => error instanceof kind)) return new ConflictError(UNAVAILABLE)
  if (error instanceof InvalidInputError && isInAccount && error.fields.some(({ path }) => path === 'name')) {
    return new InvalidInputError([{ path: 'name', message: 'This name cannot be used here. Please rename the file.' }])
  }
  return error
}

// The activity log of upload links.

export type UploadLinkLogDeps = {
  readonly pool: pg.Pool
  readonly activity: ActivityLog
  readonly onError: (error: unknown) => void
}

/** Activity log entries about upload links, for their owners. */
type UploadLinkLog = {
  /** A change by the owner. */
  owner(
    viewer: Viewer,
    action: 'UPLOAD_LINK_CREATED' | 'UPLOAD_LINK_CHANGED' | 'UPLOAD_LINK_REVOKED',
    linkId: string,
  ): void
  /** `from`: the name that the visitor gave, or the empty text. */
  received(visitor: Visitor, link: OpenLink, file: Pick<File, 'id' | 'name'>, from: string): void
  refused(visitor: Visitor, link: OpenLink): void
}

export function createUploadLinkLog({ pool, activity, onError }: UploadLinkLogDeps): UploadLinkLog {
  const actorOf = ({ address, userAgent }: Visitor, { userId }: OpenLink) =>
    ({ kind: 'VISITOR', userId, address, userAgent }) as const

  return {
    owner(viewer, action, linkId) {
      pool
        .query<{ title: string; folder_id: string }>(
          'select title, folder_id from upload_links where id = $1 and user_id = $2',
          [linkId, viewer.userId],
        )
        .then(({ rows: [link] }) => {
          const subject = { type: 'UploadLink', id: linkId, name: link?.title ?? '' } as const
          activity.record({ kind: 'VIEWER', viewer }, { action, subject, fileIds: link ? [link.folder_id] : [] })
        })
        .catch(onError)
    },
    received(visitor, link, { id, name }, from) {
      activity.record(actorOf(visitor, link), {
        action: 'FILE_RECEIVED',
        subject: { type: 'File', id, name },
        fileIds: [id, link.folderId],
        details: { link: link.title, ...(from !== '' && { visitor: from }) },
      })
    },
    refused(visitor, link) {
      const subject = { type: 'UploadLink', id: link.id, name: link.title } as const
      const fileIds = [link.folderId]
      activity.record(actorOf(visitor, link), { action: 'UPLOAD_LINK_PASSWORD_REFUSED', subject, fileIds })
    },
  }
}
