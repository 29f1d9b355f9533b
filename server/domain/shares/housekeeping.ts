import { changeShares, endShares, lockFileOf, type ShareChangeDeps } from './changes.ts'
import { forgetStaleClaims } from './claims.ts'
import type { ProviderLinkDeps } from './providerLinks.ts'
import { RUN_OUT } from './rows.ts'
import { takeBackLinks } from './takeBack.ts'

const BATCH = 200

/** Each by an index of its own. Exported for the tests of its plan. */
export const DUE = `select user_id, file_id, array_agg(id)::text[] as ids from (
    select s.id, s.user_id, s.file_id from shares s where s.ended_at is null and s.expires_at <= now()
    union select s.id, s.user_id, s.file_id from shares s where s.ended_at is null and s.downloads >= s.max_downloads
    union select s.id, s.user_id, s.file_id from files f join shares s on s.file_id = f.id and s.ended_at is null
      where f.purged_at is not null) due
  group by user_id, file_id limit ${BATCH}`

type Row = { readonly user_id: string; readonly file_id: string; readonly ids: string[] }

/** Marks what has run out as ended, gives back what crashed downloads hold, and takes back the providers' links of what has ended. */
export async function endDueShares(deps: ShareChangeDeps & ProviderLinkDeps, signal: AbortSignal): Promise<void> {
  await forgetStaleClaims(deps.pool)
  for (;;) {
    signal.throwIfAborted()
    const { rows } = await deps.pool.query<Row>(DUE)
    for (const row of rows) await endOfFile(deps, row)
    if (rows.length < BATCH) break
  }
  await takeBackLinks(deps, signal)
}

async function endOfFile(deps: ShareChangeDeps, { user_id: userId, file_id: fileId, ids }: Row): Promise<void> {
  await changeShares(deps, async (change) => {
    await lockFileOf(change, fileId)
    // Whatever its owner has changed since it was found is looked at again.
    const { rows } = await change.tx.query<{ id: string }>(
      `select s.id from shares s join files f on f.id = s.file_id
       where s.id = any($1::uuid[]) and ((${RUN_OUT}) or s.ended_at is null and f.purged_at is not null)`,
      [ids],
    )
    await endShares(
      change,
      userId,
      fileId,
      rows.map(({ id }) => id),
    )
  })
}
