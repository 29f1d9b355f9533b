import { HAS_OTHER_OR_BROWSER_PICTURE } from '../files/content/browserPictures.ts'
import type { File } from '../files/contract.ts'
import { FILE_COLUMNS, type FileRow, type Queryable, ROOT, toFile } from '../files/tree/entries.ts'
import type { Viewer } from '../viewer.ts'

/** Files of a folder among which the newest that can be drawn are looked for, so that a folder of any size costs the same. */
const NEWEST = 60
/** Pictures on the tile of a folder. */
const FOLDER_PICTURES = 4

const RECENT = {
  name: 'newest files of folders that can be drawn',
  text: `select p.id as folder, ${FILE_COLUMNS} from unnest($2::uuid[]) as p(id)
    join files parent on parent.id = p.id and parent.user_id = $1 and parent.kind = 'FOLDER' and parent.purged_at is null
    cross join lateral (
      select * from (
        select * from files c where c.user_id = $1 and coalesce(c.parent_id, '${ROOT}') = p.id and c.kind = 'FILE'
          and c.trashed_at is null and c.purged_at is null
        order by c.updated_at desc, c.id desc limit ${NEWEST}) as newest
      where newest.category in ('IMAGE', 'VIDEO', 'PDF', 'TEXT', 'DOCUMENT', 'SPREADSHEET', 'PRESENTATION')
      order by newest.updated_at desc, newest.id desc) as f
    where ${HAS_OTHER_OR_BROWSER_PICTURE}`,
}

/** The newest files of each folder that may have a thumbnail, at most four of each, in one statement. */
export async function newestPictures(
  sql: Queryable,
  { userId }: Viewer,
  folderIds: readonly string[],
  mayHave: (file: File) => boolean,
): Promise<Map<string, File[]>> {
  const { rows } = await sql.query<FileRow & { folder: string }>({ ...RECENT, values: [userId, folderIds] })
  const found = new Map<string, File[]>(folderIds.map((id) => [id, []]))
  for (const row of rows) {
    const file = toFile(row)
    const pictures = found.get(row.folder)
    if (pictures && pictures.length < FOLDER_PICTURES && mayHave(file)) pictures.push(file)
  }
  return found
}
