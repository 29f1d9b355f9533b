import { Readable } from 'node:stream'
import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import type { Clock } from '../../lib/clock.ts'
import { createContentHash } from '../../lib/contentHash.ts'
import type {
  Call,
  Content,
  CopyProgress,
  Driver,
  Entry,
  EntryRef,
  HashAlgorithm,
  NewEntry,
} from '../../providers/driver.ts'
import { ProviderError, type ProviderErrorCode } from '../../providers/errors.ts'
import type { ByteSource } from '../../storage/byteSource.ts'
import type { RootFolders } from '../accounts/credentials.ts'
import { objectName } from '../files/content/objectNames.ts'
import { dropSession, encryptSession, leaveRemnants, openSession, type Unverified } from '../files/content/removals.ts'
import { hashObject, isReferredTo, isSame, isTaken } from '../files/content/seenObjects.ts'
import type { EngineDeps } from './contract.ts'
import { PieceGoneError, type PieceWork, type StoredObject, saveSession, type TransferWork } from './work.ts'

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

type SendDeps = Pick<EngineDeps, 'pool' | 'encryption' | 'clock' | 'enqueue'> & { readonly rootFolders: RootFolders }

/** How one attempt differs from the first. */
type Attempt = {
  /** Number of names that were already in use. */
  readonly naming: number
  /** The name of the saved session; null: the one that `naming` makes. */
  readonly name: string | null
  /** Whether the object is stored under an id, because the service refused the file's name, or changes contents by their name. */
  readonly opaque: boolean
  /** Whether the folder is looked up again, because the known one is gone. */
  readonly freshFolder: boolean
  readonly session: string | null
  /** The object that the service copies; null: the bytes are sent. */
  readonly original: Original | null
  /** What an earlier run has stored, and could not verify. */
  readonly unverified: Unverified | null
}

/**
 * Stores a piece at its provider and verifies it. Continues the saved session. A name in use gets a number, a deleted folder is
 * created again, and corrupt data is deleted and sent once more, under an id where the service changes files by their names. An
 * object that the account already has is copied by the service, and sent only if that fails.
 * @throws ProviderError, SourceError, and the signal's reason once it is aborted
 */
export async function sendPiece(deps: SendDeps, sending: Sending): Promise<StoredObject> {
  const { piece, work, driver } = sending
  const tries = new Map<ProviderErrorCode, number>()
  const saved = openSession(deps.encryption, piece)
  const { name, session, unverified = null } = saved ?? { name: null, session: null }
  const original = saved ? null : await findOriginal(deps.pool, work, piece, driver)
  const naming = saved === null && (await isNameOfVersion(deps.pool, work, piece, driver)) ? 1 : 0
  let attempt: Attempt = { naming, name, opaque: false, freshFolder: false, session, original, unverified }
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
      attempt = { ...(await nextAttempt(deps, sending, attempt, saved.session, error.code)), unverified: null }
    }
  }
}

async function nextAttempt(
  deps: SendDeps,
  { work, piece, driver, call }: Sending,
  attempt: Attempt,
  session: string | null,
  code: ProviderErrorCode,
): Promise<Attempt> {
  if (code === 'Conflict') return { ...attempt, session, name: null, naming: attempt.naming + 1 }
  // The session is of no further use.
  const isNeeded = isReferredTo(deps.pool, piece.accountId)
  // Under the same name, what the next attempt stores could be taken for what the session has stored: it is not ended later.
  const isRenamed = code === 'Corrupt' || code === 'BadName'
  if (session !== null && isRenamed) {
    await driver.abandon(call, session, isNeeded).catch(() => abandonLater(deps, piece, session))
  } else if (session !== null) {
    await dropSession(driver, call, session, isNeeded)
  }
  if (code === 'BadName') return { ...attempt, session: null, name: null, opaque: true }
  if (attempt.original && code !== 'Corrupt') return { ...attempt, session: null, original: null }
  if (code === 'NotFound') {
    await deps.rootFolders.forget(piece.accountId)
    return { ...attempt, session: null, freshFolder: true }
  }
  // Corrupt: the folder may be in the provider's trash. A new name, so that what is left is not taken for the new object.
  await deps.rootFolders.forget(piece.accountId)
  const opaque = attempt.opaque || driver.capabilities.rewrites?.(work.fileName) === true
  return {
    ...attempt,
    session: null,
    name: null,
    naming: attempt.naming + 1,
    freshFolder: true,
    original: null,
    opaque,
  }
}

/** Queues the end of a session that could not be ended now. */
async function abandonLater(
  { pool, enqueue, encryption }: SendDeps,
  { id: pieceId, accountId }: PieceWork,
  session: string,
): Promise<void> {
  const encrypted = encryptSession(encryption, pieceId, { name: '', session })
  const remnant = { accountId, pieceId, objectRef: null, session: encrypted, size: null, hash: null }
  await transaction(pool, (tx) => leaveRemnants(tx, enqueue, [remnant]))
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
    await saveSession(deps, piece, { name, session })
  }
  const { original, session, unverified } = attempt
  if (unverified) return verified(deps, sending, unverified, content)
  const { onProgress } = sending
  const storing = original
    ? copyOriginal(driver, call, { original, entry, content }, save)
    : driver.put(call, entry, content, { session, save, onProgress, isTaken: isTaken(deps.pool, accountId) })
  const stored = await storing.catch((error: unknown) => {
    call.signal.throwIfAborted()
    throw sourceFailure(content) ?? error
  })
  const { ref, path = null, size } = stored
  const hash = stored.hash && driver.capabilities.hash ? `${driver.capabilities.hash}:${stored.hash}` : null
  // Without it, an object that this run does not verify before the server stops would never be deleted.
  if (saved.session !== null) {
    const known = { name, session: saved.session, unverified: { ref, path, size, hash } }
    // Of a piece that is gone, the object is deleted once this has returned.
    await saveSession(deps, piece, known).catch(unlessGone)
  }
  return verified(deps, sending, { ref, path }, content)
}

function unlessGone(error: unknown): void {
  if (!(error instanceof PieceGoneError)) throw error
}

async function verified(
  deps: SendDeps,
  { driver, call }: Sending,
  { ref, path }: Pick<Unverified, 'ref' | 'path'>,
  content: PieceContent,
): Promise<StoredObject> {
  try {
    const hash = await verifyStored({ driver, clock: deps.clock }, call, { ref }, content)
    return { ref, hash, path }
  } catch (error) {
    call.signal.throwIfAborted()
    if (error instanceof ProviderError && error.code === 'Corrupt') await driver.delete(call, ref)
    throw sourceFailure(content) ?? error
  }
}

export function sourceFailure({ failure }: PieceContent): SourceError | null {
  return failure === undefined ? null : new SourceError('The content could not be read.', { cause: failure })
}

/** A range of a file as a driver reads it. */
export type PieceContent = Content & {
  /** The error that ended the last read of the source, if any: such a failure is not a provider error. */
  readonly failure: unknown
  /**
   * The hash of all bytes in lower-case hex. Reuses what was computed while they were sent, and reads the source otherwise.
   * Rejects with the error of the source.
   */
  digest(): Promise<string>
}

type Range = { readonly offset: number; readonly size: number }

/** Bytes `offset` to `offset + size` of `source`, hashed while they are read. */
export function createPieceContent(source: ByteSource, range: Range, algorithm: HashAlgorithm): PieceContent {
  let failure: unknown
  let digest: string | undefined

  async function* read(start: number): AsyncGenerator<Buffer> {
    failure = undefined
    const hash = start === 0 ? createContentHash(algorithm) : null
    let left = range.size - start
    try {
      if (left > 0) {
        const bytes = source.read(range.offset + start, range.offset + range.size - 1)
        for await (const chunk of bytes as AsyncIterable<Buffer>) {
          hash?.update(chunk)
          left -= chunk.length
          // Set before the last chunk is yielded: a driver need not read the stream to its end.
          if (left === 0) digest ??= hash?.digest()
          yield chunk
        }
      }
      if (left !== 0) throw new Error('The content of a file is not as long as its row says.')
      digest ??= hash?.digest()
    } catch (error) {
      failure = error
      throw error
    }
  }

  return {
    size: range.size,
    get failure() {
      return failure
    },
    open: (start) => Readable.from(read(start), { objectMode: false }),
    async digest() {
      if (digest === undefined) for await (const chunk of read(0)) void chunk
      if (digest === undefined) throw new Error('A content ended without its hash.')
      return digest
    },
  }
}

/** A verified object that holds a whole file with the same content. */
export type Original = {
  readonly ref: EntryRef
  readonly size: number
  /** `<algorithm>:<digest>`; null where its service reports none. */
  readonly hash: string | null
}

const FIND_ORIGINAL = {
  name: 'transfers-find-original',
  text: `select p.object_ref as ref, p.size::float8 as size, p.hash
    from files f join files o on o.id = f.copied_from and o.user_id = f.user_id and o.size = f.size and o.sha256 = f.sha256
        and o.purged_at is null
      join copies c on c.file_id = o.id and c.state = 'STORED' and c.suspect_since is null
      join pieces p on p.copy_id = c.id and p.account_id = $2 and p.state = 'STORED' and p.object_ref is not null
        and p.size = f.size and p.missing_since is null and p.changed_at is null
    where f.id = $1 limit 1`,
}

/** The object in the piece's account that the service can copy; null when the bytes have to be sent. */
async function findOriginal(
  pool: Pool,
  work: TransferWork,
  piece: PieceWork,
  driver: Driver,
): Promise<Original | null> {
  const isWhole = work.pieces.length === 1 && piece.size === work.fileSize && piece.size > 0
  if (!driver.copy || !work.isCopied || !isWhole) return null
  const { rows } = await pool.query<Original>({ ...FIND_ORIGINAL, values: [work.fileId, piece.accountId] })
  return rows[0] ?? null
}

const FIND_VERSION = {
  name: 'transfers-find-version',
  text: `select from files v join copies c on c.file_id = v.id
      join pieces p on p.copy_id = c.id and p.account_id = $2 and p.object_ref is not null
    where v.parent_id = $1 and v.is_version limit 1`,
}

/** Whether an earlier version of the file has its name in the account: some services say so only when they have all bytes. */
async function isNameOfVersion(
  pool: Pool,
  { fileId, pieces }: TransferWork,
  { accountId }: PieceWork,
  { capabilities }: Driver,
): Promise<boolean> {
  if (capabilities.duplicateNames || pieces.length > 1) return false
  return (await pool.query({ ...FIND_VERSION, values: [fileId, accountId] })).rowCount === 1
}

/**
 * Has the service copy the original, after checking that it is unchanged.
 * @throws ProviderError; NotFound also when the original has changed or the service cannot copy
 */
async function copyOriginal(
  driver: Driver,
  call: Call,
  { original, entry, content }: { original: Original; entry: NewEntry; content: PieceContent },
  save: CopyProgress['save'],
): Promise<Entry> {
  const { capabilities, copy, kind } = driver
  const seen = await driver.stat(call, original.ref)
  if (!copy || !isSame(original, seen, capabilities.hash)) {
    throw new ProviderError('NotFound', { provider: kind, operation: 'copy' }, { message: 'The object has changed.' })
  }
  return copy(call, original.ref, entry, { hash: await content.digest(), save })
}

const SENT_INSTEAD: ReadonlySet<ProviderErrorCode> = new Set(['NotFound', 'Forbidden', 'Permanent', 'Corrupt'])

/** Whether the bytes should be sent, because the service did not copy the original or made a wrong copy. */
function isSentInstead({ code }: ProviderError): boolean {
  return SENT_INSTEAD.has(code)
}

/** Pauses before each check of a new object, for services that show it late. */
const STAT_AFTER_MS = [0, 1_000, 3_000] as const

/**
 * Checks what the provider has stored, whatever it answered to the upload: size and hash, or all bytes where it reports no hash.
 * @returns `<algorithm>:<digest>` as the provider reported it, or null where it reports none
 * @throws ProviderError Corrupt when the object is missing or differs
 */
export async function verifyStored(
  { driver, clock }: { driver: Driver; clock: Clock },
  call: Call,
  stored: Pick<Entry, 'ref'>,
  content: PieceContent,
): Promise<string | null> {
  const seen = await statStored(driver, clock, call, stored)
  if (seen === null) throw corrupt(driver, 'The stored object is missing.')
  if (driver.capabilities.altersContent) return null
  if (seen.size !== content.size) throw corrupt(driver, `${seen.size} of ${content.size} bytes were stored.`)
  const expected = await content.digest()
  const { hash: algorithm } = driver.capabilities
  if (algorithm !== null && seen.hash !== null) {
    if (seen.hash !== expected) throw corrupt(driver, 'The stored bytes have another hash.')
    return `${algorithm}:${seen.hash}`
  }
  if ((await hashObject(driver, call, { ref: stored.ref, size: content.size }, algorithm ?? 'sha256')) !== expected) {
    throw corrupt(driver, 'The bytes read back differ from those sent.')
  }
  return null
}

async function statStored(
  driver: Driver,
  clock: Clock,
  call: Call,
  { ref }: Pick<Entry, 'ref'>,
): Promise<Entry | null> {
  for (const pause of STAT_AFTER_MS) {
    if (pause > 0) await clock.sleep(pause, call.signal)
    const seen = await driver.stat(call, ref).catch((error: unknown) => {
      if (error instanceof ProviderError && error.code === 'NotFound') return null
      throw error
    })
    if (seen !== null) return seen
  }
  return null
}

function corrupt(driver: Driver, message: string): ProviderError {
  return new ProviderError('Corrupt', { provider: driver.kind, operation: 'verify' }, { message })
}
