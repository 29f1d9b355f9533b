import { Readable } from 'node:stream'
import type { Clock } from '../../lib/clock.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import type { Call, Driver, Entry, EntryRef } from '../../providers/driver.ts'
import { isFailure, ProviderError } from '../../providers/errors.ts'
import {
  ChecksumMismatchError,
  ConflictError,
  ContentUnavailableError,
  NameTakenError,
  NotFoundError,
} from '../errors.ts'
import type { Contents, OpenedVersion } from '../files/content/content.ts'
import { versionOf } from '../files/content/inPlace.ts'
import { dropSession } from '../files/content/removals.ts'
import { isShown, isShownBefore } from '../files/content/seenObjects.ts'
import type { File, FilesService, OnConflict } from '../files/contract.ts'
import { ancestry, chainOf, changeTree } from '../files/tree/change.ts'
import { type Queryable, rightsOfBits } from '../files/tree/entries.ts'
import { nameKey, numberedName, storableName, takenInAccount } from '../files/tree/names.ts'
import { apply, type InPlaceChangeDeps, open, type PlacedFolder, requireFolder } from '../inPlace/placed.ts'
import { attachContent, findTarget, isWaiting } from '../protection/follow.ts'
import { createPieceContent, verifyStored } from '../transfers/sendPiece.ts'
import type { Protecting, UploadsService } from '../uploads/contract.ts'
import type { Viewer } from '../viewer.ts'
import { type ItemRow, type JobRow, saveItemSession, saveMade, saveMadeId } from './rows.ts'

// One item on its way: what both targets, group clouds and accounts, need.

export type CarryDeps = InPlaceChangeDeps & {
  readonly contents: Pick<Contents, 'openVersion'>
  /** Without a record in the activity log: the job has one entry. */
  readonly files: Pick<FilesService, 'changeEach' | 'createFolder' | 'getMany' | 'rename' | 'trash'>
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

/** Whether what an earlier attempt has made is there. */
export async function isThere({ files }: CarryDeps, viewer: Viewer, id: string): Promise<boolean> {
  const [file] = await files.getMany(viewer, [id])
  return file !== null && file !== undefined && file.trashedAt === null
}

/**
 * What has the name in the target folder, and goes to the trash once what replaces it is stored.
 * @throws ConflictError for the original itself, for a folder that it is in, and for what may not be deleted
 */
export async function findTaken(
  { pool }: CarryDeps,
  { userId }: Viewer,
  { sourceId, name }: Pick<ItemRow, 'sourceId' | 'name'>,
  parentId: string | null,
): Promise<string | null> {
  const { rows } = await pool.query<{ id: string; rights: number | null }>(
    `select f.id, e.rights from files f left join account_entries e on e.file_id = f.id
     where f.user_id = $1 and f.parent_id is not distinct from $2::uuid and f.name_key = $3
       and f.trashed_at is null and f.purged_at is null limit 1`,
    [userId, parentId, nameKey(name)],
  )
  const [taken] = rows
  if (!taken) return null
  const above = chainOf(await ancestry({ tx: pool, userId }, [sourceId]), sourceId)
  if (above.some(({ id }) => id === taken.id)) {
    throw new ConflictError(
      `“${name}” cannot replace itself, or a folder that it is in. Please choose another name first.`,
    )
  }
  if (taken.rights !== null && !rightsOfBits(taken.rights).delete) {
    throw new ConflictError(`“${name}” cannot be replaced: its account does not allow moving it to the trash.`)
  }
  return taken.id
}

/** An upload in progress: the name that it has at the target, and its session there. */
type Saved = { readonly name: string; readonly session: string }

function contextOf({ id }: { readonly id: string }): string {
  return `fileJobItems:${id}`
}

function encrypted({ encryption }: CarryDeps, item: { readonly id: string }, saved: Saved): string {
  return encryption.encrypt(JSON.stringify(saved), contextOf(item))
}

export function sessionOf({ encryption }: CarryDeps, item: Pick<ItemRow, 'id' | 'session'>): Saved | null {
  if (item.session === null) return null
  return JSON.parse(encryption.decrypt(item.session, contextOf(item))) as Saved
}

// The target is a folder of an account.

/** Names that are tried in a folder of an account. */
const MOST_NUMBERS = 20

/**
 * Stores a file under its own name in an account, verified, and in its index at once; with a number if it replaces something, until that
 * is in the trash (see `takePlaces`). @throws as carryItem
 */
export async function toAccount(
  deps: CarryDeps,
  carrying: Carrying,
  opened: OpenedVersion,
  folder: PlacedFolder,
): Promise<Carried> {
  const { job, viewer } = carrying
  const { madeId: earlierId, version } = carrying.item
  const isMade = earlierId !== null && (await isThere(deps, viewer, earlierId))
  if (isMade && version === opened.version) return { madeId: earlierId, version }
  // It was changed after an earlier attempt had stored it: that file goes to the trash.
  const item = isMade ? { ...carrying.item, madeId: null } : carrying.item
  const attempt = { ...carrying, item }
  const { account } = folder
  const driver = await open(deps, account, item.name)
  if (job.kind === 'MOVE' && driver.capabilities.altersContent) {
    throw new ConflictError(
      `“${account.name}” does not keep files as they are. “${item.name}” can be copied there, but not be moved.`,
    )
  }
  const saved = sessionOf(deps, item)
  const isSame = saved !== null && version === opened.version
  if (saved && !isSame) await abandon(deps, attempt, { driver, folder }, saved.session)
  if (isMade) await deps.files.trash(viewer, [earlierId])
  if (!isSame && onConflictOf(attempt) === 'REPLACE') await findTaken(deps, viewer, item, folder.id)
  const storing = { opened, folder, driver, saved: isSame ? saved : null }
  try {
    return await arrive(deps, attempt, storing)
  } catch (error) {
    if (!isFailure(error, 'Conflict')) throw error
    await startOver(deps, attempt, storing)
    return arrive(deps, attempt, { ...storing, saved: null })
  }
}

/** Stores the file, and makes it an entry of the account. @throws Conflict if the service returns what something else has stored */
async function arrive(deps: CarryDeps, carrying: Carrying, storing: Storing): Promise<Carried> {
  const { item, job } = carrying
  const { driver, opened, folder } = storing
  const { account } = folder
  const { ref, ...entry } = await store(deps, carrying, storing)
  const madeId = item.madeId ?? newId()
  await saveMade(deps.pool, item.id, madeId, opened.version)
  const place = { deps, driver, account, subject: item.name }
  const isOthers = (tx: Queryable) => isShownBefore(tx, account.id, { since: job.id, own: madeId })(ref)
  await apply(
    place,
    [{ ref, entry: { ref, ...entry } }],
    { newIds: new Map([[ref, madeId]]) },
    {
      before: async ({ tx }) => {
        if (await isOthers(tx)) throw takenAlready(driver)
        await claimShown(tx, item.id, { accountId: account.id, ref })
      },
    },
  )
  deps.report.worked(account.id)
  const { rows } = await deps.pool.query<{ id: string }>(
    'select file_id as id from account_entries where account_id = $1 and ref = $2',
    [account.id, ref],
  )
  if (!rows[0]) throw new NotFoundError(`“${item.name}” was removed from “${account.name}” while it was stored.`)
  return { madeId: rows[0].id, version: opened.version }
}

/** A service can return one object for two uploads of equal bytes under one name: each of them is to become a file. */
function takenAlready({ kind }: Driver): ProviderError {
  return new ProviderError(
    'Conflict',
    { provider: kind, operation: 'put' },
    { message: 'Another file was stored as this object.' },
  )
}

/** What the account has reported before: from now on no other item takes it for its own. */
async function claimShown(
  tx: Queryable,
  itemId: string,
  { accountId, ref }: { readonly accountId: string; readonly ref: EntryRef },
): Promise<void> {
  await tx.query(
    `update file_job_items i set made_id = e.file_id from account_entries e where i.id = $1 and e.account_id = $2 and e.ref = $3`,
    [itemId, accountId, ref],
  )
}

type Storing = {
  readonly opened: OpenedVersion
  readonly folder: PlacedFolder
  readonly driver: Driver
  readonly saved: Saved | null
}

/** Tries free names, unless the job's rule is to fail. @throws NameTakenError */
async function store(deps: CarryDeps, carrying: Carrying, storing: Storing): Promise<Entry> {
  const { item } = carrying
  const { folder, saved } = storing
  const space = { userId: carrying.viewer.userId, parentId: folder.id }
  const isAsked = onConflictOf(carrying) === 'FAIL'
  for (let number = 1; ; number += 1) {
    const name = saved?.name ?? (number === 1 ? item.name : numberedName(item.name, number))
    const isTaken = saved === null && (await takenInAccount(deps.pool, space, nameKey(name))) !== null
    if (isTaken && isAsked) throw new NameTakenError(name)
    if (isTaken && number < MOST_NUMBERS) continue
    try {
      return await storeAs(deps, carrying, storing, name)
    } catch (error) {
      if (!isFailure(error, 'Conflict')) throw error
      await startOver(deps, carrying, storing)
      if (isAsked || number >= MOST_NUMBERS) throw new NameTakenError(name)
      if (saved) return store(deps, { ...carrying, item: { ...item, session: null } }, { ...storing, saved: null })
    }
  }
}

/** Stores the content and compares it with what the account has then. */
async function storeAs(deps: CarryDeps, carrying: Carrying, storing: Storing, name: string): Promise<Entry> {
  const { pool, clock } = deps
  const { item, job, signal, onProgress } = carrying
  const { opened, folder, driver, saved } = storing
  const call: Call = { signal, requestId: `${job.id}.${item.id.slice(-12)}` }
  const { file, source, version } = opened
  const content = createPieceContent(source, { offset: 0, size: source.size }, driver.capabilities.hash ?? 'sha256')
  const parent = folder.ref ?? driver.root
  const { mimeType, updatedAt: modifiedAt } = file
  const entry = { parent, name, size: source.size, mimeType, modifiedAt }
  const save = async (session: string): Promise<void> => {
    await saveItemSession(pool, item.id, encrypted(deps, item, { name, session }), version)
  }
  try {
    const original = saved ? null : await findOriginal(deps, driver, opened, folder, call)
    const stored = original
      ? await copyWithin(driver, call, original, entry, save)
      : await driver.put(call, entry, content, {
          session: saved?.session ?? null,
          save,
          onProgress,
          isTaken: isShownBefore(pool, folder.account.id, { since: job.id, own: item.madeId }),
        })
    await verifyStored({ driver, clock }, call, stored, content).catch(async (error: unknown) => {
      signal.throwIfAborted()
      if (isFailure(error, 'Corrupt')) await driver.delete(call, stored.ref)
      throw error
    })
    return driver.stat(call, stored.ref)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ProviderError) deps.report.failed(folder.account.id, error)
    throw content.failure ?? error
  }
}

type Original = { readonly ref: EntryRef; readonly hash: string }

/** The original, if it is in the same account and still as it was opened: then the service copies it. */
async function findOriginal(
  { pool }: CarryDeps,
  driver: Driver,
  { file, version, hash }: OpenedVersion,
  { account }: PlacedFolder,
  call: Call,
): Promise<Original | null> {
  if (!driver.copy || hash === null || file.accountId !== account.id || file.size === 0) return null
  const { rows } = await pool.query<{ ref: EntryRef }>('select ref from account_entries where file_id = $1', [file.id])
  const ref = rows[0]?.ref
  if (ref === undefined) return null
  const now = await driver.stat(call, ref)
  return versionOf(now) === version ? { ref, hash: hash.digest } : null
}

function copyWithin(
  driver: Driver,
  call: Call,
  { ref, hash }: Original,
  entry: Parameters<NonNullable<Driver['copy']>>[2],
  save: (session: string) => Promise<void>,
): Promise<Entry> {
  if (!driver.copy) throw new Error('The service copies nothing.')
  return driver.copy(call, ref, entry, { hash, save })
}

/** What the session has stored stays if it is another's. */
async function startOver(deps: CarryDeps, carrying: Carrying, storing: Storing): Promise<void> {
  const { id } = carrying.item
  const { rows } = await deps.pool.query<{ session: string | null }>(
    'select session from file_job_items where id = $1',
    [id],
  )
  const saved = sessionOf(deps, { id, session: rows[0]?.session ?? null })
  if (saved) await abandon(deps, carrying, storing, saved.session)
}

async function abandon(
  deps: CarryDeps,
  { item, job, signal }: Carrying,
  { driver, folder }: Pick<Storing, 'driver' | 'folder'>,
  session: string,
): Promise<void> {
  const call = { signal, requestId: `${job.id}.${item.id.slice(-12)}` }
  await dropSession(driver, call, session, isShown(deps.pool, folder.account.id, item.madeId))
  await saveItemSession(deps.pool, item.id, null, null)
}

// The target is a group cloud, which also keeps protecting copies.

const RESUMABLE_BYTES = 8 * 1024 * 1024

/** Stores a file in a group cloud: received like an upload, and durable when this resolves. @throws as carryItem */
export async function toGroupCloud(
  deps: CarryDeps,
  carrying: Carrying,
  opened: OpenedVersion,
  parentId: string | null,
): Promise<Carried> {
  const { item, viewer, signal } = carrying
  const isLarge = opened.file.size >= (deps.resumableBytes ?? RESUMABLE_BYTES)
  const file = isLarge
    ? await receiveInParts(deps, carrying, opened, parentId)
    : await receiveWhole(deps, carrying, opened, parentId)
  signal.throwIfAborted()
  const { createdAt } = opened.file
  const { updatedAt } = opened.file
  await changeTree(deps, viewer, async ({ tx, changedIds }) => {
    await tx.query('update files set created_at = $2, updated_at = $3 where id = $1', [file.id, createdAt, updatedAt])
    if (!carrying.protecting) changedIds.add(file.id)
  })
  await saveMadeId(deps.pool, item.id, file.id)
  return { madeId: file.id, version: opened.version }
}

function inputOf(carrying: Carrying, { file }: OpenedVersion, parentId: string | null) {
  const { job } = carrying
  return {
    name: storableName(file.name),
    size: file.size,
    mimeType: file.mimeType ?? undefined,
    parentId,
    groupCloudId: job.groupCloudId ?? undefined,
    onConflict: onConflictOf(carrying),
    protecting: carrying.protecting,
  } as const
}

async function receiveWhole(
  { uploads }: CarryDeps,
  carrying: Carrying,
  opened: OpenedVersion,
  parentId: string | null,
): Promise<File> {
  const { item, viewer } = carrying
  const { hash } = opened
  const sha256 = hash?.algorithm === 'sha256' ? hash.digest : undefined
  const input = { ...inputOf(carrying, opened, parentId), sha256, ...copiedFrom(opened.file) }
  return reading(carrying, opened, 0, (body) =>
    uploads.receive(viewer, input, body, `file job ${item.id} ${opened.version}`),
  )
}

function copiedFrom({ id, accountId }: File): { copiedFrom?: string } {
  return accountId === null ? { copiedFrom: id } : {}
}

/** Runs `work` with the bytes from `start`. A failure of the source is thrown as it is. */
async function reading<Result>(
  { signal, onProgress }: Carrying,
  { source }: OpenedVersion,
  start: number,
  work: (body: Readable) => Promise<Result>,
): Promise<Result> {
  let failure: unknown
  async function* bytes(): AsyncGenerator<Buffer> {
    let position = start
    try {
      if (start === source.size) return
      for await (const chunk of source.read(start, source.size - 1) as AsyncIterable<Buffer>) {
        signal.throwIfAborted()
        yield chunk
        position += chunk.length
        onProgress(position)
      }
    } catch (error) {
      failure = error
      throw error
    }
  }
  const body = Readable.from(bytes(), { objectMode: false })
  const stop = () => body.destroy(new Error('It was stopped.'))
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    return await work(body)
  } catch (error) {
    signal.throwIfAborted()
    throw failure ?? error
  } finally {
    signal.removeEventListener('abort', stop)
    body.destroy()
  }
}

/** As a resumable upload: what was received stays when the attempt ends. */
async function receiveInParts(
  deps: CarryDeps,
  carrying: Carrying,
  opened: OpenedVersion,
  parentId: string | null,
): Promise<File> {
  const { uploads } = deps
  const { viewer } = carrying
  const { id, offset, fileId } = await findUpload(deps, carrying, opened, parentId)
  if (fileId === null && offset < opened.source.size) {
    await reading(carrying, opened, offset, (body) => uploads.append(viewer, id, offset, body))
  }
  // The source checks its bytes only when they are read at once.
  const expected = (offset > 0 && opened.hash) || undefined
  return uploads.finish(viewer, id, expected).catch((error: unknown) => {
    if (!(error instanceof ChecksumMismatchError)) throw error
    throw new ChecksumMismatchError(`“${opened.file.name}” was not received as it is in its account.`)
  })
}

/** Continues the upload of an earlier attempt, unless the original was changed since. */
async function findUpload(
  deps: CarryDeps,
  carrying: Carrying,
  opened: OpenedVersion,
  parentId: string | null,
): Promise<{ readonly id: string; readonly offset: number; readonly fileId: string | null }> {
  const { uploads, pool } = deps
  const { item, viewer } = carrying
  const saved = sessionOf(deps, item)
  if (saved) {
    const earlier = await uploads.get(viewer, saved.session).catch((error: unknown) => {
      if (error instanceof NotFoundError) return null
      throw error
    })
    if (earlier && item.version === opened.version && earlier.size === opened.source.size) return earlier
    if (earlier && earlier.fileId === null) await uploads.remove(viewer, saved.session)
  }
  const upload = await uploads.create(viewer, inputOf(carrying, opened, parentId))
  await saveItemSession(pool, item.id, encrypted(deps, item, { name: upload.name, session: upload.id }), opened.version)
  return upload
}

/**
 * Stores the newest version of a file in an account as a protecting copy, unless that is no longer needed or the file is gone: the index
 * says so too. @throws as carryItem
 */
export async function toProtection(deps: CarryDeps, carrying: Carrying): Promise<Carried> {
  const { job, item, viewer } = carrying
  const nothing = { madeId: item.sourceId, version: null }
  const target = await findTarget(deps.pool, job.targetId)
  if (!target || !(await isWaiting(deps.pool, target, item.sourceId))) return nothing
  const opened = await deps.contents.openVersion(viewer, item.sourceId, { original: true }).catch(unlessGone)
  if (opened === null) return nothing
  const { groupCloudId, containerId, accountId, copies } = target
  const placed = { ...carrying, job: { ...job, groupCloudId }, protecting: { accountId, copies } }
  const carried = await toGroupCloud(deps, placed, opened, containerId)
  await attachContent(deps, viewer.userId, target, { fileId: item.sourceId, contentId: carried.madeId, opened })
  return carried
}

function unlessGone(error: unknown): null {
  const cause = error instanceof ContentUnavailableError ? error.cause : error
  if (cause instanceof NotFoundError || (cause instanceof ProviderError && cause.code === 'NotFound')) return null
  throw error
}
