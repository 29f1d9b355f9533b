import { Readable } from 'node:stream'
import type { ByteReader, ByteSource, Reading } from '../../../storage/byteSource.ts'
import { ObjectMissingError } from '../../../storage/errors.ts'
import type { ObjectStore } from '../../../storage/objectStore.ts'
import { readRange } from '../../../storage/readRange.ts'
import type { Viewer } from '../../viewer.ts'
import type { File } from '../contract.ts'
import { type Content, findContent, unavailable } from './findContent.ts'
import { createReadBudget } from './readBudget.ts'
import { createRemoteReader, type RemoteDeps } from './remote.ts'

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

/** The pieces one after the other, as far as the range touches them; one is open at a time. */
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

/** Keeps open the piece that was read last. */
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
      if (!piece) throw new Error('The pieces of a file end before its row says.')
      const reader = await readerOf(piece)
      return reader.read(target.subarray(0, piece.offset + piece.size - position), position - piece.offset)
    },
    close: async () => current?.reader.close(),
  }
}

/** Longer than any service pauses, and shorter than the patience of a browser. */
const STALL_MS = 20_000

export type ContentDeps = Omit<RemoteDeps, 'budget' | 'stallMs'> & Partial<Pick<RemoteDeps, 'budget' | 'stallMs'>>

/** The bytes of files, wherever they are. What a provider returns is held against the sums of its blocks before it goes on. */
export type Contents = {
  /** By one statement as long as the bytes are here. @throws NotFoundError (also for folders), ContentUnavailableError */
  open(viewer: Viewer, id: string): Promise<{ file: File; source: ByteSource }>
  /** On nobody's behalf, for copies to be made from. @throws as open */
  source(fileId: string): Promise<ByteSource>
}

export function createContent(deps: ContentDeps): Contents {
  const remote: RemoteDeps = { budget: createReadBudget(), stallMs: STALL_MS, ...deps }

  async function open(userId: string | null, id: string) {
    const content = await findContent(deps.pool, userId, id)
    const { file } = content
    const isEmpty = file.size === 0
    if (!isEmpty && content.stagedRef === null && content.copies.length === 0) throw await unavailable(deps.pool, id)
    return { file, source: isEmpty ? EMPTY : sourceOf(remote, content) }
  }

  return {
    open: ({ userId }, id) => open(userId, id),
    source: async (fileId) => (await open(null, fileId)).source,
  }
}

const EMPTY: ByteSource = {
  size: 0,
  read: () => readRange(EMPTY.open, 0, -1),
  open: async () => ({ read: async () => 0, close: async () => undefined }),
}

/** What is here is read here; where an object is gone meanwhile, because it was moved on, the file is looked up again. */
function sourceOf(deps: RemoteDeps, content: Content): ByteSource {
  const { id, size } = content.file
  const here = localSource(deps, content)

  async function open(reading: Reading = { start: 0, end: size - 1 }): Promise<ByteReader> {
    if (!here) return createRemoteReader(deps, content, reading)
    return here.open(reading).catch(async (error: unknown) => {
      if (!(error instanceof ObjectMissingError)) throw error
      return openElsewhere(deps, await findContent(deps.pool, null, id), reading, error)
    })
  }

  return { size, open, read: (start, end) => readRange(() => open({ start, end }), start, end) }
}

/** Content that is entirely in this server's own storage. */
function localSource({ storage }: RemoteDeps, { stagedRef, copies, file }: Content): ByteSource | null {
  if (stagedRef !== null) return storage.open(stagedRef, file.size)
  const parts = copies.find((copy) => copy.parts.every(({ local }) => local))?.parts
  return parts ? joinPieces(storage, parts, file.size) : null
}

/** After an object of this server was missing. @throws the error when there is no other place */
async function openElsewhere(
  deps: RemoteDeps,
  content: Content,
  reading: Reading,
  error: ObjectMissingError,
): Promise<ByteReader> {
  const remote = { ...content, copies: content.copies.filter(({ parts }) => parts.some(({ local }) => !local)) }
  if (remote.copies.length > 0) return createRemoteReader(deps, remote, reading)
  const here = localSource(deps, content)
  if (!here) throw error
  return here.open(reading)
}
