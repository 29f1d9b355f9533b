import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { newId } from '../../lib/ids.ts'
import type { Sealing } from '../../lib/sealing.ts'
import { AuthorizationFailedError } from '../errors.ts'
import { sessionOf, type Viewer } from '../viewer.ts'

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
  readonly sealing: Sealing
  /** Told when a code was accepted without its state, which no browser of ours leaves out. */
  readonly onStateOmitted?: (use: { readonly userId: string; readonly provider: string }) => void
}

export type Authorizations = {
  begin(viewer: Viewer, purpose: Purpose): Promise<Begun>
  /** The code verifier of a live state, which counts no more from then on. Without `state`, the session's newest. @throws AuthorizationFailedError */
  claim(viewer: Viewer, purpose: Purpose, state: string | undefined): Promise<string>
}

/** Authorizations under way: states and PKCE verifiers (RFC 7636), bound to session, user, provider and account. */
export function createAuthorizations({ pool, sealing, onStateOmitted }: AuthorizationsDeps): Authorizations {
  return {
    async begin(viewer, { provider, accountId }) {
      const { userId } = viewer
      const sessionId = sessionOf(viewer)
      const id = newId()
      const state = randomBytes(STATE_BYTES).toString('base64url')
      const verifier = randomBytes(VERIFIER_BYTES).toString('base64url')
      const sealed = sealing.seal(verifier, contextOf(id))
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
      return sealing.open(rows[0].verifier, contextOf(rows[0].id))
    },
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function contextOf(id: string): string {
  return `oauth_states:${id}`
}
