import type { Pool } from 'pg'
import { transaction } from '../../db/pool.ts'
import { type ChangeDeps, changeTree } from '../files/tree/change.ts'
import type { ProtectionHousekeeping } from '../housekeeping.ts'
import { discardContents, followChanges } from './follow.ts'
import { endProtections } from './service.ts'

/** Rows per transaction. */
const BATCH = 500

export function createProtectionHousekeeping(deps: ChangeDeps): ProtectionHousekeeping {
  return {
    follow: (accountId, fileIds) => followChanges(deps, { accountId, fileIds: fileIds ?? null }),
    async sweep(signal) {
      await removeInBatches(deps, signal, EXPIRED)
      await removeInBatches(deps, signal, LEFT_OVER)
      await endEmpty(deps, signal)
      await followAll(deps)
    },
  }
}

/**
 * Versions whose days are over, by the database's clock. The newest one stays while the version that follows it is not stored: it is the
 * only copy.
 */
const EXPIRED = `select c.id, c.user_id as "userId" from protected_versions v join protections p on p.id = v.protection_id
    join files c on c.id = v.content_id
  where v.ended_at < now() - p.keep_versions_days * interval '1 day' and c.purged_at is null
    and not (exists (select from protected_versions n where n.file_id = v.file_id and n.ended_at is null and n.content_id is null)
      and not exists (select from protected_versions n where n.file_id = v.file_id and n.content_id is not null and n.ended_at > v.ended_at))
  order by c.user_id limit ${BATCH}`

/** Copies that a crash has left without a version. A job attaches them within its attempts. */
const LEFT_OVER = `select c.id, c.user_id as "userId" from protections p join files c on c.parent_id = p.container_id
  where c.purged_at is null and c.created_at < now() - interval '1 day'
    and not exists (select from protected_versions v where v.content_id = c.id) order by c.user_id limit ${BATCH}`

async function removeInBatches(
  deps: ChangeDeps,
  signal: AbortSignal,
  statement: typeof EXPIRED | typeof LEFT_OVER,
): Promise<void> {
  for (let count = BATCH; count === BATCH; ) {
    signal.throwIfAborted()
    const { rows } = await deps.pool.query<{ id: string; userId: string }>(statement)
    count = rows.length
    for (const userId of new Set(rows.map((row) => row.userId))) {
      const ids = rows.filter((row) => row.userId === userId).map(({ id }) => id)
      await discardContents(deps, userId, ids)
    }
  }
}

/** Protected folders that are gone, with all of their versions. */
async function endEmpty(deps: ChangeDeps, signal: AbortSignal): Promise<void> {
  const { rows } = await deps.pool.query<{ folderId: string; userId: string }>(
    `select p.folder_id as "folderId", p.user_id as "userId" from protections p
     where not exists (select from files f where f.id = p.folder_id)
       and not exists (select from protected_versions v where v.protection_id = p.id)`,
  )
  for (const { folderId, userId } of rows) {
    signal.throwIfAborted()
    await changeTree(deps, { userId }, (change) => endProtections(change, { folderId }))
  }
}

/** What an event did not mention, and what failed an hour ago. */
async function followAll({ pool, enqueue }: { readonly pool: Pool; readonly enqueue: ChangeDeps['enqueue'] }) {
  const { rows } = await pool.query<{ accountId: string }>('select distinct account_id as "accountId" from protections')
  await transaction(pool, async (tx) => {
    for (const { accountId } of rows) {
      await enqueue(tx, 'protectFiles', { accountId }, { key: `protect ${accountId}` })
    }
  })
}
