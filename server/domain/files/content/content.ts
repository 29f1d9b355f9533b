import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { newId } from '../../../lib/ids.ts'
import type { Call, Driver, EntryRef } from '../../../providers/driver.ts'
import { ProviderError } from '../../../providers/errors.ts'
import { type ByteReader, type ByteSource, type Reading, readRange } from '../../../storage/byteSource.ts'
import { ObjectMissingError } from '../../../storage/errors.ts'
import type { ObjectStore } from '../../../storage/objectStore.ts'
import { ContentUnavailableError, NotFoundError } from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import type { ExportedDocument, File } from '../contract.ts'
import type { ChangeDeps } from '../tree/change.ts'
import type { Queryable } from '../tree/entries.ts'
import type { BlockSums } from './blockSums.ts'
import { type BlockOrigin, createBlockReader } from './blocks.ts'
import {
  createFaults,
  createReadBudget,
  type Faults,
  type OpenPart,
  type Part,
  type ReadableCopy,
  type ReadBudget,
} from './copyStream.ts'
import {
  type Content,
  createContentFinder,
  findAgain,
  findContent,
  findContentOfCopy,
  type InPlaceContent,
  unavailable,
} from './findContent.ts'
import { exportDocument, openInPlace, type ReportedHash, withoutBytes } from './inPlace.ts'
import { type Inspection, inspectObject, markSeen, markUnseen } from './seenObjects.ts'
import { markSound, markSuspect, recordOther } from './suspect.ts'

/** Longer than the pauses that services ask for, and shorter than the timeout of a browser. */
const STALL_MS = 20_000

export type ContentDeps = Omit<RemoteDeps, 'budget' | 'stallMs'> & Partial<Pick<RemoteDeps, 'budget' | 'stallMs'>>

/**
 * Reads the bytes of files, wherever they are stored. Bytes from a provider are verified by their block sums before
 * they are passed on.
 */
export type Contents = {
  /**
   * Takes one statement if the bytes are on this server.
   * @throws NotFoundError (also for folders), ContentUnavailableError
   */
  open(viewer: Viewer, id: string): Promise<{ file: File; source: ByteSource }>
  /** As open, with what identifies the content. `original`: never from a protecting copy. @throws as open */
  openVersion(viewer: Viewer, id: string, options?: { readonly original?: boolean }): Promise<OpenedVersion>
  /**
   * A native document in another format, by default the usual one of its kind.
   * @throws NotFoundError (also for folders), ConflictError (not a native document, or it cannot be exported), InvalidInputError (not
   * offered in this type), ContentUnavailableError
   */
  export(viewer: Viewer, id: string, type?: string): Promise<ExportedDocument>
  /**
   * Without a viewer, for making copies. `copyId`: the content of this copy, which another row may have by now (FileVersion).
   * @throws as open
   */
  source(fileId: string, copyId?: string): Promise<ByteSource>
}

/** The account as a whole does not answer or has to be connected again: not what it says about one file. */
function isAccountDown(error: unknown): boolean {
  if (!(error instanceof ContentUnavailableError)) return false
  const { cause } = error
  return cause !== undefined && (!(cause instanceof ProviderError) || !['NotFound', 'Forbidden'].includes(cause.code))
}

/** A content, and what identifies it. */
export type OpenedVersion = {
  readonly file: File
  readonly source: ByteSource
  /** Differs for another content of the same file. */
  readonly version: string
  /** What the account calls this version; null where it has no name for it, and outside of accounts. */
  readonly revision: string | null
  /** Of the whole content; null where an account reports none. */
  readonly hash: ReportedHash | null
}

export function createContent(deps: ContentDeps): Contents {
  const remote: RemoteDeps = { budget: createReadBudget(), stallMs: STALL_MS, ...deps }

  const find = createContentFinder(deps.pool)

  const open = async ({ userId }: Viewer, id: string, original = false): Promise<OpenedVersion> =>
    openContent(await find({ userId, id }), original)

  async function openContent(content: Content, original = false): Promise<OpenedVersion> {
    const { file } = content
    if (content.inPlace && file.isNative) throw withoutBytes(file, content.inPlace)
    if (content.inPlace && original) return openInPlace(remote, file, content.inPlace)
    if (content.inPlace) return openProtected(file, content.inPlace)
    return openStored(content)
  }

  /** What the account cannot send now is read from the copy that protects it. */
  async function openProtected(file: File, place: InPlaceContent): Promise<OpenedVersion> {
    const { protectedBy } = place
    if (protectedBy === null) return openInPlace(remote, file, place)
    const openCopy = async (): Promise<OpenedVersion> => {
      const copy = await openStored(await findContent(deps.pool, protectedBy))
      const { size, updatedAt } = copy.file
      return { ...copy, file: { ...file, size, updatedAt } }
    }
    if (!place.present) return openCopy().catch(() => openInPlace(remote, file, place))
    return openInPlace(remote, file, place).catch(async (error: unknown) => {
      if (!isAccountDown(error)) throw error
      return openCopy().catch(() => {
        throw error
      })
    })
  }

  async function openStored(content: Content): Promise<OpenedVersion> {
    const { file } = content
    const { id } = file
    const isEmpty = file.size === 0
    if (!isEmpty && content.stagedRef === null && content.copies.length === 0) throw await unavailable(deps.pool, id)
    const digest = file.sha256
    const hash = digest === null ? null : ({ algorithm: 'sha256', digest } as const)
    const version = digest ?? JSON.stringify([file.size, file.updatedAt])
    return { file, source: isEmpty ? EMPTY : sourceOf(remote, content), version, revision: null, hash }
  }

  return {
    open: (viewer, id) => open(viewer, id),
    openVersion: (viewer, id, options) => open(viewer, id, options?.original),
    async export({ userId }, id, type) {
      const { file, inPlace } = await find({ userId, id })
      return exportDocument(remote, file, inPlace, type)
    },
    async source(fileId, copyId) {
      const content = await (copyId === undefined
        ? findContent(deps.pool, fileId)
        : findContentOfCopy(deps.pool, copyId))
      return (await openContent(content)).source
    },
  }
}

/** Identifies the content of a file for ETags: its SHA-256, or what its account reports of it. Use the file that `open` returns. */
export function contentTagOf({ id, sha256, size, updatedAt, accountId }: File): string {
  if (sha256 !== null || accountId === null) return String(sha256)
  return createHash('sha256')
    .update(JSON.stringify([id, size, updatedAt.getTime()]))
    .digest('base64url')
}

const EMPTY: ByteSource = {
  size: 0,
  read: () => readRange(EMPTY.open, 0, -1),
  open: async () => ({ read: async () => 0, close: async () => undefined }),
}

/** Bytes on this server are read here; if an object was moved meanwhile, the file is looked up again. */
function sourceOf(deps: RemoteDeps, content: Content): ByteSource {
  const { size } = content.file
  const here = localSource(deps, content)

  async function open(reading: Reading = { start: 0, end: size - 1 }): Promise<ByteReader> {
    if (!here) return createRemoteReader(deps, content, reading)
    return here.open(reading).catch(async (error: unknown) => {
      if (!(error instanceof ObjectMissingError)) throw error
      return openElsewhere(deps, await findAgain(deps.pool, content), reading, error)
    })
  }

  const { address } = here ?? {}
  return { size, address, open, read: (start, end) => readRange(() => open({ start, end }), start, end) }
}

/** Content that is entirely in this server's own storage. */
function localSource({ storage }: RemoteDeps, { stagedRef, copies, file }: Content): ByteSource | null {
  if (stagedRef !== null) return storage.open(stagedRef, file.size)
  const parts = copies.find((copy) => copy.parts.every(({ local }) => local))?.parts
  return parts ? joinPieces(storage, parts, file.size) : null
}

/** Called after an object of this server was missing. @throws the error when there is no other place */
async function openElsewhere(
  deps: RemoteDeps,
  content: Content,
  reading: Reading,
  error: ObjectMissingError,
): Promise<ByteReader> {
  const remote = { ...content, copies: content.copies.filter(({ parts }) => parts.some(({ local }) => !local)) }
  if (remote.copies.length > 0) return createRemoteReader(deps, remote, reading)
  // A transfer has just stored it in its account.
  if (content.inPlace) return (await openInPlace(deps, content.file, content.inPlace)).source.open(reading)
  const here = localSource(deps, content)
  if (!here) throw error
  return here.open(reading)
}

/** Where a range of a file's bytes is. */
export type StoredPiece = { readonly ref: string; readonly offset: number; readonly size: number }

type Storage = Pick<ObjectStore, 'open'>

/** The pieces, in their order, as one content. */
function joinPieces(storage: Storage, pieces: readonly StoredPiece[], size: number): ByteSource {
  const [first] = pieces
  if (first && pieces.length === 1) return storage.open(first.ref, size)
  return {
    size,
    read: (start, end) => Readable.from(chunksOf(storage, pieces, start, end), { objectMode: false }),
    open: async () => createPiecesReader(storage, pieces),
  }
}

/** Reads the pieces that the range overlaps, one after the other; one is open at a time. */
async function* chunksOf(
  storage: Storage,
  pieces: readonly StoredPiece[],
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  for (const { ref, offset, size } of pieces) {
    const from = Math.max(start - offset, 0)
    const to = Math.min(end - offset, size - 1)
    if (from <= to) yield* storage.open(ref, size).read(from, to) as AsyncIterable<Buffer>
  }
}

/** Keeps the last read piece open. */
function createPiecesReader(storage: Storage, pieces: readonly StoredPiece[]): ByteReader {
  let current: { readonly piece: StoredPiece; readonly reader: ByteReader } | undefined

  async function readerOf(piece: StoredPiece): Promise<ByteReader> {
    if (current?.piece === piece) return current.reader
    await current?.reader.close()
    current = undefined
    current = { piece, reader: await storage.open(piece.ref, piece.size).open() }
    return current.reader
  }

  return {
    async read(target, position) {
      const piece = pieces.find(({ offset, size }) => offset <= position && position < offset + size)
      if (!piece) throw new Error('The pieces of a file are shorter than its size.')
      const reader = await readerOf(piece)
      return reader.read(target.subarray(0, piece.offset + piece.size - position), position - piece.offset)
    },
    close: async () => current?.reader.close(),
  }
}

type RemoteDeps = ChangeDeps & {
  readonly storage: Pick<ObjectStore, 'open'>
  /** Rejects with ProviderError ReconnectNeeded for an account that is expired, disconnected or gone. */
  readonly openDriver: (accountId: string) => Promise<Driver>
  /** Records the success or failure of requests to an account. */
  readonly report: { failed(accountId: string, error: ProviderError): void; worked(accountId: string): void }
  readonly budget: ReadBudget
  /** An account that sends nothing for this long in the middle of a response has failed: the next copy is read. */
  readonly stallMs: number
}

/** Reads a range from the copies of a file. Nothing more is fetched after it is closed. */
async function createRemoteReader(deps: RemoteDeps, content: Content, reading: Reading): Promise<ByteReader> {
  const { file, copies } = content
  const [copy] = copies
  if (!copy) throw await unavailable(deps.pool, file.id)
  const sums = await blockSumsOf(deps.pool, file.id, copy.id)

  const ended = new AbortController()
  const abort = () => ended.abort(new Error('The reader was closed.'))
  const close = () => {
    reading.signal?.removeEventListener('abort', abort)
    abort()
  }
  reading.signal?.addEventListener('abort', abort, { once: true })
  if (reading.signal?.aborted) abort()

  const faults = createFaults(copies, outOfReach(content))
  const origin = { ...sums, size: file.size, signal: ended.signal, ...hooksOf(deps, content, faults) }
  return createBlockReader({ origin, copy, budget: deps.budget, start: reading.start, end: reading.end, abort: close })
}

function hooksOf(
  deps: RemoteDeps,
  content: Content,
  faults: Faults,
): Omit<BlockOrigin, keyof BlockSums | 'size' | 'signal'> {
  const { file, userId } = content
  const seen = new Set<string>()
  /** Blocks by suspect copy, in this download; null: it was read correctly again. */
  const suspects = new Map<string, number | null>()
  const owned = { id: file.id, userId }
  const { inspect, ...parts } = createParts(deps)

  /**
   * Only the account's own report makes a copy lost: one that is reported as unchanged stays readable and is checked
   * again later.
   */
  async function checkObject(copy: ReadableCopy, part: Part, block: number): Promise<void> {
    const found = await inspect(part)
    if (found === 'OTHER' || found === 'NOTHING') faults.drop(copy)
    if (found === 'OTHER') return recordOther(deps, part.id)
    if (found === 'NOTHING') return markUnseen(deps, part.id)
    suspects.set(copy.id, block)
    return markSuspect(deps, copy.id, block)
  }

  return {
    faults,
    stallMs: deps.stallMs,
    ...parts,
    async onWorked({ local, accountId, id, unseen }, { id: copyId, suspectBlock }, block) {
      if (!local) deps.report.worked(accountId)
      if (unseen && !seen.has(id)) await markSeen(deps, owned, id)
      if (unseen) seen.add(id)
      const suspect = suspects.has(copyId) ? suspects.get(copyId) : suspectBlock
      if (suspect !== block) return
      suspects.set(copyId, null)
      await markSound(deps, owned, copyId)
    },
    onFailed: ({ local, accountId }, error) => {
      if (!local && error instanceof ProviderError) deps.report.failed(accountId, error)
    },
    onFinding: (finding, { copy, part, block }) =>
      finding === 'UNSEEN' ? markUnseen(deps, part.id) : checkObject(copy, part, block),
    async findNewCopies() {
      try {
        return faults.addCopies((await findAgain(deps.pool, content)).copies)
      } catch (error) {
        if (error instanceof NotFoundError) return false
        throw error
      }
    },
    unavailable: () => unavailable(deps.pool, file.id, faults.errors),
  }
}

/** The longest wait that an account may ask for: short before the first byte, longer for later ones. */
const FIRST_PATIENCE_MS = 5_000
const PATIENCE_MS = 30_000

/** For checking an object: a reader waits for it, and the account has just failed. */
const STAT_TIMEOUT_MS = 2_000
/** Statuses that may mean a range beyond the object; transport errors have others. */
const OUT_OF_RANGE = new Set<number | undefined>([200, 206, 416])

type Parts = Pick<BlockOrigin, 'openPart' | 'isReplaced'> & {
  /** What the account of a part reports; null when it does not respond. */
  inspect(part: Part): Promise<Inspection | null>
}

/** Opens parts for one download: each account is looked up once. */
function createParts({ storage, openDriver }: RemoteDeps): Parts {
  const drivers = new Map<string, Promise<Driver>>()
  const requestId = newId()
  let hasBegun = false

  function driverOf(accountId: string): Promise<Driver> {
    const known = drivers.get(accountId)
    if (known) return known
    const opening = openDriver(accountId)
    drivers.set(accountId, opening)
    opening.catch(() => drivers.delete(accountId))
    return opening
  }

  // Only refs that this driver has issued are stored.
  const openPart: OpenPart = async ({ local, accountId, ref, size }, start, end, call) => {
    if (local) return storage.open(ref, size).read(start, end)
    const driver = await driverOf(accountId)
    const patienceMs = hasBegun ? PATIENCE_MS : FIRST_PATIENCE_MS
    const { body } = await driver.get({ ...call, requestId, patienceMs }, ref as EntryRef, { start, end })
    hasBegun = true
    return body
  }
  const statCall = (): Call => ({
    signal: AbortSignal.timeout(STAT_TIMEOUT_MS),
    requestId,
    patienceMs: STAT_TIMEOUT_MS,
  })

  return {
    openPart,
    async isReplaced({ local, accountId, ref, size }, error) {
      if (local || !(error instanceof ProviderError) || !OUT_OF_RANGE.has(error.where.status)) return false
      const driver = await driverOf(accountId)
      const seen = await driver.stat(statCall(), ref as EntryRef).catch(() => null)
      return seen !== null && seen.size !== size
    },
    async inspect(part) {
      try {
        return await inspectObject(await driverOf(part.accountId), statCall(), part)
      } catch {
        return null
      }
    },
  }
}

function outOfReach({ copies }: Content): ReadonlySet<string> {
  const away = copies.filter(({ present }) => !present)
  return new Set(away.flatMap(({ parts }) => parts.map(({ accountId }) => accountId)))
}

/** By a copy, because the file may have another content by now. @throws when there are none: without them no byte of a provider can be verified */
async function blockSumsOf(sql: Queryable, fileId: string, copyId: string): Promise<BlockSums> {
  const { rows } = await sql.query<BlockSums>({
    name: 'files block sums',
    text: `select block_size as "blockSize", sums from block_sums
      where file_id = coalesce((select file_id from copies where id = $2), $1)`,
    values: [fileId, copyId],
  })
  const [sums] = rows
  if (!sums) throw new Error('A file at a provider has no block sums.')
  return sums
}
