import { randomUUID } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { createLeases, type LockSession } from '../../db/locks.ts'
import { keepCause } from '../../lib/cause.ts'
import { SYSTEM_CLOCK } from '../../lib/clock.ts'
import { createKeyedSemaphore } from '../../lib/concurrency.ts'
import { ConflictError, NotFoundError } from '../errors.ts'
import { cancelArriving } from '../files/tree/arriving.ts'
import { changeTree, lockAccounts } from '../files/tree/change.ts'
import type { Queryable } from '../files/tree/entries.ts'
import { mainCopySql } from '../groupClouds/members.ts'
import { planCopies } from '../groupClouds/placement.ts'
import type { TransfersHousekeeping } from '../jobs.ts'
import { timeCursor } from '../timeCursor.ts'
import type { Viewer } from '../viewer.ts'
import type { EngineDeps, ListTransfers, RowDeps, Transfer, TransferState, TransfersService } from './contract.ts'
import { createDispatcher, createEngine, type Dispatcher, type Engine } from './engine.ts'
import { insertCopy, loadPools } from './planning.ts'
import { dropCopies, reconcileAll, reconcileBatch, resumeInterrupted } from './reconcile.ts'
import { type CopiesChange, changeCopies, publishTransfer } from './work.ts'

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
  const engine = createEngine({ ...rowDeps, leases, takeSlot: createKeyedSemaphore(SLOT_LIMITS) })
  const dispatcher = createDispatcher({ ...rowDeps, engine, wakeOthers })
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

/** Pieces that are sent concurrently: in total, and per account. */
export const SLOT_LIMITS = { total: 16, perKey: 4 }

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
    wake: dispatcher.wake,
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

// Commands of users: pause, resume, cancel, retry.

/** The transfer that a command changes; it, its file and its accounts are locked. */
export type Commanded = {
  readonly id: string
  readonly userId: string
  readonly fileId: string
  readonly copyId: string | null
  readonly state: TransferState
  readonly sentBytes: number
}

type Act = (change: CopiesChange, transfer: Commanded) => Promise<void>

const ENDED = new Set<TransferState>(['DONE', 'CANCELLED'])

async function pauseTransfer(deps: RowDeps, viewer: Viewer, id: string): Promise<void> {
  await command(deps, viewer, id, async ({ tx }, { state }) => {
    if (ENDED.has(state) || state === 'FAILED') throw new ConflictError('This transfer has ended.')
    await tx.query(`update transfers set state = 'PAUSED', next_try_at = null where id = $1`, [id])
  })
}

async function resumeTransfer(deps: RowDeps, viewer: Viewer, id: string): Promise<void> {
  await command(deps, viewer, id, async ({ tx }, { state }) => {
    if (ENDED.has(state) || state === 'FAILED') throw new ConflictError('This transfer has ended.')
    await tx.query(`update transfers set state = 'WAITING', error = null where id = $1 and state = 'PAUSED'`, [id])
  })
}

const CANCEL = `update transfers set state = 'CANCELLED', error = null, next_try_at = null, ended_at = $2 where id = $1`

async function cancelTransfer(deps: RowDeps, viewer: Viewer, id: string): Promise<void> {
  if (await cancelUpload(deps, viewer, id)) return
  await command(deps, viewer, id, async (change, { state, copyId }) => {
    if (state === 'CANCELLED') return
    if (state === 'DONE') throw new ConflictError('This transfer is done. To remove the copy, delete the file.')
    const { tx } = change
    await tx.query(CANCEL, [id, new Date(deps.clock.now())])
    if (copyId === null) return
    const pieces = await tx.query<{ id: string }>('select id from pieces where copy_id = $1', [copyId])
    await dropCopies(deps, change, [{ id: copyId, pieceIds: pieces.rows.map((piece) => piece.id) }])
  })
}

/** @returns whether it was the transfer of a file that its account does not have yet */
async function cancelUpload(deps: RowDeps, viewer: Viewer, id: string): Promise<boolean> {
  const { rows } = await deps.pool.query<{ fileId: string }>(
    `select t.file_id as "fileId" from transfers t join account_uploads u on u.file_id = t.file_id
     where t.id = $1 and t.user_id = $2 and t.state not in ('DONE', 'CANCELLED')`,
    [id, viewer.userId],
  )
  const [upload] = rows
  if (!upload) return false
  await changeTree(deps, viewer, (change) => cancelArriving(change, [upload.fileId]))
  return true
}

const RETRY = `update transfers set state = 'WAITING', error = null, next_try_at = null, attempts = 0, ended_at = null where id = $1`

async function retryTransfer(deps: RowDeps, viewer: Viewer, id: string): Promise<void> {
  await command(deps, viewer, id, async (change, transfer) => {
    const { state, copyId } = transfer
    if (state !== 'PARKED' && state !== 'FAILED' && state !== 'CANCELLED') {
      throw new ConflictError('Only a stopped transfer can be tried again.')
    }
    if (copyId === null) await planNewCopy(deps, change.tx, transfer)
    await change.tx.query(RETRY, [id])
    keepCause(id)
    await deps.enqueue(change.tx, 'runTransfer', { transferId: id })
  })
}

/** @throws NotFoundError for what is not the viewer's */
async function command(deps: RowDeps, { userId }: Viewer, id: string, act: Act): Promise<void> {
  const transfer = await changeCopies(deps, async (change) => {
    const found = await lock(change.tx, userId, id)
    await act(change, found)
    change.fileIds.add(found.fileId)
    return found
  })
  publishTransfer(deps, transfer, transfer.sentBytes)
}

const FIND = `select t.id, t.user_id as "userId", t.file_id as "fileId", t.copy_id as "copyId", t.state,
    t.sent_bytes::float8 as "sentBytes"
  from transfers t join files f on f.id = t.file_id
  where t.id = $1 and t.user_id = $2 and f.purged_at is null`

/** Locks accounts, file and transfer, in the order that all transactions use, and reads the transfer again after that. */
async function lock(tx: PoolClient, userId: string, id: string): Promise<Commanded> {
  await lockAccounts({ tx, userId })
  const { rows } = await tx.query<Commanded>(FIND, [id, userId])
  if (rows[0]) await tx.query('select from files where id = $1 for update', [rows[0].fileId])
  const locked = await tx.query<Commanded>(`${FIND} for update of t`, [id, userId])
  const [transfer] = locked.rows
  if (!transfer) throw new NotFoundError()
  // Its content was replaced in between, and belongs to a version now.
  if (transfer.fileId !== rows[0]?.fileId) {
    await tx.query('select from files where id = $1 for update', [transfer.fileId])
  }
  return transfer
}

type FileRow = {
  readonly size: number
  readonly groupCloudId: string | null
  readonly copies: number
  readonly wantedCopies: number | null
  readonly holding: string[]
  readonly hasMainCopy: boolean
}

const FILE_TO_PLAN = `select f.size::float8 as size, f.group_cloud_id as "groupCloudId",
    (select count(*)::int from copies c where c.file_id = f.id and c.state <> 'MISSING') as copies,
    f.wanted_copies as "wantedCopies",
    array(select distinct p.account_id::text from copies c join pieces p on p.copy_id = c.id where c.file_id = f.id
      union select f.protected_account_id::text where f.protected_account_id is not null) as holding,
    ${mainCopySql('null')} as "hasMainCopy"
  from files f where f.id = $1`

/**
 * Plans a new copy for a cancelled transfer, on accounts that hold none of the file. The caller has locked accounts and file.
 * @throws ConflictError when the file has all its copies, or there is no room
 */
async function planNewCopy({ accountLabel }: RowDeps, tx: PoolClient, { id, fileId }: Commanded): Promise<void> {
  const { rows } = await tx.query<FileRow>(FILE_TO_PLAN, [fileId])
  const [file] = rows
  const pools = await loadPools(tx, file?.groupCloudId ? [file.groupCloudId] : [], accountLabel)
  const pool = pools.get(file?.groupCloudId ?? '')
  if (!file || !pool) throw new ConflictError('This file belongs to no group cloud.')
  if (file.copies >= (file.wantedCopies ?? pool.rules.copies)) throw new ConflictError('This file has all its copies.')
  const { hasMainCopy, holding } = file
  const plan = planCopies(pool.members, file.size, { ...pool.rules, copies: 1, exclude: new Set(holding), hasMainCopy })
  const [copy] = plan.placed ? plan.copies : []
  if (!copy) throw new ConflictError(plan.placed ? 'There is no room for it.' : plan.why)
  const copyId = randomUUID()
  await insertCopy(tx, { id: copyId, fileId, ...copy })
  await tx.query('update transfers set copy_id = $2, sent_bytes = 0, started_at = null where id = $1', [id, copyId])
}
