import { transaction } from '../../db/transaction.ts'
import { newId } from '../../lib/ids.ts'
import type { EntryRef } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { JobInputs } from '../jobs.ts'
import type { ChangeDeps } from './change.ts'
import type { RemoveObjectsDeps } from './removeObjects.ts'
import { isSame, recordSeen, type StoredObject } from './seenObjects.ts'
import { lookAgain, markLost, markSeen } from './unseen.ts'

export type SeekDeps = ChangeDeps & Pick<RemoveObjectsDeps, 'openDriver' | 'report'>

const FIND = `select p.account_id as "accountId", p.id as "pieceId", c.id as "copyId", f.id as "fileId", f.user_id as "userId",
    p.object_ref as ref, p.size::float8 as size, p.hash, p.object_path as path, true as missing, p.changed_at is not null as changed, false as damaged
  from pieces p join copies c on c.id = p.copy_id join files f on f.id = c.file_id
  where p.id = $1 and p.missing_since is not null and f.purged_at is null`

type Unseen = StoredObject & { readonly accountId: string }

/** Whether an object that an account did not find is there by now, is another one, or is lost; and the next look where it is not there. */
export async function seekObject(
  deps: SeekDeps,
  { pieceId, look }: JobInputs['seekObject'],
  signal: AbortSignal,
): Promise<void> {
  const { rows } = await deps.pool.query<Unseen>(FIND, [pieceId])
  const [unseen] = rows
  if (!unseen) return
  const file = { id: unseen.fileId, userId: unseen.userId }
  const seen = await ask(deps, unseen, signal)
  if (seen === 'NOBODY') return forget(deps, pieceId)
  if (seen === 'SAME') return markSeen(deps, file, pieceId)
  if (seen === 'OTHER') return recordSeen(deps, [{ ...unseen, object: unseen, verdict: 'OTHER' }])
  if (seen === 'NOTHING') await markLost(deps, file, pieceId)
  const next = { pieceId, look: seen === 'NOTHING' ? look + 1 : look }
  await transaction(deps.pool, (tx) => lookAgain(tx, deps.enqueue, next))
}

/** Nobody can be asked: whoever reads it once the account is back asks anew. A copy that counts as lost stays so. */
async function forget({ pool }: SeekDeps, pieceId: string): Promise<void> {
  await pool.query(
    `update pieces p set missing_since = null from copies c where p.id = $1 and c.id = p.copy_id and c.state = 'STORED'`,
    [pieceId],
  )
}

async function ask(
  { openDriver, report }: SeekDeps,
  { accountId, ref, ...stored }: Unseen,
  signal: AbortSignal,
): Promise<'SAME' | 'OTHER' | 'NOTHING' | 'NO_ANSWER' | 'NOBODY'> {
  try {
    const driver = await openDriver(accountId)
    // Only refs that this driver has issued are stored.
    const seen = await driver.stat({ signal, requestId: newId() }, ref as EntryRef)
    report.worked(accountId)
    return isSame(stored, seen, driver.capabilities.hash) ? 'SAME' : 'OTHER'
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ProviderError)) throw error
    report.failed(accountId, error)
    if (error.code === 'ReconnectNeeded') return 'NOBODY'
    return error.code === 'NotFound' ? 'NOTHING' : 'NO_ANSWER'
  }
}
