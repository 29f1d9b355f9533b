import { randomUUID } from 'node:crypto'
import type { PoolClient } from 'pg'
import { keepCause } from '../../lib/cause.ts'
import { ConflictError, NotFoundError } from '../errors.ts'
import { cancelArriving } from '../files/tree/arriving.ts'
import { changeTree, lockAccounts } from '../files/tree/change.ts'
import { mainCopySql } from '../groupClouds/members.ts'
import { planCopies } from '../groupClouds/placement.ts'
import type { Viewer } from '../viewer.ts'
import type { RowDeps, TransferState } from './contract.ts'
import { insertCopy, loadPools } from './planning.ts'
import { dropCopies } from './reconcile.ts'
import { type CopiesChange, changeCopies, publishTransfer } from './work.ts'

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

export async function pauseTransfer(deps: RowDeps, viewer: Viewer, id: string): Promise<void> {
  await command(deps, viewer, id, async ({ tx }, { state }) => {
    if (ENDED.has(state) || state === 'FAILED') throw new ConflictError('This transfer has ended.')
    await tx.query(`update transfers set state = 'PAUSED', next_try_at = null where id = $1`, [id])
  })
}

export async function resumeTransfer(deps: RowDeps, viewer: Viewer, id: string): Promise<void> {
  await command(deps, viewer, id, async ({ tx }, { state }) => {
    if (ENDED.has(state) || state === 'FAILED') throw new ConflictError('This transfer has ended.')
    await tx.query(`update transfers set state = 'WAITING', error = null where id = $1 and state = 'PAUSED'`, [id])
  })
}

const CANCEL = `update transfers set state = 'CANCELLED', error = null, next_try_at = null, ended_at = $2 where id = $1`

export async function cancelTransfer(deps: RowDeps, viewer: Viewer, id: string): Promise<void> {
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

export async function retryTransfer(deps: RowDeps, viewer: Viewer, id: string): Promise<void> {
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
