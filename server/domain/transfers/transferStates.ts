import type { PoolClient } from 'pg'
import type { TransferState } from '../services.ts'
import { changeCopies, tellFiles } from './changes.ts'
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
