import type { Events } from '../events.ts'
import type { FileState } from '../services.ts'
import { lossSql, presentSql } from './accountLoss.ts'
import { assess, type FileFacts } from './assess.ts'
import type { Queryable } from './lookup.ts'

export type StateScope =
  | { readonly fileIds: readonly string[] }
  | { readonly accountId: string }
  | { readonly groupCloudId: string }

/** Files of one user whose state or reason is another one now. */
export type StatesChanged = { readonly userId: string; readonly changedIds: readonly string[] }

/** Of one round of statements. */
const BATCH = 5_000
/** Named in one event; a subscriber reads everything again when there were more. */
const MOST_NAMED = 100

/**
 * Makes `state` and `state_reason` of files true: the only one that writes them after intake. Locks the files, in the order of
 * their ids and after any accounts, so `tx` is a transaction; what it changed is published by the caller (`tellStates`) after commit.
 */
export async function refreshStates(tx: Queryable, scope: StateScope): Promise<StatesChanged[]> {
  const ids = await idsOf(tx, scope)
  const changed = new Map<string, string[]>()
  for (let at = 0; at < ids.length; at += BATCH) {
    for (const { id, userId } of await refreshBatch(tx, ids.slice(at, at + BATCH))) {
      const ofUser = changed.get(userId)
      if (ofUser) ofUser.push(id)
      else changed.set(userId, [id])
    }
  }
  return [...changed].map(([userId, changedIds]) => ({ userId, changedIds }))
}

/** After the commit. */
export function tellStates(events: Pick<Events, 'publish'>, changes: readonly StatesChanged[]): void {
  for (const { userId, changedIds } of changes) {
    const truncated = changedIds.length > MOST_NAMED
    const fileIds = truncated ? [] : changedIds
    events.publish('filesChanged', userId, { fileIds, removedIds: [], parentIds: [], truncated })
  }
}

async function idsOf(tx: Queryable, scope: StateScope): Promise<string[]> {
  if ('fileIds' in scope) return [...new Set(scope.fileIds)].sort()
  const { rows } = await ('accountId' in scope
    ? tx.query<{ id: string }>(
        `select distinct c.file_id as id from pieces p join copies c on c.id = p.copy_id where p.account_id = $1 order by id`,
        [scope.accountId],
      )
    : tx.query<{ id: string }>('select id from files where group_cloud_id = $1 order by id', [scope.groupCloudId]))
  return rows.map(({ id }) => id)
}

type Row = FileFacts & {
  readonly id: string
  readonly userId: string
  readonly state: FileState
  readonly stateReason: string | null
}

const LOCK = {
  name: 'files lock states',
  text: `select from files where id = any($1::uuid[]) and kind = 'FILE' and purged_at is null order by id for no key update`,
}

/**
 * A transfer counts as stopped while its copy could still be made by it. What belongs to one file is aggregated by lateral
 * subqueries, one index look-up per file: joins of aggregates depend on statistics, and were computed again for each file
 * while those of some of the tables were missing. `offset 0` keeps the pieces of a copy from being sought by account.
 */
export const FACTS = {
  name: 'files state facts',
  text: `select f.id, f.user_id as "userId", f.state, f.state_reason as "stateReason", f.staged_ref is not null as staged,
      coalesce(g.copies, 1) as wanted, coalesce(copy.list, '[]') as copies, transfer.*
    from files f
    left join group_clouds g on g.id = f.group_cloud_id
    cross join lateral (
      select json_agg(json_build_object('state', c.state, 'readable', part.readable and c.suspect_reads = 0,
          'suspect', c.state = 'STORED' and c.suspect_reads > 0, 'lost', part.lost, 'names', part.names,
          'changed', part.changed)) as list
      from copies c cross join lateral (
        select c.state = 'STORED' and bool_and(p.state = 'STORED' and ${presentSql('a')}) as readable,
          coalesce(json_agg(distinct jsonb_build_object('name', a.name, 'how', ${lossSql('a')}))
            filter (where not ${presentSql('a')}), '[]') as lost,
          array_agg(distinct a.name) as names,
          coalesce(array_agg(distinct a.name) filter (where p.changed_at is not null), '{}') as changed
        from (select account_id, state, changed_at from pieces where copy_id = c.id offset 0) p join accounts a on a.id = p.account_id
        having count(*) > 0) part
      where c.file_id = f.id) copy
    cross join lateral (
      select count(*) filter (where t.state in ('WAITING', 'RUNNING', 'PAUSED'))::int as open,
        coalesce(bool_or(t.state in ('WAITING', 'RUNNING', 'PAUSED', 'DONE') and t.started_at is not null), false) as begun,
        coalesce(bool_or(t.state in ('PARKED', 'FAILED') and c.state = 'STORING'), false) as stopped,
        (array_agg(t.error order by t.created_at desc)
          filter (where t.state in ('PARKED', 'FAILED') and c.state = 'STORING'))[1] as error,
        coalesce(bool_or(t.state = 'CANCELLED' and t.error is null and t.kind in ('STORE', 'REPAIR')), false) as cancelled
      from transfers t left join copies c on c.id = t.copy_id where t.file_id = f.id) transfer
    where f.id = any($1::uuid[]) and f.kind = 'FILE' and f.purged_at is null`,
}

const WRITE = {
  name: 'files write states',
  text: `update files f set state = i.state::"FileState", state_reason = i.reason
    from unnest($1::uuid[], $2::text[], $3::text[]) as i(id, state, reason) where f.id = i.id`,
}

async function refreshBatch(tx: Queryable, ids: readonly string[]): Promise<{ id: string; userId: string }[]> {
  // Locked by a statement of its own: the next one sees what others have committed while this one waited.
  await tx.query({ ...LOCK, values: [ids] })
  const { rows } = await tx.query<Row>({ ...FACTS, values: [ids] })
  const wrong = rows.flatMap((row) => {
    const { state, reason } = assess(row)
    return state === row.state && reason === row.stateReason ? [] : [{ id: row.id, userId: row.userId, state, reason }]
  })
  if (wrong.length === 0) return []
  const values = [wrong.map(({ id }) => id), wrong.map(({ state }) => state), wrong.map(({ reason }) => reason)]
  await tx.query({ ...WRITE, values })
  return wrong
}
