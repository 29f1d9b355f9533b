import type { ClientBase } from 'pg'
import type { Enqueue } from '../../jobs.ts'
import type { Queryable } from '../tree/entries.ts'
import { presentSql } from './states.ts'

/** An object, or a begun session, that nothing refers to any more. `pieceId` is what its session was sealed for. */
export type Remnant = {
  readonly accountId: string
  readonly pieceId: string
  readonly objectRef: string | null
  /** Sealed. */
  readonly session: string | null
  /** What was stored as `objectRef`: what is something else by the time of the removal stays. */
  readonly size: number | null
  readonly hash: string | null
}

/** In `object_removals.session`: a session opens only in the context that it was sealed for. */
function keptSession(pieceId: string, sealed: string): string {
  return `pieces:${pieceId} ${sealed}`
}

/** The context and the sealed text of a kept session. */
export function sealedSession(kept: string): { readonly context: string; readonly sealed: string } {
  const [context = '', sealed = ''] = kept.split(' ')
  return { context, sealed }
}

/**
 * Deletes pieces, whatever their state, and frees what they took; what a provider holds of them, and what was begun on this server, is removed by job. The caller has
 * locked the accounts, and deletes the objects of this server's own storage that are returned after its commit.
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

/** Bytes of a purged file were freed when it was purged. An adopted staging object lives on while the file refers to it. */
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

/** For what was stored by a piece that is gone meanwhile: leaves it to the job. */
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
      left.map(({ pieceId, session }) => session && keptSession(pieceId, session)),
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

/** Queues the removals whose time has come, also those that a crash has left without a job. What cannot be asked now is left. */
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

/** The account can be asked again: what has waited for it is due now. */
export async function wakeRemovalsOf(tx: ClientBase, enqueue: Enqueue, accountId: string): Promise<void> {
  const { rowCount } = await tx.query(
    `update object_removals r set next_try_at = least(r.next_try_at, now()) from accounts a
     where r.account_id = $1 and a.id = $1 and a.provider <> 'local' and ${presentSql('a')}`,
    [accountId],
  )
  if (rowCount) await enqueueRemovals(tx, enqueue, [accountId])
}
