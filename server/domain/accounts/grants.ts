import type pg from 'pg'
import type { ClientBase, Pool } from 'pg'
import { retryConflicts, transaction } from '../../db/pool.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import type {
  Call,
  Credentials,
  FormValues,
  Identity,
  OAuth,
  ProviderQuota,
  SignInForm,
} from '../../providers/driver.ts'
import { isFailure, ProviderError } from '../../providers/errors.ts'
import type { Providers } from '../../providers/providers.ts'
import {
  AccountConnectedError,
  AuthorizationFailedError,
  InvalidInputError,
  NotFoundError,
  OtherLoginError,
  ProviderFailedError,
  ProviderUnavailableError,
} from '../errors.ts'
import type { Viewer } from '../viewer.ts'
import type { FormTest } from './contract.ts'
import { decryptCredentials, lockCredentials, ROOT_FOLDER, storeCredentials } from './credentials.ts'
import {
  EFFECTIVE_BYTES,
  EFFECTIVE_STATE,
  formOf,
  hueFor,
  KEPT_CAPACITY,
  oauthOf,
  poolUseOf,
  providerHue,
  providerName,
  quotaColumns,
  sameLoginOf,
} from './rows.ts'

const EXCHANGE_MS = 30_000
const REVOKE_MS = 10_000
/** More are not offered in a picker: the user types the name. */
const MOST_FOLDERS = 200
/** Completes "… did not accept". */
const AUTHORIZATION_REFUSED = 'the authorization. Please connect again.'
const VALUES_REFUSED = 'what you entered. Please check it and try again.'

/** Access that a user has granted to an account: its identity and credentials. */
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
  exchangeCode(provider: string, code: Code): Promise<Grant>
  /** `values`: checked values of the provider's form. @throws InvalidInputError, and as exchangeCode */
  exchangeForm(provider: string, values: FormValues): Promise<Grant>
  /** As exchangeForm, and ends what that began. Errors of the provider are in the result. @throws ProviderUnavailableError */
  testForm(provider: string, values: FormValues): Promise<FormTest>
  /**
   * Revokes the grant at the provider, best effort. Of OAuth, does nothing while another account here uses the same login: providers
   * revoke all grants of a login to us at once, so that account would lose its access too. Never throws.
   */
  revoke(provider: string, login: Login, credentials: Credentials): Promise<void>
}

/** Identifies a login; by its email address for other providers of the same company, which have other ids for it. */
export type Login = Pick<Identity, 'subject' | 'email'>

/** The OAuth redirect URI. */
export function redirectUriOf(origin: string, { callbackName }: OAuth): string {
  return `${origin}/oauth/${callbackName}/callback`
}

export function createGrants({ pool, providers, onError }: GrantsDeps): Grants {
  async function grantOf(provider: string, call: Call, credentials: Credentials): Promise<Grant> {
    const driver = providers.openWith(provider, credentials)
    const [identity, quota] = await Promise.all([driver.identity(call), driver.quota(call)])
    return { provider, credentials, identity, quota }
  }

  async function exchangeForm(provider: string, values: FormValues): Promise<Grant> {
    const form = formOf(providers, provider)
    const call = callFor(EXCHANGE_MS)
    try {
      return await grantOf(provider, call, await form.exchange(call, values))
    } catch (error) {
      throw toDomainError(error, providerName(providers, provider), VALUES_REFUSED)
    }
  }

  async function revoke(provider: string, login: Login, credentials: Credentials): Promise<void> {
    try {
      const signIn = providers.signIn(provider)
      // Each account that is connected with a form has a separate session.
      if (signIn?.by === 'FORM') return await signIn.form.revoke?.(callFor(REVOKE_MS), credentials)
      if (!signIn) return
      if (await isInUse(pool, provider, login, relatedTo(providers, provider, signIn.oauth))) return
      await signIn.oauth.revoke(callFor(REVOKE_MS), credentials)
    } catch (error) {
      onError(error)
    }
  }

  async function foldersOf({ provider, credentials }: Grant): Promise<Pick<FormTest, 'folderField' | 'folders'>> {
    const { folder } = formOf(providers, provider)
    if (!folder) return { folderField: null, folders: [] }
    const driver = providers.openWith(provider, credentials)
    const { items } = await driver.list(callFor(EXCHANGE_MS), driver.root, null)
    const folders = items
      .filter(({ kind, name }) => kind === 'folder' && name !== ROOT_FOLDER)
      .slice(0, MOST_FOLDERS)
      .map((entry) => ({ name: entry.name, value: folder.value(credentials, entry) }))
    return { folderField: folder.field, folders }
  }

  return {
    async exchangeCode(provider, { code, verifier, origin }) {
      const oauth = oauthOf(providers, provider)
      const call = callFor(EXCHANGE_MS)
      try {
        const redirectUri = redirectUriOf(origin, oauth)
        return await grantOf(provider, call, await oauth.exchange(call, { code, verifier, redirectUri }))
      } catch (error) {
        throw toDomainError(error, providerName(providers, provider), AUTHORIZATION_REFUSED)
      }
    },
    exchangeForm,
    async testForm(provider, values) {
      try {
        const grant = await exchangeForm(provider, values)
        try {
          const { identity, quota } = grant
          const { state, usedBytes, totalBytes } = quotaColumns(quota)
          const who = identity.email ?? identity.name
          const found = {
            ok: true,
            identity: who,
            quota: { state, usedBytes, totalBytes },
            fingerprint: null,
            problem: null,
          }
          return { ...found, ...(await foldersOf(grant)) }
        } finally {
          await revoke(provider, grant.identity, grant.credentials)
        }
      } catch (error) {
        return failedTest(error)
      }
    },
    revoke,
  }
}

/** @throws errors that are not the provider's answer */
function failedTest(error: unknown): FormTest {
  const isAnswer =
    error instanceof AuthorizationFailedError || error instanceof ProviderFailedError || error instanceof ProviderError
  if (!isAnswer) throw error
  const cause = error instanceof ProviderError ? error : error.cause
  const fingerprint = cause instanceof ProviderError ? (cause.detail.fingerprint ?? null) : null
  const problem = error instanceof ProviderError ? error.detail.message : error.message
  return { ok: false, identity: null, quota: null, fingerprint, folderField: null, folders: [], problem }
}

export function callFor(timeoutMs: number): Call {
  return { signal: AbortSignal.timeout(timeoutMs), requestId: newId() }
}

/** Other providers to which we are the same client, as with Google Drive and Google Photos. */
function relatedTo(providers: Providers, provider: string, { clientId }: OAuth): string[] {
  return providers.catalogue().flatMap(({ id }) => {
    const signIn = id === provider ? null : providers.signIn(id)
    return signIn?.by === 'OAUTH' && signIn.oauth.clientId === clientId ? [id] : []
  })
}

/** Whether an account of any user has this login. */
async function isInUse(
  pool: pg.Pool,
  provider: string,
  { subject, email }: Login,
  related: readonly string[],
): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from accounts where disconnected_at is null
       and (provider = $1 and provider_account_id = $2 or provider = any($3::text[]) and lower(email) = lower($4)) limit 1`,
    [provider, subject, related, email],
  )
  return rowCount === 1
}

/** Maps a provider error to the domain error that users see; returns other errors unchanged. */
function toDomainError(error: unknown, name: string, refused: string): unknown {
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new ProviderFailedError(`${name} did not answer in time. Please try again in a moment.`, { cause: error })
  }
  if (!(error instanceof ProviderError)) return error
  const { code, detail } = error
  if (code === 'ReconnectNeeded' || code === 'AuthExpired') {
    return new AuthorizationFailedError(`${name} did not accept ${refused}`, { cause: error })
  }
  if (code === 'Forbidden' && detail.field !== undefined) {
    return new InvalidInputError([{ path: `fields.${detail.field}`, message: detail.message }])
  }
  if (code === 'Forbidden') return new AuthorizationFailedError(detail.message, { cause: error })
  if (code !== 'Misconfigured') {
    return new ProviderFailedError(`${name} could not be reached or returned an error. Please try again in a moment.`, {
      cause: error,
    })
  }
  const why =
    detail.remedy ??
    `${name} does not accept this server as a client. Its administrator has to check the client id and secret.`
  return new ProviderUnavailableError(why, { cause: error })
}

export type ConnectDeps = { readonly pool: Pool; readonly encryption: Encryption; readonly providers: Providers }

const FIND = `select id, name, disconnected_at is not null as disconnected from accounts
  where user_id = $1 and provider = $2 and provider_account_id = $3`

const INSERT = `insert into accounts (id, user_id, provider, provider_account_id, name, email, place, hue,
    quota_state, quota_bytes, used_bytes, trash_bytes, pool_use, quota_checked_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9::"QuotaState", $10, $11, $12, $13::"PoolUse", now())`

/** Hue and pieces stay as they are. */
const RENEW = `update accounts set name = coalesce($2, name), email = $3, status = 'CONNECTED', status_reason = null,
    unreachable_since = null, disconnected_at = null, quota_state = ${EFFECTIVE_STATE('$4')}, quota_bytes = ${EFFECTIVE_BYTES('$4', '$5')},
    capacity_bytes = ${KEPT_CAPACITY('$4')}, used_bytes = coalesce($6, used_bytes), trash_bytes = $7, place = $8, quota_checked_at = now(), updated_at = now()
  where id = $1`

/**
 * Stores the account of a grant: a new one, or the disconnected one with its old id.
 * @throws AccountConnectedError
 */
export function connectGrant(
  { pool, encryption, providers }: ConnectDeps,
  viewer: Viewer,
  name: string,
  grant: Grant,
): Promise<{ id: string; isNew: boolean }> {
  return retryConflicts(() =>
    transaction(pool, async (client) => {
      // Serialised per user, so that two new accounts get different hues.
      await client.query('select from users where id = $1 for no key update', [viewer.userId])
      const before = await findLogin(client, viewer, grant)
      if (before && !before.disconnected) {
        throw new AccountConnectedError(`This login is connected already, as “${before.name}”.`)
      }
      const id = before?.id ?? newId()
      if (before) await renew(client, id, name, grant)
      else await insert(client, viewer, id, name, grant, providers)
      await storeCredentials(client, encryption, id, grant.credentials)
      return { id, isNew: !before }
    }),
  )
}

/** Stores new credentials of an account. @throws OtherLoginError, NotFoundError when it was disconnected in the meantime */
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
    if (account.subject !== grant.identity.subject) throw otherLogin(providers, grant, account.email)
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
  providers: Providers,
): Promise<void> {
  const { provider, identity } = grant
  const { rows } = await client.query<{ hue: number }>(
    'select hue from accounts where user_id = $1 and disconnected_at is null',
    [userId],
  )
  const hue = hueFor(providerHue(providers, provider), new Set(rows.map((row) => row.hue)))
  const { state, totalBytes, usedBytes, trashBytes } = quotaColumns(grant.quota)
  const quota = [state, totalBytes, usedBytes ?? 0, trashBytes]
  const login = [provider, identity.subject, name, identity.email, identity.place ?? null]
  await client.query(INSERT, [id, userId, ...login, hue, ...quota, poolUseOf(providers, provider).use])
}

async function renew(client: ClientBase, id: string, name: string | null, { identity, quota }: Grant): Promise<void> {
  const { state, totalBytes, usedBytes, trashBytes } = quotaColumns(quota)
  const quotas = [state, totalBytes, usedBytes, trashBytes]
  await client.query(RENEW, [id, name, identity.email, ...quotas, identity.place ?? null])
}

function otherLogin(providers: Providers, { provider, identity }: Grant, own: string | null): OtherLoginError {
  const message = sameLoginOf(providers, provider)
  if (message !== null) return new OtherLoginError(message)
  const other = identity.email
  const which = other === null ? 'another login' : `another login (${other})`
  const needed = own === null ? 'the one that it was connected with' : own
  return new OtherLoginError(`This is ${which}. Please sign in to the provider as ${needed}. Nothing was changed.`)
}

export type FormValuesDeps = { readonly pool: Pool; readonly encryption: Encryption }

const READ = 'select sealed, version from account_credentials where account_id = $1'

/** The values that an account was connected with, secrets included, also while it is expired; null: they cannot be read any more. */
export async function storedValues(
  { pool, encryption }: FormValuesDeps,
  form: SignInForm,
  accountId: string,
): Promise<FormValues | null> {
  const { rows } = await pool.query<{ sealed: string; version: number }>(READ, [accountId])
  try {
    const { credentials } = decryptCredentials(encryption, accountId, rows[0])
    if (form.valuesOf) return form.valuesOf(credentials)
    return Object.fromEntries(form.fields.flatMap(({ name }) => valueIn(credentials, name)))
  } catch (error) {
    if (isFailure(error, 'ReconnectNeeded') || isFailure(error, 'Misconfigured')) return null
    throw error
  }
}

/** Zero or one entry: the field with its value. */
export function valueIn(values: Readonly<Record<string, string | null>>, name: string): [string, string][] {
  const value = Object.hasOwn(values, name) ? values[name] : null
  return value === null || value === undefined || value === '' ? [] : [[name, value]]
}

/**
 * The values with the `known` secrets where no secret was entered. Not for another server: whoever uses this session could send them to
 * a separate one.
 */
export function withSecrets(form: SignInForm, fields: FormValues, known: FormValues | null): FormValues {
  if (!known) return fields
  const secrets = form.fields.filter(({ secret, notStored }) => secret && !notStored).map(({ name }) => name)
  const isSame = (name: string): boolean => (fields[name] ?? '').trim() === (known[name] ?? '')
  if (secrets.some((name) => (fields[name] ?? '') !== '') || !(form.destination ?? []).every(isSame)) return fields
  return { ...fields, ...Object.fromEntries(secrets.flatMap((name) => valueIn(known, name))) }
}
