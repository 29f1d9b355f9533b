import type { ClientBase } from 'pg'
import type { Enqueue } from '../../jobs.ts'
import type { Queryable } from '../tree/entries.ts'
import { removalSession } from './seenObjects.ts'
import { presentSql } from './states.ts'

/**
 * An object, or a started session, that nothing refers to any more. `pieceId`: the piece that the session was encrypted
 * for.
 */
export type Remnant = {
  readonly accountId: string
  readonly pieceId: string
  readonly objectRef: string | null
  /** Encrypted. */
  readonly session: string | null
  /** Size and hash of `objectRef` as stored: an object that differs when it is to be removed is kept. */
  readonly size: number | null
  readonly hash: string | null
}

/**
 * Deletes pieces in any state and frees their bytes; a job removes their objects and sessions at providers. The caller
 * has locked the accounts, and after its commit deletes the returned objects of this server's own storage.
 */
export async function dropPieces(tx: ClientBase, enqueue: Enqueue, pieceIds: readonly string[]): Promise<string[]> {
  if (pieceIds.length === 0) return []
  const { rows } = await tx.query<{ account_ids: string[]; local_refs: string[] }>({
    name: 'files drop pieces',
    text: DROP_PIECES,
    values: [pieceIds],
  })
  const [dropped] = rows
  if (!dropped) return []
  await enqueueRemovals(tx, enqueue, dropped.account_ids)
  return dropped.local_refs
}

/**
 * Bytes of a purged file were freed when it was purged. An adopted staging object is kept while the file refers to it.
 */
const DROP_PIECES = `with gone as (
    delete from pieces p using copies c, files f, accounts a
    where p.id = any($1::uuid[]) and c.id = p.copy_id and f.id = c.file_id and a.id = p.account_id
    returning p.id, p.account_id, p.size, p.state, p.object_ref, p.hash, p.session, a.provider, f.purged_at),
  freed as (select account_id, coalesce(sum(size) filter (where state = 'STORED'), 0)::bigint as used,
      coalesce(sum(size) filter (where state = 'PLANNED'), 0)::bigint as reserved
    from gone where purged_at is null group by account_id),
  paid as (update accounts a set used_bytes = greatest(a.used_bytes - f.used, 0), reserved_bytes = a.reserved_bytes - f.reserved
    from freed f where a.id = f.account_id),
  kept as (insert into object_removals (id, account_id, object_ref, size, hash, session)
    select gen_random_uuid(), account_id, object_ref, size, hash, 'pieces:' || id || ' ' || session from gone
    where session is not null or provider <> 'local' and object_ref is not null returning account_id)
  select coalesce((select array_agg(distinct account_id)::text[] from kept), '{}') as account_ids,
    coalesce((select array_agg(distinct object_ref) from gone g where provider = 'local' and object_ref is not null
      and not exists (select from pieces o where o.object_ref = g.object_ref and o.id <> all($1::uuid[]))
      and not exists (select from files f where f.staged_ref = g.object_ref)), '{}') as local_refs`

/** Queues for removal what was stored for a piece that has been deleted meanwhile. */
export async function leaveRemnants(tx: ClientBase, enqueue: Enqueue, remnants: readonly Remnant[]): Promise<void> {
  const left = remnants.filter(({ objectRef, session }) => objectRef !== null || session !== null)
  if (left.length === 0) return
  await tx.query(
    `insert into object_removals (id, account_id, object_ref, size, hash, session)
     select gen_random_uuid(), * from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::text[])`,
    [
      left.map(({ accountId }) => accountId),
      left.map(({ objectRef }) => objectRef),
      left.map(({ size }) => size),
      left.map(({ hash }) => hash),
      left.map(({ pieceId, session }) => session && removalSession(pieceId, session)),
    ],
  )
  await enqueueRemovals(tx, enqueue, [...new Set(left.map(({ accountId }) => accountId))])
}

export async function enqueueRemovals(
  tx: ClientBase,
  enqueue: Enqueue,
  accountIds: readonly string[],
  delaySeconds = 0,
): Promise<void> {
  for (const accountId of accountIds) {
    await enqueue(tx, 'removeObjects', { accountId }, { key: `remove ${accountId}`, delaySeconds })
  }
}

/**
 * Queues jobs for the removals that are due, including those whose job was lost in a crash. Accounts that are
 * disconnected or expired are skipped.
 */
export async function wakeRemovals(tx: ClientBase & Queryable, enqueue: Enqueue): Promise<void> {
  const { rows } = await tx.query<{ account_id: string }>(
    `select distinct r.account_id from object_removals r join accounts a on a.id = r.account_id
     where r.next_try_at <= now() and a.disconnected_at is null and a.status = 'CONNECTED'`,
  )
  await enqueueRemovals(
    tx,
    enqueue,
    rows.map((row) => row.account_id),
  )
}

/** The account is reachable again: its waiting removals are due now. */
export async function wakeRemovalsOf(tx: ClientBase, enqueue: Enqueue, accountId: string): Promise<void> {
  const { rowCount } = await tx.query(
    `update object_removals r set next_try_at = least(r.next_try_at, now()) from accounts a
     where r.account_id = $1 and a.id = $1 and a.provider <> 'local' and ${presentSql('a')}`,
    [accountId],
  )
  if (rowCount) await enqueueRemovals(tx, enqueue, [accountId])
}
