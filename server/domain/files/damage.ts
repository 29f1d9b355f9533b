import { transaction } from '../../db/transaction.ts'
import { enqueueSettle } from '../transfers/settle.ts'
import type { ChangeDeps } from './change.ts'
import { refreshStates, tellStates } from './states.ts'

/** A copy does not hold the bytes that were stored: it is never read again, and another one is made where that is possible. */
export async function markDamaged(
  { pool, events, enqueue }: ChangeDeps,
  file: { readonly id: string; readonly userId: string },
  copyId: string,
): Promise<void> {
  const changes = await transaction(pool, async (tx) => {
    await tx.query('select from files where id = $1 for no key update', [file.id])
    const { rowCount } = await tx.query(`update copies set state = 'MISSING' where id = $1 and state = 'STORED'`, [
      copyId,
    ])
    // Nothing that its account finds again makes it whole.
    await tx.query('update pieces set missing_since = null where copy_id = $1 and missing_since is not null', [copyId])
    if (rowCount === 0) return []
    await enqueueSettle(tx, enqueue, { userId: file.userId, fileIds: [file.id] })
    return refreshStates(tx, { fileIds: [file.id] })
  })
  tellStates(events, changes)
}
