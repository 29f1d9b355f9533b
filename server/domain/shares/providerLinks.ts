import { newId } from '../../lib/ids.ts'
import type { Driver, EntryRef, ShareLink } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { OpenDriver } from '../accounts/credentials.ts'
import type { Queryable } from '../files/tree/entries.ts'
import { changeShares, endShares, lockFileOf, type ShareChangeDeps } from './changes.ts'
import { NOT_ENDED, RUN_OUT, type ShareInput } from './contract.ts'
import { forgetStaleClaims } from './downloads.ts'

/** The user waits for the link. */
const TIMEOUT_MS = 8_000

export type ProviderLinkDeps = {
  readonly pool: Queryable
  readonly openDriver: OpenDriver
  readonly report: { failed(accountId: string, error: ProviderError): void; worked(accountId: string): void }
}

type Place = { readonly account_id: string; readonly object_ref: string; readonly name: string }

/** Copies in one piece on connected accounts; the storage of this server has no provider links. */
const PLACES = `select p.account_id, p.object_ref, a.name
  from copies c join pieces p on p.copy_id = c.id join accounts a on a.id = p.account_id
  where c.file_id = $1 and ($2::uuid is null or c.id = $2) and c.state = 'STORED' and p.state = 'STORED'
    and p.object_ref is not null and a.provider <> 'local' and a.status = 'CONNECTED' and a.disconnected_at is null
    and (select count(*) from pieces x where x.copy_id = c.id) = 1
  order by c.created_at, c.id`

const NO_PLACE = 'No copy of it is stored in one piece on an account whose provider supports links.'

/**
 * Creates a provider's own link for a share. Its place is stored first, so that the link can be revoked after a crash.
 * @returns a message why there is none; null: success
 */
export async function makeProviderLink(
  deps: ProviderLinkDeps,
  shareId: string,
  { fileId, copyId }: Pick<ShareInput, 'fileId' | 'copyId'>,
): Promise<string | null> {
  const { rows } = await deps.pool.query<Place>(PLACES, [fileId, copyId ?? null])
  let why = NO_PLACE
  for (const place of rows) {
    const outcome = await tryPlace(deps, shareId, place)
    if (outcome === 'made') return null
    if (outcome === 'cannot') continue
    why = `“${place.name}” did not create its own link. The link of Skypool works without it.`
    if (outcome === 'unknown') return why
  }
  return why
}

/** 'unknown': there may be a link; the job revokes it. */
type Outcome = 'made' | 'refused' | 'cannot' | 'unknown'

async function tryPlace(
  deps: ProviderLinkDeps,
  shareId: string,
  { account_id: accountId, object_ref: ref }: Place,
): Promise<Outcome> {
  const { pool, report } = deps
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  let isAsked = false
  try {
    const driver = await deps.openDriver(accountId)
    if (!driver.share) return 'cannot'
    await writePlace(pool, shareId, accountId, ref, null)
    isAsked = true
    const { url } = await requestLink(driver, timeout, ref as EntryRef, await endOfLink(pool, accountId, ref))
    report.worked(accountId)
    // Stores the place again: if the share has ended in the meantime, the place was deleted before there was a link to revoke.
    await writePlace(pool, shareId, accountId, ref, url)
    return 'made'
  } catch (error) {
    if (timeout.aborted) return 'unknown'
    if (!(error instanceof ProviderError)) throw error
    report.failed(accountId, error)
    if (isAsked && error.code !== 'Forbidden' && error.code !== 'NotFound') return 'unknown'
    await forgetPlace(pool, shareId)
    return 'refused'
  }
}

/** After a change of a share's expiry: a provider link with an expiry must last as long as all shares that use it. */
export async function moveLinkEnd({ pool, openDriver, report }: ProviderLinkDeps, shareId: string): Promise<void> {
  const { rows } = await pool.query<{ account_id: string; ref: string }>(
    `select provider_account_id as account_id, provider_ref as ref from shares where id = $1 and provider_url is not null`,
    [shareId],
  )
  const [place] = rows
  if (!place) return
  try {
    const driver = await openDriver(place.account_id)
    const until = await endOfLink(pool, place.account_id, place.ref)
    await requestLink(driver, AbortSignal.timeout(TIMEOUT_MS), place.ref as EntryRef, until)
    report.worked(place.account_id)
  } catch (error) {
    if (error instanceof ProviderError) report.failed(place.account_id, error)
    else if (!isTimeout(error)) throw error
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

/** When the last share that uses the link expires; null: never. */
async function endOfLink(pool: Queryable, accountId: string, ref: string): Promise<Date | null> {
  const { rows } = await pool.query<{ until: Date | null }>(
    `select case when bool_and(expires_at is not null) then max(expires_at) end as until from shares
     where provider_account_id = $1 and provider_ref = $2 and ended_at is null`,
    [accountId, ref],
  )
  return rows[0]?.until ?? null
}

async function writePlace(pool: Queryable, shareId: string, accountId: string, ref: string, url: string | null) {
  await pool.query('update shares set provider_account_id = $2, provider_ref = $3, provider_url = $4 where id = $1', [
    shareId,
    accountId,
    ref,
    url,
  ])
}

/** With an expiry where the provider supports it; otherwise the job revokes the link. */
async function requestLink(
  driver: Driver,
  signal: AbortSignal,
  ref: EntryRef,
  expiresAt: Date | null,
): Promise<ShareLink> {
  const share = (until: Date | null) => {
    if (!driver.share) throw new Error('The driver does not support links.')
    return driver.share({ signal, requestId: newId() }, ref, until)
  }
  return share(expiresAt).catch((error: unknown) => {
    if (expiresAt === null || !(error instanceof ProviderError) || error.code !== 'Forbidden') throw error
    return share(null)
  })
}

async function forgetPlace(pool: Queryable, shareId: string): Promise<void> {
  await pool.query(
    'update shares set provider_url = null, provider_account_id = null, provider_ref = null where id = $1',
    [shareId],
  )
}

const LINKS_AT_ONCE = 50

type LinkToRevoke = {
  readonly id: string
  readonly account_id: string
  readonly ref: string
  /** Another share uses the same link. */
  readonly shared: boolean
}

/** Condition on `shares s join files f`: the provider link is still needed. One without a URL was interrupted while it was created. */
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
  order by s.id limit ${LINKS_AT_ONCE}`

/** Revokes provider links whose shares have ended or changed or whose copies have moved. Failures are retried by the next run. */
export async function revokeLinks(deps: ProviderLinkDeps, signal: AbortSignal): Promise<void> {
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const { rows } = await deps.pool.query<LinkToRevoke>(LINKS_DUE, [after])
    for (const row of rows) {
      signal.throwIfAborted()
      await revokeLink(deps, row, signal)
      after = row.id
    }
    if (rows.length < LINKS_AT_ONCE) return
  }
}

async function revokeLink(
  deps: ProviderLinkDeps,
  { id, account_id: accountId, ref, shared }: LinkToRevoke,
  signal: AbortSignal,
) {
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

const SHARES_AT_ONCE = 200

/** Each part uses its own index. Exported for the tests of its plan. */
export const DUE = `select user_id, file_id, array_agg(id)::text[] as ids from (
    select s.id, s.user_id, s.file_id from shares s where s.ended_at is null and s.expires_at <= now()
    union select s.id, s.user_id, s.file_id from shares s where s.ended_at is null and s.downloads >= s.max_downloads
    union select s.id, s.user_id, s.file_id from files f join shares s on s.file_id = f.id and s.ended_at is null
      where f.purged_at is not null) due
  group by user_id, file_id limit ${SHARES_AT_ONCE}`

type DueShares = { readonly user_id: string; readonly file_id: string; readonly ids: string[] }

/** Marks expired and used-up shares as ended, releases claims of crashed downloads, and revokes provider links of ended shares. */
export async function endDueShares(deps: ShareChangeDeps & ProviderLinkDeps, signal: AbortSignal): Promise<void> {
  await forgetStaleClaims(deps.pool)
  for (;;) {
    signal.throwIfAborted()
    const { rows } = await deps.pool.query<DueShares>(DUE)
    for (const row of rows) await endOfFile(deps, row)
    if (rows.length < SHARES_AT_ONCE) break
  }
  await revokeLinks(deps, signal)
}

async function endOfFile(deps: ShareChangeDeps, { user_id: userId, file_id: fileId, ids }: DueShares): Promise<void> {
  await changeShares(deps, async (change) => {
    await lockFileOf(change, fileId)
    // Checked again: the owner may have changed them since.
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
