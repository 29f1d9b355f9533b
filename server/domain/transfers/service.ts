import type { Pool } from 'pg'
import { createLeases, type LockSession } from '../../db/locks.ts'
import { NotFoundError } from '../errors.ts'
import type { Queryable } from '../files/tree/entries.ts'
import type { TransfersHousekeeping } from '../housekeeping.ts'
import { timeCursor } from '../timeCursor.ts'
import type { Viewer } from '../viewer.ts'
import { cancelTransfer, pauseTransfer, resumeTransfer, retryTransfer } from './commands.ts'
import {
  createSlots,
  type EngineDeps,
  type ListTransfers,
  type RowDeps,
  SLOT_LIMITS,
  SYSTEM_CLOCK,
  type Transfer,
  type TransfersService,
} from './contract.ts'
import { createDispatcher, type Dispatcher } from './dispatcher.ts'
import { createEngine, type Engine } from './engine.ts'
import { reconcileAll, reconcileBatch, resumeInterrupted } from './reconcile.ts'

export type TransfersDeps = Omit<EngineDeps, 'leases' | 'takeSlot' | 'clock'> & {
  /** Connections without a statement timeout, for jobs. */
  readonly workPool: Pool
  /** Of the connection that holds the leases. */
  readonly leases: Pool | LockSession
  /** As for the dispatcher. */
  readonly wakeOthers?: (() => void) | undefined
}

export type Transfers = {
  readonly service: TransfersService
  readonly housekeeping: TransfersHousekeeping
  /** Starts sending what is due, including transfers that another process left. */
  start(): void
  /** Starts what is due, if this process was started. */
  wake(): void
  /** Stops all runs. The next start continues them without sending stored pieces again. Idempotent. */
  stop(): Promise<void>
}

/** Transfers with their parts connected: the service for the APIs, the work for jobs, and the dispatcher. */
export function createTransfers({ leases: session, workPool, wakeOthers, ...deps }: TransfersDeps): Transfers {
  const leases = createLeases(session, 'transfer')
  const rowDeps = { ...deps, clock: SYSTEM_CLOCK }
  const engine = createEngine({ ...rowDeps, leases, takeSlot: createSlots(SLOT_LIMITS) })
  const dispatcher = createDispatcher({ pool: deps.pool, engine, onError: deps.onError, wakeOthers })
  const serviceDeps = { ...rowDeps, engine, dispatcher }
  return {
    service: createTransfersService(serviceDeps),
    housekeeping: createTransfersHousekeeping({ ...serviceDeps, pool: workPool }),
    start: dispatcher.start,
    wake: dispatcher.wake,
    async stop() {
      await dispatcher.stop()
      await leases.close()
    },
  }
}

export type TransfersServiceDeps = RowDeps & {
  readonly engine: Pick<Engine, 'speeds'>
  readonly dispatcher: Pick<Dispatcher, 'wake' | 'recheck'>
}

export function createTransfersService(deps: TransfersServiceDeps): TransfersService {
  const { pool, engine, dispatcher } = deps
  const shown = (row: Omit<Transfer, 'bytesPerSecond'>): Transfer => ({
    ...row,
    bytesPerSecond: (row.state === 'RUNNING' && engine.speeds.get(row.id)) || null,
  })

  async function one(viewer: Viewer, id: string): Promise<Transfer> {
    const [row] = await getTransfers(pool, viewer.userId, [id])
    if (!row) throw new NotFoundError()
    return shown(row)
  }
  const command = (act: (deps: RowDeps, viewer: Viewer, id: string) => Promise<void>) => {
    return async (viewer: Viewer, id: string): Promise<Transfer> => {
      await act(deps, viewer, id)
      dispatcher.recheck(id)
      dispatcher.wake()
      return one(viewer, id)
    }
  }

  return {
    list: async ({ userId }, { open } = {}) => (await listTransfers(pool, userId, open)).map(shown),
    async page({ userId }, options) {
      const { items, hasNextPage } = await pageOfTransfers(pool, userId, options)
      return { items: items.map(({ row, cursor }) => ({ transfer: shown(row), cursor })), hasNextPage }
    },
    getMany: async ({ userId }, ids) => (await getTransfers(pool, userId, ids)).map((row) => row && shown(row)),
    pause: command(pauseTransfer),
    resume: command(resumeTransfer),
    async cancel(viewer, id) {
      const before = await one(viewer, id)
      await cancelTransfer(deps, viewer, id)
      dispatcher.recheck(id)
      dispatcher.wake()
      const [after] = await getTransfers(pool, viewer.userId, [id])
      return after
        ? shown(after)
        : { ...before, state: 'CANCELLED', error: null, nextTryAt: null, bytesPerSecond: null }
    },
    retry: command(retryTransfer),
  }
}

export function createTransfersHousekeeping(deps: TransfersServiceDeps): TransfersHousekeeping {
  const { dispatcher } = deps
  return {
    wake: () => dispatcher.wake(),
    async reconcile(scope, signal) {
      signal.throwIfAborted()
      await reconcileBatch(deps, scope)
      dispatcher.wake()
    },
    async resumeStopped(signal) {
      signal.throwIfAborted()
      await resumeInterrupted(deps)
      dispatcher.wake()
    },
    async reconcileAll(signal) {
      signal.throwIfAborted()
      await reconcileAll(deps)
      dispatcher.wake()
    },
  }
}

type Row = Omit<Transfer, 'bytesPerSecond'>

const COLUMNS = `t.id, t.file_id as "fileId", f.name as "fileName", f.mime_type as "mimeType", t.kind, t.state, t.total_bytes::float8 as "totalBytes",
  t.sent_bytes::float8 as "sentBytes", coalesce(c.why, '') as why, t.error, t.next_try_at as "nextTryAt",
  t.created_at as "createdAt", t.ended_at as "endedAt", array(
    select p.account_id::text from pieces p where p.copy_id = t.copy_id group by p.account_id order by min(p.index)
  ) || case when t.copy_id is null and f.account_id is not null then array[f.account_id::text] else '{}' end as "accountIds"`
const FROM = 'from transfers t join files f on f.id = t.file_id left join copies c on c.id = t.copy_id'

const OPEN = `t.state in ('WAITING', 'RUNNING', 'PAUSED', 'PARKED', 'FAILED')`
const ENDED_RECENTLY = `t.ended_at > now() - interval '24 hours'`
const MAX_LISTED = 200

const LIST_OPEN = {
  name: 'transfers-list-open',
  text: `select ${COLUMNS} ${FROM} where t.user_id = $1 and f.purged_at is null and ${OPEN}
    order by t.created_at desc, t.id desc limit ${MAX_LISTED}`,
}
const LIST_ENDED = {
  name: 'transfers-list-over',
  text: `select ${COLUMNS} ${FROM} where t.user_id = $1 and f.purged_at is null and not ${OPEN}
    and ${ENDED_RECENTLY} order by t.created_at desc, t.id desc limit ${MAX_LISTED}`,
}
const GET = {
  name: 'transfers-get',
  text: `select ${COLUMNS} ${FROM} where t.user_id = $1 and t.id = any($2::uuid[]) and f.purged_at is null`,
}

/** Newest first. When there are more than MAX_LISTED, open transfers take precedence over ended ones. */
async function listTransfers(sql: Queryable, userId: string, open: boolean | undefined): Promise<Row[]> {
  const pending = open === false ? [] : (await sql.query<Row>({ ...LIST_OPEN, values: [userId] })).rows
  const ended = open === true ? [] : (await sql.query<Row>({ ...LIST_ENDED, values: [userId] })).rows
  const shown = [...pending, ...ended].slice(0, MAX_LISTED)
  return shown.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
}

const CURSOR = timeCursor('transfers')
const SHOWN = { open: OPEN, over: `not ${OPEN} and ${ENDED_RECENTLY}`, all: `(${OPEN} or ${ENDED_RECENTLY})` }

/** Newest first, by keyset. @throws InvalidInputError at `after` */
async function pageOfTransfers(
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

/** In the order of `ids`; null for what is not the user's. */
async function getTransfers(sql: Queryable, userId: string, ids: readonly string[]): Promise<(Row | null)[]> {
  const { rows } = await sql.query<Row>({ ...GET, values: [userId, ids] })
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id) ?? null)
}
