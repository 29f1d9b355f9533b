import { newId } from '../../lib/ids.ts'
import type { Call, Driver, Entry, EntryRef } from '../../providers/driver.ts'
import { isFailure, ProviderError } from '../../providers/errors.ts'
import { ConflictError, NameTakenError, NotFoundError } from '../errors.ts'
import type { OpenedVersion } from '../files/content/content.ts'
import { versionOf } from '../files/content/inPlace.ts'
import { nameKey, numberedName, takenInAccount } from '../files/tree/names.ts'
import { apply, open, type PlacedFolder } from '../inPlace/placed.ts'
import { createPieceContent, verifyStored } from '../transfers/sendPiece.ts'
import {
  type Carried,
  type CarryDeps,
  type Carrying,
  encrypted,
  onConflictOf,
  type Saved,
  sessionOf,
  trashTaken,
} from './item.ts'
import { saveItemSession, saveMadeId } from './rows.ts'

/** Names that are tried in a folder of an account. */
const MOST_NUMBERS = 20

/** Stores a file under its own name in an account, verified, and in its index at once. @throws as carryItem */
export async function toAccount(
  deps: CarryDeps,
  carrying: Carrying,
  opened: OpenedVersion,
  folder: PlacedFolder,
): Promise<Carried> {
  const { item, viewer, job } = carrying
  const { account } = folder
  const driver = await open(deps, account, item.name)
  if (job.kind === 'MOVE' && driver.capabilities.altersContent) {
    throw new ConflictError(
      `“${account.name}” does not keep files as they are. “${item.name}” can be copied there, but not be moved.`,
    )
  }
  const saved = sessionOf(deps, item)
  const isSame = saved !== null && item.version === opened.version
  if (saved && !isSame) await abandon(deps, carrying, { driver, folder }, saved.session)
  if (!isSame && onConflictOf(carrying) === 'REPLACE') await trashTaken(deps, viewer, folder.id, item.name)
  const entry = await store(deps, carrying, { opened, folder, driver, saved: isSame ? saved : null })
  const madeId = await saveMadeId(deps.pool, item.id, item.madeId ?? newId())
  const place = { deps, driver, account, subject: item.name }
  await apply(place, [{ ref: entry.ref, entry }], { newIds: new Map([[entry.ref, madeId]]) })
  deps.report.worked(account.id)
  const { rows } = await deps.pool.query<{ id: string }>(
    'select file_id as id from account_entries where account_id = $1 and ref = $2',
    [account.id, entry.ref],
  )
  if (!rows[0]) throw new NotFoundError(`“${job.name}” was removed from “${account.name}” while it was stored.`)
  return { madeId: rows[0].id, version: opened.version }
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
      if (isAsked || number >= MOST_NUMBERS) throw new NameTakenError(name)
      if (saved) await abandon(deps, carrying, storing, saved.session)
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
          isTaken: belongsToOthers(deps, job.id, item.id, folder.account.id),
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

/**
 * Whether an object is something else than what this item has stored: it was in the account before the job began, or belongs to
 * another item. Ids are ordered by time; the index can know what this item has stored before the item does.
 */
export function belongsToOthers({ pool }: CarryDeps, jobId: string, itemId: string, accountId: string) {
  return async (ref: EntryRef): Promise<boolean> => {
    const { rows } = await pool.query(
      `select from account_entries e where e.account_id = $1 and e.ref = $2 and e.gone_at is null
         and (e.file_id < $3 or exists (select from file_job_items i where i.job_id = $3 and i.made_id = e.file_id and i.id <> $4))`,
      [accountId, ref, jobId, itemId],
    )
    return rows.length > 0
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

/** A failure is ignored: services end old sessions by themselves. */
async function abandon(
  deps: CarryDeps,
  { item, job, signal }: Carrying,
  { driver, folder }: Pick<Storing, 'driver' | 'folder'>,
  session: string,
): Promise<void> {
  const call = { signal, requestId: `${job.id}.${item.id.slice(-12)}` }
  await driver.abandon(call, session, belongsToOthers(deps, job.id, item.id, folder.account.id)).catch(() => undefined)
  signal.throwIfAborted()
  await saveItemSession(deps.pool, item.id, null, null)
}
