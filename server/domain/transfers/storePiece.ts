import { leaveRemnants } from '../files/removals.ts'
import { enqueueRenames } from '../files/renameObjects.ts'
import { changeCopies } from './changes.ts'
import type { RowDeps } from './deps.ts'
import type { StoredObject } from './sendPiece.ts'
import { enqueueSettle } from './settle.ts'
import { tellTransfer } from './transferStates.ts'
import type { PieceWork, TransferWork } from './work.ts'

const STORE_PIECE = {
  name: 'transfers-store-piece',
  text: `with stored as (
      update pieces set state = 'STORED', object_ref = $2, hash = $3, object_path = $4, session = null, sent_bytes = size
      where id = $1 and state = 'PLANNED' returning account_id, size, copy_id
    ), counted as (
      update accounts a set reserved_bytes = a.reserved_bytes - s.size, used_bytes = a.used_bytes + s.size, updated_at = now()
      from stored s where a.id = s.account_id
    )
    select copy_id from stored`,
}

const FINISH = {
  name: 'transfers-finish-copy',
  text: `with finished as (
      update copies set state = 'STORED' where id = $1 and state = 'STORING'
        and not exists (select from pieces where copy_id = $1 and state <> 'STORED') returning id
    )
    update transfers set state = 'DONE', sent_bytes = total_bytes, error = null, next_try_at = null, ended_at = $3
    from finished where transfers.id = $2
    returning exists (
      select from copies c join pieces p on p.copy_id = c.id join files f on f.id = c.file_id
        left join group_cloud_members m on m.group_cloud_id = f.group_cloud_id and m.account_id = p.account_id
      where f.id = transfers.file_id and (m.account_id is null or m.draining)) as misplaced,
      (select f.name from files f where f.id = transfers.file_id) as name`,
}

export type PieceOutcome = 'STORED' | 'FINISHED' | 'GONE'

/**
 * A verified piece becomes part of its copy, the last one finishes copy and transfer, and the last copy frees the staged bytes:
 * all in one transaction. GONE: the piece is not wanted any more, and its object is noted for removal.
 */
export async function storePiece(
  deps: RowDeps,
  work: TransferWork,
  piece: PieceWork,
  stored: StoredObject,
): Promise<PieceOutcome> {
  const outcome = await changeCopies(deps, async (change): Promise<PieceOutcome> => {
    const { tx } = change
    await tx.query('select from accounts where id = $1 for no key update', [piece.accountId])
    const file = await tx.query('select from files where id = $1 and purged_at is null for update', [work.fileId])
    const kept = file.rowCount
      ? await tx.query({ ...STORE_PIECE, values: [piece.id, stored.ref, stored.hash, stored.path] })
      : null
    if (!kept?.rowCount) {
      const { ref: objectRef, hash } = stored
      const remnant = {
        accountId: piece.accountId,
        pieceId: piece.id,
        objectRef,
        session: null,
        size: piece.size,
        hash,
      }
      await leaveRemnants(tx, deps.enqueue, [remnant])
      return 'GONE'
    }
    const values = [work.copyId, work.id, new Date(deps.clock.now())]
    const finished = await tx.query<{ misplaced: boolean; name: string }>({ ...FINISH, values })
    const [end] = finished.rows
    if (!end) return 'STORED'
    change.fileIds.add(work.fileId)
    // It was renamed while it was sent.
    if (end.name !== work.fileName) await enqueueRenames(tx, deps.enqueue, [work.fileId])
    // What stood elsewhere only until now can go.
    const { userId, fileId, kind } = work
    if (end.misplaced || kind !== 'STORE') await enqueueSettle(tx, deps.enqueue, { userId, fileIds: [fileId] })
    return 'FINISHED'
  })
  if (outcome === 'FINISHED') tellTransfer(deps, work, work.fileSize)
  return outcome
}

const DONE = `with stored as (update copies set state = 'STORED' where id = $1 and state = 'STORING')
  update transfers set state = 'DONE', sent_bytes = total_bytes, error = null, next_try_at = null, ended_at = $3
  where id = $2 and state = 'RUNNING'`

/** For a transfer all of whose pieces are stored. */
export async function finishTransfer(deps: RowDeps, work: TransferWork): Promise<void> {
  await changeCopies(deps, async ({ tx, fileIds }) => {
    await tx.query('select from files where id = $1 for update', [work.fileId])
    await tx.query(DONE, [work.copyId, work.id, new Date(deps.clock.now())])
    fileIds.add(work.fileId)
  })
  tellTransfer(deps, work, work.fileSize)
}
