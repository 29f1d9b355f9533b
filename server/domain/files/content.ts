import { Readable } from 'node:stream'
import type { ByteSource } from '../../storage/byteSource.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import { NotFoundError } from '../errors.ts'
import type { File } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import type { Queryable } from './lookup.ts'
import { FILE_COLUMNS, type FileRow, toFile } from './rows.ts'

/** Where a range of a file's bytes is. */
type StoredPiece = { readonly ref: string; readonly offset: number; readonly size: number }

export type ContentDeps = { readonly pool: Queryable; readonly storage: Pick<ObjectStore, 'open'> }

/** A file and its bytes, by one statement. @throws NotFoundError, also for folders */
export async function openContent(
  { pool, storage }: ContentDeps,
  viewer: Viewer,
  id: string,
): Promise<{ file: File; source: ByteSource }> {
  const { rows } = await pool.query<FileRow & { pieces: StoredPiece[] | null }>({
    name: 'files open',
    text: `select ${FILE_COLUMNS}, (
        select json_agg(json_build_object('ref', p.object_ref, 'offset', p.offset, 'size', p.size) order by p.index)
        from pieces p where p.copy_id = (
          select c.id from copies c where c.file_id = f.id and c.state = 'STORED' order by c.created_at, c.id limit 1)
      ) as pieces
      from files f where f.id = $2 and f.user_id = $1 and f.kind = 'FILE' and f.purged_at is null`,
    values: [viewer.userId, id],
  })
  const row = rows[0]
  if (!row) throw new NotFoundError()
  const pieces = row.pieces ?? []
  if (row.size > 0 && pieces.length === 0) throw new NotFoundError('The content of this file is missing.')
  return { file: toFile(row), source: sourceOf(storage, pieces, row.size) }
}

function sourceOf(storage: Pick<ObjectStore, 'open'>, pieces: readonly StoredPiece[], size: number): ByteSource {
  const [first] = pieces
  if (first && pieces.length === 1) return storage.open(first.ref, size)
  return { size, read: (start, end) => Readable.from(chunksOf(storage, pieces, start, end), { objectMode: false }) }
}

/** The pieces one after the other, as far as the range touches them; one is open at a time. */
async function* chunksOf(
  storage: Pick<ObjectStore, 'open'>,
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
