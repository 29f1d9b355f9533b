import type { Pool } from 'pg'
import { createBatcher, type Outcome } from '../lib/concurrency.ts'
import type { StagedPart, StagedRow, StagedRows, UnusedPart } from '../storage/s3/rows.ts'

type Row = {
  readonly id: string
  readonly session: number
  readonly upload_id: string | null
  readonly next_part: number
  readonly size: number | null
  readonly tail: string | null
  readonly tail_size: number | null
  readonly note: Buffer | null
  readonly discarded: boolean
}

const COLUMNS = 'id, session, upload_id, next_part, size::float8 as size, tail, tail_size, note, discarded'
const LATEST = 'id = $1 and session = $2 and not discarded'

const ADD = {
  name: 'staged-add',
  text: 'insert into staged_objects (id) select unnest($1::uuid[]) on conflict (id) do nothing returning id',
}
/** A row that is inserted has no earlier session. */
const TAKE_OR_ADD = {
  name: 'staged-take-or-add',
  text: `insert into staged_objects as o (id) values ($1) on conflict (id)
    do update set session = o.session + 1, touched_at = now() returning ${COLUMNS}`,
}
const TAKE = {
  name: 'staged-take',
  text: `update staged_objects set session = session + 1, touched_at = now() where id = $1 returning ${COLUMNS}`,
}
const FIND = { name: 'staged-find', text: `select ${COLUMNS} from staged_objects where id = any($1::uuid[])` }
const CONFIRM = { name: 'staged-confirm', text: `update staged_objects set touched_at = now() where ${LATEST}` }
const BEGIN = {
  name: 'staged-begin',
  text: `update staged_objects set upload_id = $3, next_part = 1, touched_at = now() where ${LATEST}`,
}
const CLAIM = {
  name: 'staged-claim',
  text: `update staged_objects set next_part = next_part + 1, touched_at = now() where ${LATEST}
    returning next_part - 1 as number`,
}
const RECORD = {
  name: 'staged-record',
  text: `with latest as (
      update staged_objects set size = $3, tail = $4, tail_size = $5, note = $6, touched_at = now()
      where ${LATEST} returning id
    ), added as (
      insert into staged_parts (object_id, number, etag, size)
      select latest.id, p.number, p.etag, p.size
      from latest, unnest($7::int[], $8::text[], $9::bigint[]) as p(number, etag, size)
    )
    select from latest`,
}
const PARTS = {
  name: 'staged-parts',
  text: 'select number, etag, size::float8 as size from staged_parts where object_id = $1 order by number',
}
const RECORD_UNUSED = {
  name: 'staged-record-unused',
  text: `with latest as (
      update staged_objects set touched_at = now() where ${LATEST} returning id
    ), added as (
      insert into staged_unused_parts (object_id, number, size)
      select latest.id, u.number, u.size from latest, unnest($3::int[], $4::bigint[]) as u(number, size)
      on conflict (object_id, number) do update set size = excluded.size
    )
    select from latest`,
}
const UNUSED_PARTS = {
  name: 'staged-unused-parts',
  text: 'select number, size::float8 as size from staged_unused_parts where object_id = $1 order by number',
}
const FINISH = {
  name: 'staged-finish',
  text: `with latest as (
      update staged_objects set upload_id = null, next_part = 1, size = null, tail = null, tail_size = null, note = $3,
        touched_at = now()
      where ${LATEST} returning id
    ), dropped as (delete from staged_parts where object_id in (select id from latest)
    ), unused as (delete from staged_unused_parts where object_id in (select id from latest))
    select from latest`,
}
const DISCARD = {
  name: 'staged-discard',
  text: `update staged_objects set discarded = true, session = session + 1 where id = $1 returning ${COLUMNS}`,
}
const ADD_DISCARDED = {
  name: 'staged-add-discarded',
  text: 'insert into staged_objects (id, discarded) values ($1, true) on conflict (id) do nothing',
}
const FORGET = {
  name: 'staged-forget',
  text: `delete from staged_objects where id = $1 and discarded and touched_at <= now() - make_interval(secs => $2)`,
}
const RELEASE = {
  name: 'staged-release',
  text: `delete from staged_objects using unnest($1::uuid[], $2::int[]) as r(id, session)
    where staged_objects.id = r.id and staged_objects.session = coalesce(r.session, staged_objects.session)
      and not discarded
    returning staged_objects.id`,
}
/** The time is kept in milliseconds, and may have been rounded up. */
const LIST = {
  name: 'staged-list',
  text: `select id from staged_objects where $1::float8 <= 0 or touched_at <= now() - make_interval(secs => $1) order by id`,
}

const BATCH = 200

/** Rows of staged objects. Adding, finding and releasing many at once takes one statement. */
export function createStagedRows(pool: Pool): StagedRows {
  const add = createBatcher({
    limit: BATCH,
    run: async (ids: readonly string[]) => {
      const { rows } = await pool.query<{ id: string }>({ ...ADD, values: [ids] })
      const added = new Set(rows.map(({ id }) => id))
      // Of equal ids in one batch, one is added.
      return ids.map((id) => done(added.delete(id)))
    },
  })
  const find = createBatcher({
    limit: BATCH,
    run: async (ids: readonly string[]) => {
      const found = await findAll(pool, ids)
      return ids.map((id) => done(found.get(id) ?? null))
    },
  })
  const release = createBatcher({
    limit: BATCH,
    run: async (items: readonly { readonly id: string; readonly session: number | null }[]) => {
      const values = [items.map(({ id }) => id), items.map(({ session }) => session)]
      const { rows } = await pool.query<{ id: string }>({ ...RELEASE, values })
      const released = new Set(rows.map(({ id }) => id))
      return items.map(({ id }) => done(released.has(id)))
    },
  })
  const changes = async (query: { readonly name: string; readonly text: string }, values: readonly unknown[]) =>
    (await pool.query({ ...query, values: [...values] })).rowCount === 1

  return {
    add,
    async take(id, create) {
      const { rows } = await pool.query<Row>({ ...(create ? TAKE_OR_ADD : TAKE), values: [id] })
      return rows[0] ? { ...rowOf(rows[0]), isNew: create && rows[0].session === 1 } : null
    },
    find,
    async state(id) {
      const row = await find(id)
      if (row === null) return null
      return row.discarded ? 'discarded' : 'staged'
    },
    confirm: (id, session) => changes(CONFIRM, [id, session]),
    begin: (id, session, uploadId) => changes(BEGIN, [id, session, uploadId]),
    async claim(id, session) {
      const { rows } = await pool.query<{ number: number }>({ ...CLAIM, values: [id, session] })
      return rows[0]?.number ?? null
    },
    record(id, session, { size, tail, note, added }) {
      const parts = [added.map(({ number }) => number), added.map(({ etag }) => etag), added.map((part) => part.size)]
      return changes(RECORD, [id, session, size, tail?.name ?? null, tail?.size ?? null, note, ...parts])
    },
    async parts(id) {
      return (await pool.query<StagedPart>({ ...PARTS, values: [id] })).rows
    },
    recordUnused(id, session, unused) {
      return changes(RECORD_UNUSED, [id, session, unused.map(({ number }) => number), unused.map(({ size }) => size)])
    },
    async unusedParts(id) {
      return (await pool.query<UnusedPart>({ ...UNUSED_PARTS, values: [id] })).rows
    },
    finish: (id, session, note) => changes(FINISH, [id, session, note]),
    async discard(id) {
      const { rows } = await pool.query<Row>({ ...DISCARD, values: [id] })
      return rows[0] ? rowOf(rows[0]) : null
    },
    async addDiscarded(id) {
      await pool.query({ ...ADD_DISCARDED, values: [id] })
    },
    async forget(id, idleMs) {
      await pool.query({ ...FORGET, values: [id, idleMs / 1000] })
    },
    release: (id, session) => release({ id, session }),
    async list(idleMs) {
      const { rows } = await pool.query<{ id: string }>({ ...LIST, values: [idleMs / 1000] })
      return rows.map(({ id }) => id)
    },
    among: (ids) => findAll(pool, ids),
  }
}

async function findAll(pool: Pool, ids: readonly string[]): Promise<Map<string, StagedRow>> {
  if (ids.length === 0) return new Map()
  const { rows } = await pool.query<Row>({ ...FIND, values: [ids] })
  return new Map(rows.map((row) => [row.id, rowOf(row)]))
}

function rowOf({ session, upload_id, next_part, size, tail, tail_size, note, discarded }: Row): StagedRow {
  return {
    session,
    uploadId: upload_id,
    nextPart: next_part,
    size,
    tail: tail === null ? null : { name: tail, size: tail_size ?? 0 },
    note,
    discarded,
  }
}

function done<Value>(value: Value): Outcome<Value> {
  return { ok: true, value }
}
