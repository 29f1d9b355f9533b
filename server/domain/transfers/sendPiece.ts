import type { Call, Driver, Entry } from '../../providers/driver.ts'
import { ProviderError, type ProviderErrorCode } from '../../providers/errors.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import type { RootFolders } from '../accounts/rootFolders.ts'
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
  const parent = await deps.rootFolders.folder(driver, call, account, whole ? 'WHOLE' : 'PARTS')
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

export function sourceFailure({ failure }: PieceContent): SourceError | null {
  return failure === undefined ? null : new SourceError('The content could not be read.', { cause: failure })
}
