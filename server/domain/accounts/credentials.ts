import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { ClientBase, Pool } from 'pg'
import { isRefusal, transaction } from '../../db/pool.ts'
import { type Encryption, EncryptionError } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import type { Call, Credentials, Driver, EntryRef } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { CredentialStore, Providers, StoredCredentials } from '../../providers/providers.ts'
import { AuthorizationFailedError } from '../errors.ts'
import { sessionOf, type Viewer } from '../viewer.ts'
import { markExpired } from './health.ts'

type AccountToOpen = {
  readonly provider: string
  readonly name: string
  readonly status: 'CONNECTED' | 'EXPIRED'
  readonly disconnected: boolean
}

const ACCOUNT_TO_OPEN = {
  name: 'account-to-open',
  text: 'select provider, name, status, disconnected_at is not null as disconnected from accounts where id = $1',
}

export type OpenDriver = (accountId: string) => Promise<Driver>

/**
 * Opens the driver of any account; the caller has checked the viewer's access. Reads one row, no other I/O.
 * Rejects with ProviderError ReconnectNeeded for an account that is expired, disconnected or deleted.
 */
export function createOpenDriver({ pool, providers }: { pool: pg.Pool; providers: Providers }): OpenDriver {
  return async (accountId) => {
    const { rows } = await pool.query<AccountToOpen>({ ...ACCOUNT_TO_OPEN, values: [accountId] })
    const account = rows[0]
    const where = { provider: account?.provider ?? 'account', operation: 'open' }
    if (!account || account.disconnected) {
      const message = account ? `“${account.name}” was disconnected.` : 'This account no longer exists.'
      throw new ProviderError('ReconnectNeeded', where, { message })
    }
    if (account.status === 'EXPIRED') {
      throw new ProviderError('ReconnectNeeded', where, { message: `“${account.name}” needs to be connected again.` })
    }
    return providers.open({ id: accountId, provider: account.provider })
  }
}

/** Longer than the timeouts of a refresh together. */
const LOCK_TIMEOUT = '45s'
/** A process that hangs during a refresh loses its lease. */
const LEASE_TIMEOUT = '90s'

const FIND = {
  name: 'account-credentials',
  text: `select c.sealed, c.version from account_credentials c join accounts a on a.id = c.account_id
    where c.account_id = $1 and a.status = 'CONNECTED' and a.disconnected_at is null`,
}

const LOCK = `select sealed, version from account_credentials where account_id = $1 for update`

const STORE = `insert into account_credentials (account_id, sealed, expires_at) values ($1, $2, $3)
  on conflict (account_id) do update set sealed = excluded.sealed, expires_at = excluded.expires_at,
    version = account_credentials.version + 1, updated_at = now()
  returning version`

type Row = { readonly sealed: string; readonly version: number }
type Refresh = (current: Credentials) => Promise<Credentials>

export type CredentialStoreDeps = {
  readonly pool: Pool
  /** Holds one connection per active refresh, so that requests do not wait for the pool. */
  readonly leases: Pool
  readonly encryption: Encryption
  /** Called after an account has expired. Never throws. */
  readonly onExpired: (accountId: string) => void
}

/** The credentials of all accounts: encrypted in the database, refreshed by one process at a time. */
export function createCredentialStore(deps: CredentialStoreDeps): CredentialStore {
  const { pool, leases, encryption, onExpired } = deps
  const renewals = new Map<string, Promise<StoredCredentials>>()

  async function expire(accountId: string, reason: string, version: number | null = null): Promise<void> {
    if (await markExpired(pool, accountId, reason, version)) onExpired(accountId)
  }

  /** The row lock is the lease: a process that waits for it reads the newer credentials afterwards. */
  async function renewUnderLease(accountId: string, stale: StoredCredentials, refresh: Refresh) {
    let refreshedVersion: number | null = null
    try {
      return await transaction(leases, async (client) => {
        await client.query(
          `select set_config('lock_timeout', $1, true), set_config('idle_in_transaction_session_timeout', $2, true)`,
          [LOCK_TIMEOUT, LEASE_TIMEOUT],
        )
        const { rows } = await client.query<Row>(LOCK, [accountId])
        const current = decryptCredentials(encryption, accountId, rows[0])
        if (current.version !== stale.version) return current
        refreshedVersion = current.version
        const renewed = await refresh(current.credentials)
        return { credentials: renewed, version: await storeCredentials(client, encryption, accountId, renewed) }
      })
    } catch (error) {
      // Only if the provider refused these very credentials. The lease is released by now.
      if (refreshedVersion !== null && isReconnectNeeded(error)) {
        await expire(accountId, error.detail.message, refreshedVersion)
      }
      throw isLockTimeout(error) ? busy(error) : error
    }
  }

  return {
    expire,
    async read(accountId) {
      const { rows } = await pool.query<Row>({ ...FIND, values: [accountId] })
      return decryptCredentials(encryption, accountId, rows[0])
    },
    async renew(accountId, stale, refresh) {
      for (let running = renewals.get(accountId); running; running = renewals.get(accountId)) {
        const renewed = await running.catch(nullIfAborted)
        if (renewed && renewed.version !== stale.version) return renewed
      }
      const renewal = renewUnderLease(accountId, stale, refresh).finally(() => {
        if (renewals.get(accountId) === renewal) renewals.delete(accountId)
      })
      renewals.set(accountId, renewal)
      return renewal
    },
  }
}

/** Encrypts and stores credentials in the caller's transaction. @returns their version */
export async function storeCredentials(
  client: ClientBase,
  encryption: Encryption,
  accountId: string,
  credentials: Credentials,
): Promise<number> {
  const encrypted = encryption.encrypt(JSON.stringify(credentials), contextOf(accountId))
  const { rows } = await client.query<{ version: number }>(STORE, [accountId, encrypted, credentials.expiresAt])
  if (!rows[0]) throw new Error('The credentials were not stored.')
  return rows[0].version
}

/**
 * Waits for an active refresh of the account, and prevents others until the transaction ends. Must be taken before any lock of
 * accounts: a refresh holds only this lock, for as long as the provider takes.
 */
export async function lockCredentials(client: ClientBase, accountId: string): Promise<Row | null> {
  await client.query(`select set_config('lock_timeout', $1, true)`, [LOCK_TIMEOUT])
  return (await client.query<Row>(LOCK, [accountId])).rows[0] ?? null
}

/** @throws ProviderError ReconnectNeeded when there are none, Misconfigured when the server's key cannot decrypt them */
export function decryptCredentials(
  encryption: Encryption,
  accountId: string,
  row: Row | null | undefined,
): StoredCredentials {
  const where = { provider: 'account', operation: 'credentials' }
  if (!row) throw new ProviderError('ReconnectNeeded', where, { message: 'The account needs to be connected again.' })
  try {
    return { credentials: JSON.parse(encryption.decrypt(row.sealed, contextOf(accountId))), version: row.version }
  } catch (cause) {
    if (!(cause instanceof EncryptionError)) throw cause
    const message = 'The access to this account cannot be decrypted with the secret key of this server.'
    throw new ProviderError('Misconfigured', where, { message, cause })
  }
}

function contextOf(accountId: string): string {
  return `account_credentials:${accountId}`
}

/** Several callers share a refresh; if the caller that started it was aborted, the others retry. */
function nullIfAborted(error: unknown): null {
  if (error instanceof ProviderError) throw error
  return null
}

function isLockTimeout(error: unknown): boolean {
  return isRefusal(error) && error.code === '55P03'
}

function busy(cause: unknown): ProviderError {
  const message = 'The access to the account is being renewed, and that takes too long.'
  return new ProviderError('Transient', { provider: 'account', operation: 'renew' }, { message, cause })
}

function isReconnectNeeded(error: unknown): error is ProviderError {
  return error instanceof ProviderError && error.code === 'ReconnectNeeded'
}

/** 256 bits (RFC 9700 4.7, RFC 7636 7.1). */
const STATE_BYTES = 32
const VERIFIER_BYTES = 48
/** Open authorizations per session; older ones are deleted. */
const MOST_OPEN = 20

const BEGIN = `insert into oauth_states (id, state_hash, user_id, session_id, provider, account_id, verifier, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, now() + interval '10 minutes')`

const TRIM = `delete from oauth_states where session_id = $1 and id not in (
  select id from oauth_states where session_id = $1 order by created_at desc, id desc limit ${MOST_OPEN})`

/**
 * One statement, so that only one of two requests with the same state succeeds. A state for an account can only reconnect it; a
 * state without an account connects or reconnects, because clients of the specification request it before they know which.
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
  /** Called when a code was accepted without its state; our web client never omits it. */
  readonly onStateOmitted?: (use: { readonly userId: string; readonly provider: string }) => void
}

export type Authorizations = {
  begin(viewer: Viewer, purpose: Purpose): Promise<Begun>
  /** Uses up a valid state and returns its code verifier. Default for `state`: the session's newest. @throws AuthorizationFailedError */
  claim(viewer: Viewer, purpose: Purpose, state: string | undefined): Promise<string>
}

/** Open OAuth authorizations: states and PKCE verifiers (RFC 7636), bound to session, user, provider and account. */
export function createAuthorizations({ pool, encryption, onStateOmitted }: AuthorizationsDeps): Authorizations {
  return {
    async begin(viewer, { provider, accountId }) {
      const { userId } = viewer
      const sessionId = sessionOf(viewer)
      const id = newId()
      const state = randomBytes(STATE_BYTES).toString('base64url')
      const verifier = randomBytes(VERIFIER_BYTES).toString('base64url')
      const encrypted = encryption.encrypt(verifier, stateContext(id))
      await pool.query(BEGIN, [id, sha256(state), userId, sessionId, provider, accountId, encrypted])
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
      return encryption.decrypt(rows[0].verifier, stateContext(rows[0].id))
    },
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function stateContext(id: string): string {
  return `oauth_states:${id}`
}

/**
 * Deletes expired authorizations and codes, and disconnected accounts without content: connecting the same login again would
 * restore nothing. Accounts with pending removals are kept for a year.
 */
export async function forgetAuthorizations(pool: pg.Pool): Promise<void> {
  await pool.query('delete from oauth_states where expires_at < now()')
  await pool.query('delete from telegram_codes where expires_at < now()')
  await pool.query(
    `delete from accounts a where a.disconnected_at is not null
       and not exists (select from pieces p where p.account_id = a.id)
       and not exists (select from upload_reservations r where r.account_id = a.id)
       and (a.disconnected_at < now() - interval '1 year'
         or not exists (select from object_removals r where r.account_id = a.id and r.object_ref is not null))`,
  )
}

// Skypool's own folder in each account, in which everything is that Skypool stores there.

export const ROOT_FOLDER = 'Skypool'

/**
 * PARTS: pieces of spanned files, and objects whose names the service refused. TRASH: entries in place that were moved to the trash,
 * where the service has no trash from which they could be restored.
 */
const SUBFOLDERS = { PARTS: 'Parts', TRASH: 'Trash' } as const
export const PARTS_FOLDER = SUBFOLDERS.PARTS

type Account = { readonly accountId: string; readonly rootFolderRef: string | null }

export type RootFolders = {
  /** Skypool's folder in an account (WHOLE: for whole files), or a folder in it; created if it is missing. @throws ProviderError */
  folder(driver: Driver, call: Call, account: Account, kind: 'WHOLE' | keyof typeof SUBFOLDERS): Promise<EntryRef>
  /** Called when the folder is gone at the provider: the next call of `folder` creates it again. */
  forget(accountId: string): Promise<void>
}

/** One lookup per folder at a time, so that no folder is created twice. */
export function createRootFolders(pool: Pool): RootFolders {
  const rootFolders = new Map<string, Promise<EntryRef>>()
  const subfolders = new Map<string, Promise<EntryRef>>()

  const rootOf = (driver: Driver, call: Call, { accountId, rootFolderRef }: Account) =>
    once(rootFolders, accountId, async () => {
      if (rootFolderRef !== null) return rootFolderRef as EntryRef
      const created = await driver.ensureFolder(call, driver.root, ROOT_FOLDER)
      await pool.query('update accounts set home_ref = $2 where id = $1 and home_ref is distinct from $2', [
        accountId,
        created,
      ])
      return created
    })

  return {
    async folder(driver, call, account, kind) {
      const root = await rootOf(driver, call, account)
      if (kind === 'WHOLE') return root
      const key = `${account.accountId} ${kind}`
      return once(subfolders, key, () => driver.ensureFolder(call, root, SUBFOLDERS[kind]))
    },
    async forget(accountId) {
      rootFolders.delete(accountId)
      for (const kind of Object.keys(SUBFOLDERS)) subfolders.delete(`${accountId} ${kind}`)
      await pool.query('update accounts set home_ref = null where id = $1', [accountId])
    },
  }
}

/** Shares one promise per key. A rejected one is not kept. */
function once<Value>(known: Map<string, Promise<Value>>, key: string, load: () => Promise<Value>): Promise<Value> {
  const loading = known.get(key) ?? load()
  known.set(key, loading)
  loading.catch(() => known.delete(key))
  return loading
}
