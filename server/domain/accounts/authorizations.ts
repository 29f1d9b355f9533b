import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Encryption } from '../../lib/encryption.ts'
import { newId } from '../../lib/ids.ts'
import { AuthorizationFailedError } from '../errors.ts'
import { sessionOf, type Viewer } from '../viewer.ts'

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
      const encrypted = encryption.encrypt(verifier, contextOf(id))
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
      return encryption.decrypt(rows[0].verifier, contextOf(rows[0].id))
    },
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function contextOf(id: string): string {
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
