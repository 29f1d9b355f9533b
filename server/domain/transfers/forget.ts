import { changeCopies } from './changes.ts'
import type { RowDeps } from './deps.ts'
import { lockAccounts } from './members.ts'
import { enqueueSettle } from './settle.ts'
import { dropCopies } from './settleFiles.ts'

/** How long what is over can be looked up. A move or drain that its user gave up is what keeps the file where it is. */
const FORGET = `delete from transfers where state in ('DONE', 'CANCELLED') and ended_at < $1::timestamptz - interval '7 days'
  and (state = 'DONE' or error is not null or kind in ('STORE', 'REPAIR'))`

const FAILED = `select id, user_id as "userId", file_id as "fileId", copy_id as "copyId",
    array(select p.id::text from pieces p where p.copy_id = t.copy_id) as "pieceIds"
  from transfers t where state = 'FAILED' and ended_at < $1::timestamptz - interval '7 days'`
const BATCH = 500

type Failed = {
  readonly id: string
  readonly userId: string
  readonly fileId: string
  readonly copyId: string | null
  readonly pieceIds: readonly string[]
}

/** Transfers that are over for a week. What those that failed have begun is removed, and their files are planned anew. */
export async function forgetOver(deps: RowDeps): Promise<void> {
  const now = new Date(deps.clock.now())
  await deps.pool.query(FORGET, [now])
  const { rows } = await deps.pool.query<Failed>(`${FAILED} order by ended_at limit ${BATCH}`, [now])
  for (const userId of new Set(rows.map((row) => row.userId))) {
    const ids = rows.filter((row) => row.userId === userId).map(({ id }) => id)
    await giveUp(deps, userId, ids, now)
  }
}

async function giveUp(deps: RowDeps, userId: string, ids: readonly string[], now: Date): Promise<void> {
  await changeCopies(deps, async (change) => {
    const { tx } = change
    await lockAccounts(tx, userId)
    await tx.query(
      `select from files where id in (select file_id from transfers where id = any($1::uuid[])) order by id for update`,
      [ids],
    )
    // Read again: one of them may have been tried again meanwhile.
    const { rows } = await tx.query<Failed>(`${FAILED} and id = any($2::uuid[]) order by id for update`, [now, ids])
    const copies = rows.flatMap(({ copyId, pieceIds }) => (copyId === null ? [] : [{ id: copyId, pieceIds }]))
    await dropCopies(deps, change, copies)
    await tx.query('delete from transfers where id = any($1::uuid[])', [rows.map(({ id }) => id)])
    const fileIds = [...new Set(rows.map(({ fileId }) => fileId))]
    for (const id of fileIds) change.fileIds.add(id)
    if (fileIds.length > 0) await enqueueSettle(tx, deps.enqueue, { userId, fileIds })
  })
}
