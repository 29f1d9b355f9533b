import type { ClientBase, Pool } from 'pg'
import { createBatcher, type Outcome } from '../lib/concurrency.ts'
import type { KnownObject, MoveRows } from '../storage/move/rows.ts'

/** Which of the two storages has the files, or gets them. */
export type StorageMove = {
  readonly target: 'DISK' | 'BUCKET'
  /** The folder and the bucket. */
  readonly storages: string
  readonly isFinished: boolean
  /** Since it was begun. */
  readonly seconds: number
}

/** Any number. */
const LOCK = 0x5b33

/** For the one command that runs on a database, as long as the connection is open. @returns false when another one has it */
export async function lockStorageMove(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ yes: boolean }>('select pg_try_advisory_lock($1, 0) as yes', [LOCK])
  return rows[0]?.yes ?? false
}

/** For the next command at once: after a connection is closed, the database may take a moment to notice. */
export async function unlockStorageMove(client: ClientBase): Promise<void> {
  await client.query('select pg_advisory_unlock($1, 0)', [LOCK])
}

const READ = {
  name: 'storage-moves-read',
  text: `select target, storages, finished_at is not null as "isFinished",
    extract(epoch from clock_timestamp() - begun_at)::float8 as seconds from storage_moves where id = 1`,
}

/** Null: files were never moved. */
export async function readStorageMove(pool: Pool): Promise<StorageMove | null> {
  return (await pool.query<StorageMove>(READ)).rows[0] ?? null
}

/** From now on new objects go to the target. Continues a move that has the same one. */
export async function beginStorageMove(
  pool: Pool,
  { target, storages }: Pick<StorageMove, 'target' | 'storages'>,
): Promise<void> {
  await pool.query(
    `insert into storage_moves as m (id, target, storages) values (1, $1, $2) on conflict (id) do update
       set target = excluded.target, storages = excluded.storages, finished_at = null,
         begun_at = case when m.target = excluded.target and m.finished_at is null then m.begun_at else now() end`,
    [target, storages],
  )
}

/** Undoes the beginning of a move that was refused after all. */
export async function restoreStorageMove(pool: Pool, earlier: StorageMove | null): Promise<void> {
  if (!earlier) await pool.query('delete from storage_moves where id = 1')
  else
    await pool.query(
      `update storage_moves set target = $1, storages = $2, finished_at = case when $3 then now() end where id = 1`,
      [earlier.target, earlier.storages, earlier.isFinished],
    )
}

export async function finishStorageMove(pool: Pool): Promise<void> {
  await pool.query('update storage_moves set finished_at = now() where id = 1')
}

/** A server that died without a trace has no connections. */
const OTHERS = `select count(*)::int as servers from servers s where s.storages is distinct from $1
  and exists (select from pg_stat_activity a
    where a.datname = current_database() and right(a.application_name, 36) = s.id::text)`

/** Number of running servers that do not use exactly these two storages. */
export async function countOtherServers(pool: Pool, storages: string): Promise<number> {
  return (await pool.query<{ servers: number }>(OTHERS, [storages])).rows[0]?.servers ?? 0
}

type KnownRow = KnownObject & { readonly id: string }

/** By the piece where an account has reported a hash, otherwise by the file that it is the whole content of. */
const KNOWN = {
  name: 'storage-moves-known',
  text: `select o.id, o."fileId", o.size::float8 as size, o.sha256, o."isLive" from (
      select f.staged_ref as id, f.id as "fileId", f.size, encode(f.sha256, 'hex') as sha256, f.purged_at is null as "isLive"
      from files f where f.staged_ref = any($1::text[])
      union all
      select p.object_ref, f.id, p.size, case when p.hash like 'sha256:%' then substr(p.hash, 8)
        when p."offset" = 0 and p.size = f.size then encode(f.sha256, 'hex') end, f.purged_at is null
      from pieces p join copies c on c.id = p.copy_id join files f on f.id = c.file_id
      where p.object_ref = any($1::text[]) and p.state = 'STORED'
    ) o order by o."isLive", o.sha256 nulls first`,
}

const BEGUN = 'select id::text as id, copied from moving_objects order by id'
const BEGIN = {
  name: 'storage-moves-begin',
  text: 'insert into moving_objects (id) select unnest($1::uuid[]) on conflict (id) do update set copied = false',
}
const SET_COPIED = {
  name: 'storage-moves-set-copied',
  text: 'update moving_objects set copied = true where id = any($1::uuid[])',
}
const END = { name: 'storage-moves-end', text: 'delete from moving_objects where id = any($1::uuid[])' }

const BATCH = 100

/** Many objects that are moved at the same time take one statement. */
export function createMoveRows(pool: Pool): MoveRows {
  const changes = (query: { readonly name: string; readonly text: string }) =>
    createBatcher({
      limit: BATCH,
      run: async (ids: readonly string[]) => {
        await pool.query({ ...query, values: [[...new Set(ids)]] })
        return ids.map(() => ({ ok: true, value: undefined }) as const)
      },
    })
  const find = createBatcher({
    limit: BATCH,
    run: async (ids: readonly string[]): Promise<Outcome<KnownObject | null>[]> => {
      const found = await findKnown(pool, ids)
      return ids.map((id) => ({ ok: true, value: found.get(id) ?? null }))
    },
  })
  return {
    begun: async () => (await pool.query<{ id: string; copied: boolean }>(BEGUN)).rows,
    begin: changes(BEGIN),
    setCopied: changes(SET_COPIED),
    end: changes(END),
    known: (ids) => findKnown(pool, ids),
    find,
  }
}

/** Of several rows with one object, one that is live, with a hash. */
async function findKnown(pool: Pool, ids: readonly string[]): Promise<Map<string, KnownObject>> {
  const { rows } = await pool.query<KnownRow>({ ...KNOWN, values: [[...ids]] })
  return new Map(rows.map(({ id, ...known }) => [id, known]))
}
