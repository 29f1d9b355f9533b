import { newId } from '../../lib/ids.ts'
import type { EntryRef } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import { forgetPlace, type ProviderLinkDeps } from './providerLinks.ts'
import { NOT_ENDED } from './rows.ts'

const BATCH = 50

type Row = {
  readonly id: string
  readonly account_id: string
  readonly ref: string
  /** Another share lives by the same link. */
  readonly shared: boolean
}

/** Of `shares s join files f`: whether the provider's link may stay. One without an address was being made when something broke. */
const STAYS = `(${NOT_ENDED} and s.password_hash is null and s.max_downloads is null
  and f.purged_at is null and f.trash_root_id is null
  and (s.provider_url is not null or s.created_at > now() - interval '5 minutes')
  and exists (select from copies c join pieces p on p.copy_id = c.id
    where c.file_id = s.file_id and p.account_id = s.provider_account_id and p.object_ref = s.provider_ref))`

/** Exported for the tests of its plan. */
export const LINKS_DUE = `select s.id, s.provider_account_id as account_id, s.provider_ref as ref, exists (
    select from shares o where o.provider_account_id = s.provider_account_id and o.provider_ref = s.provider_ref
      and o.id <> s.id and exists (select from files f where f.id = o.file_id and ${STAYS.replaceAll('s.', 'o.')})) as shared
  from shares s join files f on f.id = s.file_id join accounts a on a.id = s.provider_account_id
  where s.provider_ref is not null and not ${STAYS} and a.status = 'CONNECTED' and a.disconnected_at is null and s.id > $1
  order by s.id limit ${BATCH}`

/** Takes back the links of providers whose shares have ended, changed or moved on. What an account refuses now is tried again by the next run. */
export async function takeBackLinks(deps: ProviderLinkDeps, signal: AbortSignal): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await deps.pool.query<Row>(LINKS_DUE, [after])
    for (const row of rows) {
      signal.throwIfAborted()
      await takeBack(deps, row, signal)
      after = row.id
    }
    if (rows.length < BATCH) return
  }
}

async function takeBack(deps: ProviderLinkDeps, { id, account_id: accountId, ref, shared }: Row, signal: AbortSignal) {
  try {
    const driver = shared ? null : await deps.openDriver(accountId)
    await driver?.unshare?.({ signal, requestId: newId() }, ref as EntryRef)
    if (driver) deps.report.worked(accountId)
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ProviderError)) throw error
    if (error.code !== 'NotFound') return deps.report.failed(accountId, error)
  }
  await forgetPlace(deps.pool, id)
}
