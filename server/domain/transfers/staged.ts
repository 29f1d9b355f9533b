import type { ClientBase, Pool } from 'pg'
import type { ObjectStore } from '../../storage/objectStore.ts'
import { presentSql } from '../files/accountLoss.ts'

/** A staged object that is not needed any more. `removalId` notes it in the database until it is deleted. */
export type Released = { readonly objectRef: string; readonly removalId: string }

/**
 * Lets go of the staged bytes of those files whose copies are all stored where they can be read. The object is noted for
 * removal, in case this process ends before it deletes it; one that a local piece has adopted stays.
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

export async function releaseStaged(client: ClientBase, fileIds: readonly string[]): Promise<Released[]> {
  const { rows } = await client.query<Released>({ ...RELEASE, values: [fileIds] })
  return rows
}

/** After the commit. */
export async function deleteReleased(
  { pool, storage }: { pool: Pool; storage: Pick<ObjectStore, 'delete'> },
  released: readonly Released[],
): Promise<void> {
  if (released.length === 0) return
  for (const { objectRef } of released) await storage.delete(objectRef)
  await pool.query('delete from object_removals where id = any($1::uuid[])', [
    released.map(({ removalId }) => removalId),
  ])
}
