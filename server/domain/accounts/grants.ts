import type pg from 'pg'
import { newId } from '../../lib/ids.ts'
import type { Call, Credentials, FormValues, Identity, OAuth, ProviderQuota } from '../../providers/driver.ts'
import { ProviderError } from '../../providers/errors.ts'
import type { Providers } from '../../providers/providers.ts'
import { AuthorizationFailedError, ProviderFailedError, ProviderUnavailableError } from '../errors.ts'
import { formOf, oauthOf, providerName } from './catalogue.ts'

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

/** What went wrong with a provider, as people are told; what is not the provider's doing stays as it is. */
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
