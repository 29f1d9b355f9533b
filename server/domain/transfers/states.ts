import type { ClientBase, Pool, PoolClient } from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import { presentSql, refreshStates } from '../files/content/states.ts'
import type { TransferState } from './contract.ts'
import type { RowDeps } from './deps.ts'
import type { AccountQuota } from './work.ts'

/** What a transfer is from now on. */
export type Verdict = {
  readonly state: Extract<TransferState, 'WAITING' | 'PARKED' | 'FAILED'>
  /** In words; null when nothing is wrong. */
  readonly error: string | null
  /** Not before; null: at once, or when its reason is over. */
  readonly nextTryAt: Date | null
  readonly attempts: number
  readonly waitsFor?: WaitsFor | null
  /** Accounts that did not take it. */
  readonly refusals?: readonly Refusal[]
}

/** What a stopped transfer waits for: ROOM on an account, an ACCOUNT that can be used, a SOURCE to read from. */
export type WaitsFor = 'ROOM' | 'ACCOUNT' | 'SOURCE'

/** An account that did not take a piece. `quota`: what was known when it said that it is full; null when it refused for another reason. */
export type Refusal = { readonly accountId: string; readonly why: string; readonly quota: AccountQuota | null }

type Ids = { readonly id: string; readonly userId: string; readonly fileId: string; readonly sent: number }

/** What is this small is stored before anybody could read that it is being stored. */
const SMALL = 1024 * 1024

const BEGIN = `update transfers t set state = 'RUNNING', started_at = coalesce(started_at, $2), next_try_at = null, waits_for = null, refusals = null
  from files f where t.id = $1 and f.id = t.file_id and f.purged_at is null and t.copy_id is not null
    and (t.state = 'RUNNING' or t.state = 'WAITING' and (t.next_try_at is null or t.next_try_at <= $2))
  returning t.id, t.user_id as "userId", f.id as "fileId", t.sent_bytes::float8 as sent, t.total_bytes <= ${SMALL} as small`

/** @returns whether it is to be run now: it waits, or another runner died at it */
export async function beginTransfer(deps: RowDeps, transferId: string): Promise<boolean> {
  const { rows } = await deps.pool.query<Ids & { small: boolean }>({
    name: 'transfers-begin',
    text: BEGIN,
    values: [transferId, new Date(deps.clock.now())],
  })
  const [begun] = rows
  if (!begun || begun.small) return begun !== undefined
  await changeCopies(deps, async ({ fileIds }) => void fileIds.add(begun.fileId))
  tellTransfer(deps, begun, begun.sent)
  return true
}

const CONCLUDE = `update transfers set state = $2::"TransferState", error = $3, next_try_at = $4, attempts = $5,
  waits_for = $7, refusals = $8::jsonb, stopped_at = $6, ended_at = case when $2 = 'FAILED' then $6::timestamptz end where id = $1 and state = 'RUNNING'`

/** Nothing happens to one that was paused, cancelled or ended meanwhile. */
export async function concludeTransfer(deps: RowDeps, transferId: string, verdict: Verdict): Promise<void> {
  const { state, error, nextTryAt, attempts, waitsFor = null, refusals = [] } = verdict
  const now = new Date(deps.clock.now())
  const concluded = await changeCopies(deps, async ({ tx, fileIds }) => {
    const ids = await lockTransfer(tx, transferId)
    const values = [transferId, state, error, nextTryAt, attempts, now, waitsFor, JSON.stringify(refusals)]
    const { rowCount } = ids ? await tx.query(CONCLUDE, values) : { rowCount: 0 }
    if (!ids || !rowCount) return null
    fileIds.add(ids.fileId)
    return ids
  })
  if (concluded) tellTransfer(deps, concluded, concluded.sent)
}

/** The file first, as everybody does. */
async function lockTransfer(tx: PoolClient, transferId: string): Promise<Ids | null> {
  const { rows } = await tx.query<Ids>(
    `select t.id, t.user_id as "userId", f.id as "fileId", t.sent_bytes::float8 as sent from transfers t join files f on f.id = t.file_id
     where t.id = $1 for update of f`,
    [transferId],
  )
  return rows[0] ?? null
}

/** Its state changed: whoever shows it reads it again. */
export function tellTransfer(
  { events }: Pick<RowDeps, 'events'>,
  ids: Pick<Ids, 'id' | 'userId' | 'fileId'>,
  sentBytes: number,
): void {
  events.publish('transferProgressed', ids.userId, { transferId: ids.id, sentBytes, bytesPerSecond: null })
  tellFiles({ events }, ids.userId, [ids.fileId])
}

/** A change of copies under way, and what follows its commit. */
export type CopiesChange = {
  readonly tx: PoolClient
  /** Their states are computed anew, their staged bytes let go where they are not needed any more. */
  readonly fileIds: Set<string>
  /** Objects of this server to delete. */
  readonly localRefs: Set<string>
}

/**
 * Runs `work` in a transaction; computes the states of the files it names before the commit, and after it deletes local objects
 * and tells their users. `work` locks accounts, then files, then transfers, and may be run again.
 */
export async function changeCopies<Result>(
  deps: RowDeps,
  work: (change: CopiesChange) => Promise<Result>,
): Promise<Result> {
  const { result, change, released, told } = await retrying(() =>
    transaction(deps.pool, async (tx) => {
      const fresh: CopiesChange = { tx, fileIds: new Set(), localRefs: new Set() }
      const outcome = await work(fresh)
      const fileIds = [...fresh.fileIds]
      const free: Released[] = fileIds.length === 0 ? [] : await releaseStaged(tx, fileIds)
      const changed = fileIds.length === 0 ? [] : await refreshStates(tx, { fileIds })
      return { result: outcome, change: fresh, released: free, told: changed }
    }),
  )
  for (const { userId, changedIds } of told) tellFiles(deps, userId, changedIds)
  for (const ref of change.localRefs) await deps.storage.delete(ref)
  await deleteReleased(deps, released)
  return result
}

const MOST_TOLD = 200

/** These files are to be read again. */
export function tellFiles({ events }: Pick<RowDeps, 'events'>, userId: string, fileIds: readonly string[]): void {
  if (fileIds.length === 0) return
  const truncated = fileIds.length > MOST_TOLD
  const named = truncated ? [] : [...fileIds]
  events.publish('filesChanged', userId, { fileIds: named, removedIds: [], parentIds: [], truncated })
}

/** A staged object that is not needed any more. `removalId` notes it in the database until it is deleted. */
export type Released = { readonly objectRef: string; readonly removalId: string }

/**
 * Lets go of the staged bytes of those files whose copies are all stored where they can be read. The object is noted for
 * removal, in case this process ends before it deletes it; one that a local piece has adopted stays.
 */
const RELEASE = {
  name: 'transfers-release-staged',
  text: `with released as (
      update files f set staged_ref = null
      from (select id, staged_ref from files where id = any($1::uuid[]) and staged_ref is not null for update) old
      where f.id = old.id
        and exists (select from copies c where c.file_id = f.id and c.state = 'STORED')
        and not exists (select from copies c where c.file_id = f.id and c.state = 'STORING')
        and not exists (
          select from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
          where c.file_id = f.id and c.state = 'STORED' and not ${presentSql('a')})
      returning f.user_id, old.staged_ref
    )
    insert into object_removals (id, account_id, object_ref, next_try_at)
    select gen_random_uuid(), a.id, r.staged_ref, now() + interval '10 minutes'
    from released r join accounts a on a.user_id = r.user_id and a.provider = 'local'
    where not exists (select from pieces p join accounts l on l.id = p.account_id
      where p.object_ref = r.staged_ref and l.provider = 'local')
    returning id as "removalId", object_ref as "objectRef"`,
}

async function releaseStaged(client: ClientBase, fileIds: readonly string[]): Promise<Released[]> {
  const { rows } = await client.query<Released>({ ...RELEASE, values: [fileIds] })
  return rows
}

/** After the commit. */
async function deleteReleased(
  { pool, storage }: { pool: Pool; storage: Pick<ObjectStore, 'delete'> },
  released: readonly Released[],
): Promise<void> {
  if (released.length === 0) return
  for (const { objectRef } of released) await storage.delete(objectRef)
  await pool.query('delete from object_removals where id = any($1::uuid[])', [
    released.map(({ removalId }) => removalId),
  ])
}
