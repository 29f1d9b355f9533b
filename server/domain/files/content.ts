import type { ByteSource } from '../../storage/byteSource.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import { NotFoundError } from '../errors.ts'
import type { File } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import type { Queryable } from './lookup.ts'
import { joinPieces, type StoredPiece } from './pieces.ts'
import { FILE_COLUMNS, type FileRow, toFile } from './rows.ts'

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
  return { file: toFile(row), source: joinPieces(storage, pieces, row.size) }
}
