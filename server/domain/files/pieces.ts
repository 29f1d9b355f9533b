import { Readable } from 'node:stream'
import type { ByteReader, ByteSource } from '../../storage/byteSource.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'

/** Where a range of a file's bytes is. */
export type StoredPiece = { readonly ref: string; readonly offset: number; readonly size: number }

type Storage = Pick<ObjectStore, 'open'>

/** The pieces, in their order, as one content. */
export function joinPieces(storage: Storage, pieces: readonly StoredPiece[], size: number): ByteSource {
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
