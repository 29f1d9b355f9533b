import type { Call, Driver, Entry } from '../../providers/driver.ts'
import { ProviderError, type ProviderErrorCode } from '../../providers/errors.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import { isReferredTo, isTaken, objectName } from '../files/content/objects.ts'
import { openSession, saveSession } from '../files/content/sessions.ts'
import type { EngineDeps } from './deps.ts'
import { copyOriginal, findOriginal, isSentInstead, type Original } from './original.ts'
import { createPieceContent, type PieceContent, verifyStored } from './pieceContent.ts'
import type { RootFolders } from './rootFolders.ts'
import type { PieceWork, TransferWork } from './work.ts'

/** What is to be sent, and where from. */
export type Sending = {
  readonly work: TransferWork
  readonly piece: PieceWork
  readonly driver: Driver
  readonly source: ByteSource
  readonly call: Call
  readonly onProgress: (committedBytes: number) => void
}

/** An object that was verified. */
export type StoredObject = { readonly ref: string; readonly hash: string | null; readonly path: string | null }

/** The content could not be read; its cause says why. */
export class SourceError extends Error {
  override readonly name = 'SourceError'
}

/** How often each thing is tried in another way before the error goes up. */
const MOST: Readonly<Partial<Record<ProviderErrorCode, number>>> = { Conflict: 5, NotFound: 1, BadName: 1, Corrupt: 1 }

type SendDeps = Pick<EngineDeps, 'pool' | 'encryption' | 'clock'> & { readonly rootFolders: RootFolders }

/** How the next try differs from the first. */
type Way = {
  readonly naming: number
  /** The name that was asked for before; null: the one that `naming` makes. */
  readonly name: string | null
  readonly opaque: boolean
  readonly freshHome: boolean
  readonly session: string | null
  /** What the service can copy; null: the bytes are sent. */
  readonly original: Original | null
}

/**
 * Stores a piece and verifies it. Continues the piece's session; a name that is taken gets a marker, a folder that is gone is
 * made again, and what arrived wrong is removed and sent once more. What its account has already is copied there, and sent only
 * where that fails.
 * @throws ProviderError, SourceError, and the signal's reason once it is aborted
 */
export async function sendPiece(deps: SendDeps, sending: Sending): Promise<StoredObject> {
  const { piece, work, driver } = sending
  const tries = new Map<ProviderErrorCode, number>()
  const saved = openSession(deps.encryption, piece)
  const { name, session } = saved ?? { name: null, session: null }
  const original = saved ? null : await findOriginal(deps.pool, work, piece, driver)
  let way: Way = { naming: 0, name, opaque: false, freshHome: false, session, original }
  for (;;) {
    const saved = { session: way.session }
    try {
      return await storeOnce(deps, sending, way, saved)
    } catch (error) {
      sending.call.signal.throwIfAborted()
      if (!(error instanceof ProviderError)) throw error
      if (way.original === null || !isSentInstead(error)) {
        const tried = (tries.get(error.code) ?? 0) + 1
        if (tried > (MOST[error.code] ?? 0)) throw error
        tries.set(error.code, tried)
      }
      way = await nextWay(deps, sending, way, saved.session, error.code)
    }
  }
}

async function nextWay(
  deps: SendDeps,
  { piece, driver, call }: Sending,
  way: Way,
  session: string | null,
  code: ProviderErrorCode,
): Promise<Way> {
  if (code === 'Conflict') return { ...way, session, name: null, naming: way.naming + 1 }
  // Whatever the session still holds is of no use; services end old ones by themselves too.
  const isNeeded = isReferredTo(deps.pool, piece.accountId)
  if (session !== null) await driver.abandon(call, session, isNeeded).catch(() => undefined)
  if (code === 'BadName') return { ...way, session: null, name: null, opaque: true }
  if (way.original && code !== 'Corrupt') return { ...way, session: null, original: null }
  if (code === 'NotFound') {
    await deps.rootFolders.forget(piece.accountId)
    return { ...way, session: null, freshHome: true }
  }
  // It may have gone into a folder that is in the provider's trash. What is left of it must not be taken for the new object.
  await deps.rootFolders.forget(piece.accountId)
  return { ...way, session: null, name: null, naming: way.naming + 1, freshHome: true, original: null }
}

async function storeOnce(
  deps: SendDeps,
  sending: Sending,
  way: Way,
  saved: { session: string | null },
): Promise<StoredObject> {
  const { work, piece, driver, source, call } = sending
  const content = createPieceContent(source, piece, driver.capabilities.hash ?? 'sha256')
  const whole = work.pieces.length === 1 && !way.opaque
  const account = { accountId: piece.accountId, homeRef: way.freshHome ? null : piece.homeRef }
  const parent = await deps.rootFolders.folder(driver, call, account, whole ? 'whole' : 'part')
  const named = { ...work, pieceId: piece.id, index: piece.index, spanned: !whole }
  const name = way.name ?? objectName(named, way.naming, driver.capabilities)
  const entry = { parent, name, size: piece.size, mimeType: whole ? work.mimeType : null }
  const save = async (session: string) => {
    saved.session = session
    await saveSession(deps, piece.id, { name, session })
  }
  const { original, session } = way
  const { onProgress } = sending
  const storing = original
    ? copyOriginal(driver, call, { original, entry, content }, save)
    : driver.put(call, entry, content, {
        ...{ session, save, onProgress },
        isTaken: isTaken(deps.pool, piece.accountId),
      })
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
