import type { Queryable } from '../files/lookup.ts'
import type { ListTransfers, Transfer } from '../services.ts'
import { timeCursor } from '../timeCursor.ts'

type Row = Omit<Transfer, 'bytesPerSecond'>

const COLUMNS = `t.id, t.file_id as "fileId", f.name as "fileName", f.mime_type as "mimeType", t.kind, t.state, t.total_bytes::float8 as "totalBytes",
  t.sent_bytes::float8 as "sentBytes", coalesce(c.why, '') as why, t.error, t.next_try_at as "nextTryAt",
  t.created_at as "createdAt", t.ended_at as "endedAt", array(
    select p.account_id::text from pieces p where p.copy_id = t.copy_id group by p.account_id order by min(p.index)
  ) as "accountIds"`
const FROM = 'from transfers t join files f on f.id = t.file_id left join copies c on c.id = t.copy_id'

const OPEN = `t.state in ('WAITING', 'RUNNING', 'PAUSED', 'PARKED', 'FAILED')`
const ENDED_LATELY = `t.ended_at > now() - interval '24 hours'`
const MOST = 200

const LIST_OPEN = {
  name: 'transfers-list-open',
  text: `select ${COLUMNS} ${FROM} where t.user_id = $1 and f.purged_at is null and ${OPEN}
    order by t.created_at desc, t.id desc limit ${MOST}`,
}
const LIST_OVER = {
  name: 'transfers-list-over',
  text: `select ${COLUMNS} ${FROM} where t.user_id = $1 and f.purged_at is null and not ${OPEN}
    and ${ENDED_LATELY} order by t.created_at desc, t.id desc limit ${MOST}`,
}
const GET = {
  name: 'transfers-get',
  text: `select ${COLUMNS} ${FROM} where t.user_id = $1 and t.id = any($2::uuid[]) and f.purged_at is null`,
}

/** Newest first. What is open comes before what is over when there are too many. */
export async function listTransfers(sql: Queryable, userId: string, open: boolean | undefined): Promise<Row[]> {
  const current = open === false ? [] : (await sql.query<Row>({ ...LIST_OPEN, values: [userId] })).rows
  const over = open === true ? [] : (await sql.query<Row>({ ...LIST_OVER, values: [userId] })).rows
  const shown = [...current, ...over].slice(0, MOST)
  return shown.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
}

const CURSOR = timeCursor('transfers')
const SHOWN = { open: OPEN, over: `not ${OPEN} and ${ENDED_LATELY}`, all: `(${OPEN} or ${ENDED_LATELY})` }

/** Newest first, by keyset. @throws InvalidInputError at `after` */
export async function pageOfTransfers(
  sql: Queryable,
  userId: string,
  { open, limit, after }: ListTransfers,
): Promise<{ readonly items: { readonly row: Row; readonly cursor: string }[]; readonly hasNextPage: boolean }> {
  const place = after === undefined ? null : CURSOR.decode(after)
  const shown = open === undefined ? 'all' : open ? 'open' : 'over'
  const text = `select ${COLUMNS} ${FROM} where t.user_id = $1 and f.purged_at is null and ${SHOWN[shown]}
    ${place ? 'and (t.created_at, t.id) < ($3::timestamptz, $4::uuid)' : ''}
    order by t.created_at desc, t.id desc limit $2`
  const name = `transfers-page-${shown}${place ? '-after' : ''}`
  const { rows } = await sql.query<Row>({
    name,
    text,
    values: [userId, limit + 1, ...(place ? [place.at, place.id] : [])],
  })
  const items = rows.slice(0, limit).map((row) => ({ row, cursor: CURSOR.encode({ at: row.createdAt, id: row.id }) }))
  return { items, hasNextPage: rows.length > items.length }
}

/** In the order asked; null for what is not the user's. */
export async function getTransfers(sql: Queryable, userId: string, ids: readonly string[]): Promise<(Row | null)[]> {
  const { rows } = await sql.query<Row>({ ...GET, values: [userId, ids] })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id) ?? null)
}
