import type pg from 'pg'
import { transaction } from '../../db/transaction.ts'
import { newId } from '../../lib/ids.ts'
import { type Sealing, SealingError } from '../../lib/sealing.ts'
import type { Call, Driver, EntryRef, IsNeeded } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { Enqueue } from '../jobs.ts'
import { parseSession } from '../transfers/sessions.ts'
import { enqueueRemovals, sealedSession } from './removals.ts'
import { isSame } from './seenObjects.ts'

export type RemoveObjectsDeps = {
  readonly pool: pg.Pool
  readonly enqueue: Enqueue
  readonly openDriver: (accountId: string) => Promise<Driver>
  readonly report: { failed(accountId: string, error: ProviderError): void; worked(accountId: string): void }
  readonly sealing: Pick<Sealing, 'open'>
}

const BATCH = 20
const AT_ONCE = 4

type Removal = {
  readonly id: string
  readonly object_ref: string | null
  readonly session: string | null
  /** What was stored as the object, where that is known. */
  readonly size: number | null
  readonly hash: string | null
  /** A piece refers to it after all. */
  readonly needed: boolean
}

/** What is claimed is put off at once: a crash leaves it to a later run, and never to two at a time. */
const CLAIM = `with due as (
    select id from object_removals where account_id = $1 and next_try_at <= now()
    order by next_try_at limit ${BATCH} for update skip locked)
  update object_removals r set attempts = r.attempts + 1,
    next_try_at = now() + make_interval(secs => least(30 * power(2, least(r.attempts, 20)), 21600))
  from due where r.id = due.id
  returning r.id, r.object_ref, r.session, r.size::float8 as size, r.hash, exists (
    select from pieces p where p.account_id = r.account_id and p.object_ref = r.object_ref) as needed`

/**
 * Removes what is due from one account: only objects whose refs we have stored, which are still what was stored, and none that a
 * piece refers to. An account that cannot be reached keeps nobody waiting; one that is disconnected is asked once it is back.
 */
export async function removeObjects(deps: RemoveObjectsDeps, accountId: string, signal: AbortSignal): Promise<void> {
  const { pool } = deps
  const { rows } = await pool.query<{ status: string; disconnected: boolean }>(
    'select status, disconnected_at is not null as disconnected from accounts where id = $1',
    [accountId],
  )
  const [account] = rows
  if (!account || account.disconnected || account.status === 'EXPIRED') return
  let isGoing = true
  while (isGoing) {
    signal.throwIfAborted()
    isGoing = await removeBatch(deps, accountId, signal)
  }
  await tryAgainLater(deps, accountId)
}

/** @returns whether there may be more to do now */
async function removeBatch(deps: RemoveObjectsDeps, accountId: string, signal: AbortSignal): Promise<boolean> {
  const claimed = await transaction(deps.pool, async (tx) => (await tx.query<Removal>(CLAIM, [accountId])).rows)
  for (let at = 0; at < claimed.length; at += AT_ONCE) {
    const some = claimed.slice(at, at + AT_ONCE)
    const outcomes = await Promise.all(some.map((removal) => removeOne(deps, accountId, removal, signal)))
    const done = some.filter((_, index) => outcomes[index] === 'done').map(({ id }) => id)
    await deps.pool.query('delete from object_removals where id = any($1::uuid[])', [done])
    if (outcomes.includes('stop')) return false
  }
  return claimed.length === BATCH
}

async function removeOne(
  deps: RemoveObjectsDeps,
  accountId: string,
  { object_ref: ref, session, needed, ...stored }: Removal,
  signal: AbortSignal,
): Promise<'done' | 'later' | 'stop'> {
  const call: Call = { signal, requestId: newId() }
  try {
    const driver = await deps.openDriver(accountId)
    if (session !== null) await abandon(deps, driver, call, session, isReferredTo(deps.pool, accountId))
    // Only refs that this driver has issued are stored.
    if (ref !== null && !needed && (await isOurs(driver, call, ref as EntryRef, stored))) {
      await driver.delete(call, ref as EntryRef)
    }
    deps.report.worked(accountId)
    return 'done'
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ProviderError)) throw error
    if (error.code === 'NotFound') return 'done'
    deps.report.failed(accountId, error)
    return error.reaction === 'other-account' || error.reaction === 'never' ? 'later' : 'stop'
  }
}

/**
 * Whether what is there is still what was stored. People can change a file in their account: then it is theirs. What they have put
 * into the provider's trash they can take out again, or leave to the provider.
 */
async function isOurs(
  driver: Driver,
  call: Call,
  ref: EntryRef,
  stored: { readonly size: number | null; readonly hash: string | null },
): Promise<boolean> {
  // Of what was noted by older versions nothing is known.
  if (driver.kind === 'local' || (stored.size === null && stored.hash === null)) return true
  return isSame(stored, await driver.stat(call, ref), driver.capabilities.hash)
}

/** Whether a piece is stored as this object of the account. */
export function isReferredTo(pool: pg.Pool, accountId: string): IsNeeded {
  return async (ref) => {
    const text = 'select from pieces where account_id = $1 and object_ref = $2 limit 1'
    return (await pool.query(text, [accountId, ref])).rowCount === 1
  }
}

/** Whether a piece is stored as this object of the account, or its removal is noted: it is nobody's to take. */
export function isTaken(pool: pg.Pool, accountId: string): IsNeeded {
  return async (ref) => {
    const text = `select from pieces where account_id = $1 and object_ref = $2
      union all select from object_removals where account_id = $1 and object_ref = $2 limit 1`
    return (await pool.query(text, [accountId, ref])).rowCount === 1
  }
}

/** A session whose key is gone ends by itself some day. */
async function abandon(
  { sealing }: RemoveObjectsDeps,
  driver: Driver,
  call: Call,
  kept: string,
  isNeeded: IsNeeded,
): Promise<void> {
  const { context, sealed } = sealedSession(kept)
  let session: string
  try {
    session = parseSession(sealing.open(sealed, context)).session
  } catch (error) {
    if (error instanceof SealingError) return
    throw error
  }
  await driver.abandon(call, session, isNeeded)
}

async function tryAgainLater({ pool, enqueue }: RemoveObjectsDeps, accountId: string): Promise<void> {
  await transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ seconds: number | null }>(
      `select greatest(extract(epoch from min(next_try_at) - now()), 1)::float8 as seconds
       from object_removals where account_id = $1 having count(*) > 0`,
      [accountId],
    )
    const [next] = rows
    if (next?.seconds) await enqueueRemovals(tx, enqueue, [accountId], next.seconds)
  })
}
