import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { ClientBase, Pool } from 'pg'
import { retrying, transaction } from '../../db/transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import type { Call, Credentials, FormValues, Identity, OAuth, ProviderQuota } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { Providers } from '../../providers/providers.ts'
import {
  AccountConnectedError,
  AuthorizationFailedError,
  NotFoundError,
  OtherLoginError,
  ProviderFailedError,
  ProviderUnavailableError,
} from '../errors.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import { formOf, oauthOf, providerHue, providerName } from './catalogue.ts'
import { lockCredentials, storeCredentials } from './credentials.ts'
import { hueFor } from './rows.ts'

/** 256 bits (RFC 9700 4.7, RFC 7636 7.1). */
const STATE_BYTES = 32
const VERIFIER_BYTES = 48
/** Of one session; older ones are forgotten. */
const MOST_OPEN = 20

const BEGIN = `insert into oauth_states (id, state_hash, user_id, session_id, provider, account_id, verifier, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, now() + interval '10 minutes')`

const TRIM = `delete from oauth_states where session_id = $1 and id not in (
  select id from oauth_states where session_id = $1 order by created_at desc, id desc limit ${MOST_OPEN})`

/**
 * One statement, so that of two requests with one state one gets it. A state for one account reconnects that one and does nothing
 * else; one for no account connects, and also reconnects, because clients of the specification ask for it before they know.
 */
const CLAIM = `update oauth_states set used_at = now() where used_at is null and id = (
    select id from oauth_states
    where session_id = $1 and user_id = $2 and provider = $3 and used_at is null and expires_at > now()
      and (account_id is null or account_id = $4) and ($5::bytea is null or state_hash = $5)
    order by created_at desc, id desc limit 1 for update)
  returning id, verifier`

export type Purpose = { readonly provider: string; readonly accountId: string | null }
export type Begun = { readonly state: string; readonly codeChallenge: string }

export type AuthorizationsDeps = {
  readonly pool: pg.Pool
  readonly encryption: Encryption
  /** Told when a code was accepted without its state, which no browser of ours leaves out. */
  readonly onStateOmitted?: (use: { readonly userId: string; readonly provider: string }) => void
}

export type Authorizations = {
  begin(viewer: Viewer, purpose: Purpose): Promise<Begun>
  /** The code verifier of a live state, which counts no more from then on. Without `state`, the session's newest. @throws AuthorizationFailedError */
  claim(viewer: Viewer, purpose: Purpose, state: string | undefined): Promise<string>
}

/** Authorizations under way: states and PKCE verifiers (RFC 7636), bound to session, user, provider and account. */
export function createAuthorizations({ pool, encryption, onStateOmitted }: AuthorizationsDeps): Authorizations {
  return {
    async begin(viewer, { provider, accountId }) {
      const { userId } = viewer
      const sessionId = sessionOf(viewer)
      const id = newId()
      const state = randomBytes(STATE_BYTES).toString('base64url')
      const verifier = randomBytes(VERIFIER_BYTES).toString('base64url')
      const sealed = encryption.seal(verifier, contextOf(id))
      await pool.query(BEGIN, [id, sha256(state), userId, sessionId, provider, accountId, sealed])
      await pool.query(TRIM, [sessionId])
      return { state, codeChallenge: sha256(verifier).toString('base64url') }
    },
    async claim(viewer, { provider, accountId }, state) {
      const hash = state === undefined ? null : sha256(state)
      const values = [sessionOf(viewer), viewer.userId, provider, accountId, hash]
      const { rows } = await pool.query<{ id: string; verifier: string }>(CLAIM, values)
      if (!rows[0]) {
        throw new AuthorizationFailedError(
          'This authorization is unknown, used already or older than ten minutes. Please connect again.',
        )
      }
      if (state === undefined) onStateOmitted?.({ userId: viewer.userId, provider })
      return encryption.open(rows[0].verifier, contextOf(rows[0].id))
    },
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function contextOf(id: string): string {
  return `oauth_states:${id}`
}

const EXCHANGE_MS = 30_000
const REVOKE_MS = 10_000
/** What follows "… did not accept". */
const AUTHORIZATION_REFUSED = 'the authorization. Please connect again.'
const VALUES_REFUSED = 'what you entered. Please check it and try again.'

/** What somebody has granted: whose it is, and what opens it. */
export type Grant = {
  readonly provider: string
  readonly credentials: Credentials
  readonly identity: Identity
  readonly quota: ProviderQuota
}

export type Code = { readonly code: string; readonly verifier: string; readonly origin: string }

export type GrantsDeps = {
  readonly pool: pg.Pool
  readonly providers: Providers
  readonly onError: (error: unknown) => void
}

export type Grants = {
  /** @throws AuthorizationFailedError, ProviderUnavailableError, ProviderFailedError */
  take(provider: string, code: Code): Promise<Grant>
  /** By what was typed into the provider's form, without a problem. @throws as take */
  takeForm(provider: string, values: FormValues): Promise<Grant>
  /**
   * Revokes at the provider, as well as that goes. Not while any account here uses the same login: providers end all that a login
   * has granted us, so that account would die with it. Never throws.
   */
  giveBack(provider: string, subject: string, credentials: Credentials): Promise<void>
}

/** Where the provider sends people back to. */
export function redirectUriOf(origin: string, { callbackName }: OAuth): string {
  return `${origin}/oauth/${callbackName}/callback`
}

export function createGrants({ pool, providers, onError }: GrantsDeps): Grants {
  async function grantOf(provider: string, call: Call, credentials: Credentials): Promise<Grant> {
    const driver = providers.openWith(provider, credentials)
    const [identity, quota] = await Promise.all([driver.identity(call), driver.quota(call)])
    return { provider, credentials, identity, quota }
  }

  return {
    async take(provider, { code, verifier, origin }) {
      const oauth = oauthOf(providers, provider)
      const call = callFor(EXCHANGE_MS)
      try {
        const redirectUri = redirectUriOf(origin, oauth)
        return await grantOf(provider, call, await oauth.exchange(call, { code, verifier, redirectUri }))
      } catch (error) {
        throw inWords(error, providerName(providers, provider), AUTHORIZATION_REFUSED)
      }
    },
    async takeForm(provider, values) {
      const form = formOf(providers, provider)
      const call = callFor(EXCHANGE_MS)
      try {
        return await grantOf(provider, call, await form.exchange(call, values))
      } catch (error) {
        throw inWords(error, providerName(providers, provider), VALUES_REFUSED)
      }
    },
    async giveBack(provider, subject, credentials) {
      try {
        if (await isInUse(pool, provider, subject)) return
        const signIn = providers.signIn(provider)
        if (signIn?.by === 'OAUTH') await signIn.oauth.revoke(callFor(REVOKE_MS), credentials)
      } catch (error) {
        onError(error)
      }
    },
  }
}

export function callFor(timeoutMs: number): Call {
  return { signal: AbortSignal.timeout(timeoutMs), requestId: newId() }
}

/** By anybody: the login is the provider's, not ours. */
async function isInUse(pool: pg.Pool, provider: string, subject: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from accounts where provider = $1 and provider_account_id = $2 and disconnected_at is null limit 1`,
    [provider, subject],
  )
  return rowCount === 1
}

/** Turns an error of a provider into the one that people are shown; all other errors stay as they are. */
function inWords(error: unknown, name: string, refused: string): unknown {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new ProviderFailedError(`${name} did not answer in time. Please try again in a moment.`, { cause: error })
  }
  if (!(error instanceof ProviderError)) return error
  const { code, detail } = error
  if (code === 'ReconnectNeeded' || code === 'AuthExpired') {
    return new AuthorizationFailedError(`${name} did not accept ${refused}`, { cause: error })
  }
  if (code === 'Forbidden') return new AuthorizationFailedError(detail.message, { cause: error })
  if (code !== 'Misconfigured') {
    return new ProviderFailedError(`${name} could not be asked. Please try again in a moment.`, { cause: error })
  }
  const why = `${name} does not accept this server as a client. Its administrator has to check the client id and secret.`
  return new ProviderUnavailableError(why, { cause: error })
}

export type ConnectDeps = { readonly pool: Pool; readonly encryption: Encryption; readonly providers: Providers }

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
  { pool, encryption, providers }: ConnectDeps,
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
      await storeCredentials(client, encryption, id, grant.credentials)
      return { id, isNew: !before }
    }),
  )
}

/** New credentials for an account whose login it is. @throws OtherLoginError, NotFoundError when it was disconnected meanwhile */
export async function reconnectGrant(
  { pool, encryption, providers }: ConnectDeps,
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
    await storeCredentials(client, encryption, id, grant.credentials)
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
