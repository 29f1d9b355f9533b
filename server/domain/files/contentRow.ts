import { NotFoundError } from '../errors.ts'
import type { File } from '../services.ts'
import { presentSql } from './accountLoss.ts'
import type { ReadableCopy } from './copyStream.ts'
import type { Queryable } from './lookup.ts'
import { FILE_COLUMNS, type FileRow, toFile } from './rows.ts'

/** A copy that can be read; `present`: none of its accounts was out of reach lately. */
export type FoundCopy = ReadableCopy & { readonly present: boolean }

/** A file and everywhere its bytes are. */
export type Content = {
  readonly file: File
  readonly userId: string
  readonly stagedRef: string | null
  /** Those to try first come first. */
  readonly copies: readonly FoundCopy[]
}

type Row = FileRow & {
  readonly user_id: string
  readonly staged_ref: string | null
  readonly copies: FoundCopy[] | null
}

/**
 * A copy of this server comes first: it costs no provider anything. Then come those that were read wrong, and last those that an
 * account did not find any more: both may be well again.
 */
const CONTENT = `select ${FILE_COLUMNS}, f.user_id, f.staged_ref, (
    select json_agg(json_build_object('id', c.id, 'present', p.present, 'parts', p.parts, 'suspectBlock', c.suspect_block)
      order by c.state = 'STORED' desc, c.suspect_since is null desc, p.local desc, p.present desc, c.created_at, c.id)
    from copies c cross join lateral (
      select bool_and(${presentSql('a')}) as present, bool_and(a.provider = 'local') as local,
        bool_and(p.state = 'STORED' and a.status = 'CONNECTED' and a.disconnected_at is null) as readable,
        bool_or(p.missing_since is not null) as unseen,
        json_agg(json_build_object('id', p.id, 'accountId', p.account_id, 'local', a.provider = 'local',
          'ref', p.object_ref, 'offset', p.offset, 'size', p.size, 'hash', p.hash, 'unseen', p.missing_since is not null) order by p.index) as parts
      from pieces p join accounts a on a.id = p.account_id where p.copy_id = c.id) p
    where c.file_id = f.id and (c.state = 'STORED' or c.state = 'MISSING' and p.unseen) and p.readable) as copies
  from files f where f.kind = 'FILE' and f.purged_at is null and `

/** @throws NotFoundError, also for folders; `userId` null asks on nobody's behalf */
export async function findContent(sql: Queryable, userId: string | null, id: string): Promise<Content> {
  const { rows } = await sql.query<Row>(
    userId === null
      ? { name: 'files content', text: `${CONTENT} f.id = $1`, values: [id] }
      : { name: 'files open', text: `${CONTENT} f.id = $2 and f.user_id = $1`, values: [userId, id] },
  )
  const row = rows[0]
  if (!row) throw new NotFoundError()
  return { file: toFile(row), userId: row.user_id, stagedRef: row.staged_ref, copies: row.copies ?? [] }
}
