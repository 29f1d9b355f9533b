import type { ClientBase, Pool } from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import { newId } from '../../lib/ids.ts'
import type { Sealing } from '../../lib/sealing.ts'
import type { ProviderQuota } from '../../providers/driver.ts'
import type { Providers } from '../../providers/providers.ts'
import { AccountConnectedError, NotFoundError, OtherLoginError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'
import { providerHue } from './catalogue.ts'
import { lockCredentials, storeCredentials } from './credentials.ts'
import type { Grant } from './grants.ts'
import { hueFor } from './rules.ts'

export type ConnectDeps = { readonly pool: Pool; readonly sealing: Sealing; readonly providers: Providers }

const FIND = `select id, name, disconnected_at is not null as disconnected from accounts
  where user_id = $1 and provider = $2 and provider_account_id = $3`

const INSERT = `insert into accounts (id, user_id, provider, provider_account_id, name, email, hue,
    quota_state, quota_bytes, used_bytes, quota_checked_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8::"QuotaState", $9, $10, now())`

/** Its hue and its pieces stay what they were. */
const RENEW = `update accounts set name = coalesce($2, name), email = $3, status = 'CONNECTED', status_reason = null,
    unreachable_since = null, disconnected_at = null, quota_state = $4::"QuotaState", quota_bytes = $5,
    used_bytes = coalesce($6, used_bytes), quota_checked_at = now(), updated_at = now()
  where id = $1`

/**
 * The account of a granted login: a new one, or the one that was disconnected, under its old id.
 * @throws AccountConnectedError
 */
export function connectGrant(
  { pool, sealing, providers }: ConnectDeps,
  viewer: Viewer,
  name: string,
  grant: Grant,
): Promise<{ id: string; isNew: boolean }> {
  return retrying(() =>
    transaction(pool, async (client) => {
      // One at a time for each user, so that two new accounts do not take one hue.
      await client.query('select from users where id = $1 for no key update', [viewer.userId])
      const before = await findLogin(client, viewer, grant)
      if (before && !before.disconnected) {
        throw new AccountConnectedError(`This login is connected already, as “${before.name}”.`)
      }
      const id = before?.id ?? newId()
      if (before) await renew(client, id, name, grant)
      else await insert(client, viewer, id, name, grant, providerHue(providers, grant.provider))
      await storeCredentials(client, sealing, id, grant.credentials)
      return { id, isNew: !before }
    }),
  )
}

/** New credentials for an account whose login it is. @throws OtherLoginError, NotFoundError when it was disconnected meanwhile */
export async function reconnectGrant(
  { pool, sealing, providers }: ConnectDeps,
  viewer: Viewer,
  id: string,
  grant: Grant,
): Promise<void> {
  await transaction(pool, async (client) => {
    await lockCredentials(client, id)
    const { rows } = await client.query<{ subject: string | null; email: string | null }>(
      `select provider_account_id as subject, email from accounts
       where id = $1 and user_id = $2 and provider = $3 and disconnected_at is null for no key update`,
      [id, viewer.userId, grant.provider],
    )
    const account = rows[0]
    if (!account) throw new NotFoundError()
    if (account.subject !== grant.identity.subject) throw otherLogin(account.email, grant.identity.email)
    await renew(client, id, null, grant)
    await storeCredentials(client, sealing, id, grant.credentials)
  })
  providers.close(id)
}

async function findLogin(client: ClientBase, { userId }: Viewer, { provider, identity }: Grant) {
  const values = [userId, provider, identity.subject]
  return (await client.query<{ id: string; name: string; disconnected: boolean }>(`${FIND} for no key update`, values))
    .rows[0]
}

async function insert(
  client: ClientBase,
  { userId }: Viewer,
  id: string,
  name: string,
  grant: Grant,
  ownHue: number,
): Promise<void> {
  const { provider, identity } = grant
  const { rows } = await client.query<{ hue: number }>(
    'select hue from accounts where user_id = $1 and disconnected_at is null',
    [userId],
  )
  const hue = hueFor(ownHue, new Set(rows.map((row) => row.hue)))
  const { state, totalBytes, usedBytes } = quotaColumns(grant.quota)
  const values = [id, userId, provider, identity.subject, name, identity.email, hue, state, totalBytes, usedBytes ?? 0]
  await client.query(INSERT, values)
}

async function renew(client: ClientBase, id: string, name: string | null, { identity, quota }: Grant): Promise<void> {
  const { state, totalBytes, usedBytes } = quotaColumns(quota)
  await client.query(RENEW, [id, name, identity.email, state, totalBytes, usedBytes])
}

/** What a provider says, as columns hold it: whole bytes, a total only where it is known. */
export function quotaColumns({ state, totalBytes, usedBytes }: ProviderQuota): ProviderQuota {
  const whole = (bytes: number | null) => (bytes === null || !(bytes >= 0) ? null : Math.floor(bytes))
  const total = state === 'KNOWN' ? whole(totalBytes) : null
  return {
    state: state === 'KNOWN' && total === null ? 'UNKNOWN' : state,
    totalBytes: total,
    usedBytes: whole(usedBytes),
  }
}

function otherLogin(own: string | null, other: string | null): OtherLoginError {
  const which = other === null ? 'another login' : `another login (${other})`
  const needed = own === null ? 'the one that it was connected with' : own
  return new OtherLoginError(`This is ${which}. Please sign in to the provider as ${needed}. Nothing was changed.`)
}
