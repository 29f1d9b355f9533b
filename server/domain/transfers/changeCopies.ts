import type { ClientBase, Pool, PoolClient } from 'pg'
import { retryConflicts, transaction } from '../../db/pool.ts'
import type { ObjectStore } from '../../storage/objectStore.ts'
import { presentSql, refreshStates } from '../files/content/states.ts'
import type { RowDeps } from './deps.ts'

/** A transaction that changes copies, and what to do at its end. */
export type CopiesChange = {
  readonly tx: PoolClient
  /** Before the commit their states are recomputed, and staged bytes that they no longer need are released. */
  readonly fileIds: Set<string>
  /** Objects of this server to delete after the commit. */
  readonly localRefs: Set<string>
}

/**
 * Runs `work` in a transaction. Recomputes the states of the files that it adds to `fileIds` before the commit; after it, deletes
 * local objects and publishes the changed files. `work` locks accounts, then files, then transfers, and may be retried.
 */
export async function changeCopies<Result>(
  deps: RowDeps,
  work: (change: CopiesChange) => Promise<Result>,
): Promise<Result> {
  const { result, localRefs, released, changed } = await retryConflicts(() =>
    transaction(deps.pool, async (tx) => {
      const change: CopiesChange = { tx, fileIds: new Set(), localRefs: new Set() }
      const outcome = await work(change)
      const fileIds = [...change.fileIds]
      const unneeded: Released[] = fileIds.length === 0 ? [] : await releaseStaged(tx, fileIds)
      const states = fileIds.length === 0 ? [] : await refreshStates(tx, { fileIds })
      return { result: outcome, localRefs: change.localRefs, released: unneeded, changed: states }
    }),
  )
  for (const { userId, changedIds } of changed) publishFiles(deps, userId, changedIds)
  for (const ref of localRefs) await deps.storage.delete(ref)
  await deleteReleased(deps, released)
  return result
}

/** Publishes that the state of a transfer, and with it that of its file, has changed. */
export function publishTransfer(
  { events }: Pick<RowDeps, 'events'>,
  ids: { readonly id: string; readonly userId: string; readonly fileId: string },
  sentBytes: number,
): void {
  events.publish('transferProgressed', ids.userId, { transferId: ids.id, sentBytes, bytesPerSecond: null })
  publishFiles({ events }, ids.userId, [ids.fileId])
}

/** An event with more ids than this names none: clients reload everything they show. */
const MAX_IDS_IN_EVENT = 200

/** Publishes that these files have changed; nothing for an empty list. */
export function publishFiles({ events }: Pick<RowDeps, 'events'>, userId: string, fileIds: readonly string[]): void {
  if (fileIds.length === 0) return
  const truncated = fileIds.length > MAX_IDS_IN_EVENT
  const named = truncated ? [] : [...fileIds]
  events.publish('filesChanged', userId, { fileIds: named, removedIds: [], parentIds: [], truncated })
}

/** A staged object that is no longer needed. The row `removalId` makes sure that it is deleted, also after a crash. */
type Released = { readonly objectRef: string; readonly removalId: string }

/**
 * Releases the staged bytes of files whose copies are all stored on accounts that can be read. The object is recorded for removal
 * in case this process ends before it deletes it. An object that became the copy on this server is kept.
 */
const RELEASE = {
  name: 'transfers-release-staged',
  text: `with released as (
      update files f set staged_ref = null
      from (select id, staged_ref from files where id = any($1::uuid[]) and staged_ref is not null for update) old
      where f.id = old.id
        and exists (select from copies c where c.file_id = f.id and c.state = 'STORED')
        and not exists (select from copies c where c.file_id = f.id and c.state = 'STORING')
        and not exists (
          select from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
          where c.file_id = f.id and c.state = 'STORED' and not ${presentSql('a')})
      returning f.user_id, old.staged_ref
    )
    insert into object_removals (id, account_id, object_ref, next_try_at)
    select gen_random_uuid(), a.id, r.staged_ref, now() + interval '10 minutes'
    from released r join accounts a on a.user_id = r.user_id and a.provider = 'local'
    where not exists (select from pieces p join accounts l on l.id = p.account_id
      where p.object_ref = r.staged_ref and l.provider = 'local')
    returning id as "removalId", object_ref as "objectRef"`,
}

async function releaseStaged(client: ClientBase, fileIds: readonly string[]): Promise<Released[]> {
  const { rows } = await client.query<Released>({ ...RELEASE, values: [fileIds] })
  return rows
}

/** After the commit. */
async function deleteReleased(
  { pool, storage }: { pool: Pool; storage: Pick<ObjectStore, 'delete'> },
  released: readonly Released[],
): Promise<void> {
  if (released.length === 0) return
  for (const { objectRef } of released) await storage.delete(objectRef)
  await pool.query('delete from object_removals where id = any($1::uuid[])', [
    released.map(({ removalId }) => removalId),
  ])
}
