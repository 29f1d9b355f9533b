import type { Pool } from 'pg'
import type { Call, Driver, Entry, EntryRef } from '../../providers/driver.ts'
import { ProviderError, type ProviderErrorCode } from '../../providers/errors.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import { isReferredTo, isTaken, objectName } from '../files/content/objects.ts'
import { openSession, saveSession } from '../files/content/sessions.ts'
import type { EngineDeps } from './deps.ts'
import {
  copyOriginal,
  createPieceContent,
  findOriginal,
  isSentInstead,
  type Original,
  type PieceContent,
  verifyStored,
} from './pieceContent.ts'
import type { PieceWork, StoredObject, TransferWork } from './work.ts'

/** What to send, where to and from where. */
export type Sending = {
  readonly work: TransferWork
  readonly piece: PieceWork
  readonly driver: Driver
  readonly source: ByteSource
  readonly call: Call
  readonly onProgress: (committedBytes: number) => void
}

/** The content could not be read; its cause is the error. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** How often a piece is sent in another way after each error, before the error is thrown. */
const MAX_TRIES: Readonly<Partial<Record<ProviderErrorCode, number>>> = {
  Conflict: 5,
  NotFound: 1,
  BadName: 1,
  Corrupt: 1,
}

type SendDeps = Pick<EngineDeps, 'pool' | 'encryption' | 'clock'> & { readonly rootFolders: RootFolders }

/** How one attempt differs from the first. */
type Attempt = {
  /** Number of names that were already in use. */
  readonly naming: number
  /** The name of the saved session; null: the one that `naming` makes. */
  readonly name: string | null
  /** Whether the object is stored under an id, because the service refused the file's name. */
  readonly opaque: boolean
  /** Whether the folder is looked up again, because the known one is gone. */
  readonly freshFolder: boolean
  readonly session: string | null
  /** The object that the service copies; null: the bytes are sent. */
  readonly original: Original | null
}

/**
 * Stores a piece at its provider and verifies it. Continues the saved session. A name in use gets a number, a deleted folder is
 * created again, and corrupt data is deleted and sent once more. An object that the account already has is copied by the service,
 * and sent only if that fails.
 * @throws ProviderError, SourceError, and the signal's reason once it is aborted
 */
export async function sendPiece(deps: SendDeps, sending: Sending): Promise<StoredObject> {
  const { piece, work, driver } = sending
  const tries = new Map<ProviderErrorCode, number>()
  const saved = openSession(deps.encryption, piece)
  const { name, session } = saved ?? { name: null, session: null }
  const original = saved ? null : await findOriginal(deps.pool, work, piece, driver)
  let attempt: Attempt = { naming: 0, name, opaque: false, freshFolder: false, session, original }
  for (;;) {
    const saved = { session: attempt.session }
    try {
      return await storeOnce(deps, sending, attempt, saved)
    } catch (error) {
      sending.call.signal.throwIfAborted()
      if (!(error instanceof ProviderError)) throw error
      if (attempt.original === null || !isSentInstead(error)) {
        const tried = (tries.get(error.code) ?? 0) + 1
        if (tried > (MAX_TRIES[error.code] ?? 0)) throw error
        tries.set(error.code, tried)
      }
      attempt = await nextAttempt(deps, sending, attempt, saved.session, error.code)
    }
  }
}

async function nextAttempt(
  deps: SendDeps,
  { piece, driver, call }: Sending,
  attempt: Attempt,
  session: string | null,
  code: ProviderErrorCode,
): Promise<Attempt> {
  if (code === 'Conflict') return { ...attempt, session, name: null, naming: attempt.naming + 1 }
  // The session is of no further use. A failure to end it is ignored: services end old sessions by themselves.
  const isNeeded = isReferredTo(deps.pool, piece.accountId)
  if (session !== null) await driver.abandon(call, session, isNeeded).catch(() => undefined)
  if (code === 'BadName') return { ...attempt, session: null, name: null, opaque: true }
  if (attempt.original && code !== 'Corrupt') return { ...attempt, session: null, original: null }
  if (code === 'NotFound') {
    await deps.rootFolders.forget(piece.accountId)
    return { ...attempt, session: null, freshFolder: true }
  }
  // Corrupt: the folder may be in the provider's trash. A new name, so that what is left is not taken for the new object.
  await deps.rootFolders.forget(piece.accountId)
  return { ...attempt, session: null, name: null, naming: attempt.naming + 1, freshFolder: true, original: null }
}

async function storeOnce(
  deps: SendDeps,
  sending: Sending,
  attempt: Attempt,
  saved: { session: string | null },
): Promise<StoredObject> {
  const { work, piece, driver, source, call } = sending
  const content = createPieceContent(source, piece, driver.capabilities.hash ?? 'sha256')
  const whole = work.pieces.length === 1 && !attempt.opaque
  const { accountId } = piece
  const account = { accountId, rootFolderRef: attempt.freshFolder ? null : piece.rootFolderRef }
  const parent = await deps.rootFolders.folder(driver, call, account, whole ? 'whole' : 'part')
  const named = { ...work, pieceId: piece.id, index: piece.index, spanned: !whole }
  const name = attempt.name ?? objectName(named, attempt.naming, driver.capabilities)
  const entry = { parent, name, size: piece.size, mimeType: whole ? work.mimeType : null }
  const save = async (session: string) => {
    saved.session = session
    await saveSession(deps, piece.id, { name, session })
  }
  const { original, session } = attempt
  const { onProgress } = sending
  const storing = original
    ? copyOriginal(driver, call, { original, entry, content }, save)
    : driver.put(call, entry, content, { session, save, onProgress, isTaken: isTaken(deps.pool, accountId) })
  const stored = await storing.catch((error: unknown) => {
    call.signal.throwIfAborted()
    throw sourceFailure(content) ?? error
  })
  return verified(deps, sending, stored, content)
}

async function verified(
  deps: SendDeps,
  { driver, call }: Sending,
  stored: Entry,
  content: PieceContent,
): Promise<StoredObject> {
  try {
    const hash = await verifyStored({ driver, clock: deps.clock }, call, stored, content)
    return { ref: stored.ref, hash, path: stored.path ?? null }
  } catch (error) {
    call.signal.throwIfAborted()
    if (error instanceof ProviderError && error.code === 'Corrupt') await driver.delete(call, stored.ref)
    throw sourceFailure(content) ?? error
  }
}

function sourceFailure({ failure }: PieceContent): SourceError | null {
  return failure === undefined ? null : new SourceError('The content could not be read.', { cause: failure })
}

const ROOT_FOLDER = 'Skypool'
/** Inside the root folder: pieces of spanned files, and objects whose names the service refused. */
export const PARTS_FOLDER = 'Parts'

type Account = { readonly accountId: string; readonly rootFolderRef: string | null }

export type RootFolders = {
  /** Skypool's folder in an account for whole files or for parts; created if it is missing. */
  folder(driver: Driver, call: Call, account: Account, kind: 'whole' | 'part'): Promise<EntryRef>
  /** Called when the folder is gone at the provider: the next call of `folder` creates it again. */
  forget(accountId: string): Promise<void>
}

/** Skypool's folders in each account. One lookup per account at a time, so that no folder is created twice. */
export function createRootFolders(pool: Pool): RootFolders {
  const rootFolders = new Map<string, Promise<EntryRef>>()
  const partsFolders = new Map<string, Promise<EntryRef>>()

  const rootOf = (driver: Driver, call: Call, { accountId, rootFolderRef }: Account) =>
    once(rootFolders, accountId, async () => {
      if (rootFolderRef !== null) return rootFolderRef as EntryRef
      const created = await driver.ensureFolder(call, driver.root, ROOT_FOLDER)
      await pool.query('update accounts set home_ref = $2 where id = $1 and home_ref is distinct from $2', [
        accountId,
        created,
      ])
      return created
    })

  return {
    async folder(driver, call, account, kind) {
      const root = await rootOf(driver, call, account)
      if (kind === 'whole') return root
      return once(partsFolders, account.accountId, () => driver.ensureFolder(call, root, PARTS_FOLDER))
    },
    async forget(accountId) {
      rootFolders.delete(accountId)
      partsFolders.delete(accountId)
      await pool.query('update accounts set home_ref = null where id = $1', [accountId])
    },
  }
}

/** Shares one promise per key. A rejected one is not kept. */
function once<Value>(known: Map<string, Promise<Value>>, key: string, load: () => Promise<Value>): Promise<Value> {
  const loading = known.get(key) ?? load()
  known.set(key, loading)
  loading.catch(() => known.delete(key))
  return loading
}
