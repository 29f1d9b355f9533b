import { untilAborted } from '../../lib/untilAborted.ts'
import type { Call, Driver, ProviderModule } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { CredentialStore, StoredCredentials } from '../providers.ts'
import type { Clock } from './clock.ts'

export type AccessDeps = {
  readonly accountId: string
  readonly module: ProviderModule
  readonly store: CredentialStore
  readonly clock: Pick<Clock, 'now'>
}

/** A driver on the credentials of some version. */
export type Opened = { readonly driver: Driver; readonly stored: StoredCredentials; readonly since: number }

/** The current credentials of one account, read once and renewed by one caller at a time. */
export type Access = {
  /** Renewed before when they end soon. */
  current(call: Call): Promise<Opened>
  /** On newer credentials than those of `refused`. */
  renewed(call: Call, refused: Opened): Promise<Opened>
  /** Whether they have ended since they were opened, so that a refusal says nothing of the account. */
  isOver(opened: Opened): boolean
  /** Fresh credentials were refused. @returns what to throw */
  end(opened: Opened, cause: ProviderError): Promise<ProviderError>
}

/** Of the time that is left to credentials. */
const EARLY_MS = 5 * 60_000
/** When an early renewal did not work out, and the old credentials still do. */
const EARLY_AGAIN_MS = 30_000

/** Credentials that are refused this soon do not work at all. */
const FRESH_MS = 60_000

export function createAccess({ accountId, module, store, clock }: AccessDeps): Access {
  let known: Opened | null = null
  let reading: Promise<Opened> | null = null
  let renewing: Promise<Opened> | null = null
  let notEarlyBefore = 0

  const leftMs = ({ stored }: Opened): number => {
    const { expiresAt } = stored.credentials
    return expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - clock.now()
  }
  const open = (stored: StoredCredentials): Opened => {
    known = { stored, driver: module.open(stored.credentials), since: clock.now() }
    return known
  }
  const read = (): Promise<Opened> => {
    reading ??= store
      .read(accountId)
      .then(open)
      .finally(() => {
        reading = null
      })
    return reading
  }
  const renew = ({ requestId }: Call, stale: Opened): Promise<Opened> => {
    renewing ??= renewOnce(requestId, stale).finally(() => {
      renewing = null
    })
    return renewing
  }

  /** Nobody's signal ends it: a refresh whose answer is not heard may cost the account. */
  async function renewOnce(requestId: string, stale: Opened): Promise<Opened> {
    const { signIn, kind } = module
    if (signIn.by === 'FORM')
      throw await end(stale, new ProviderError('AuthExpired', { provider: kind, operation: 'refresh' }, SHUT))
    const call: Call = { signal: new AbortController().signal, requestId }
    try {
      return open(await store.renew(accountId, stale.stored, (credentials) => signIn.oauth.refresh(call, credentials)))
    } catch (error) {
      if (isOf(error, 'ReconnectNeeded')) known = null
      throw error
    }
  }

  async function end({ driver }: Opened, cause: ProviderError): Promise<ProviderError> {
    known = null
    const message = 'The account has to be connected again.'
    await store.expire(accountId, cause.detail.message)
    return new ProviderError('ReconnectNeeded', { ...cause.where, provider: driver.kind }, { message, cause })
  }

  return {
    isOver: (opened) => leftMs(opened) <= EARLY_MS && clock.now() - opened.since > FRESH_MS,
    end,
    async current(call) {
      const opened = known ?? (await untilAborted(call.signal, read()))
      const left = leftMs(opened)
      if (left > EARLY_MS || module.signIn.by === 'FORM' || (left > 0 && clock.now() < notEarlyBefore)) return opened
      try {
        return await untilAborted(call.signal, renew(call, opened))
      } catch (error) {
        if (call.signal.aborted || isOf(error, 'ReconnectNeeded') || leftMs(opened) <= 0) throw error
        notEarlyBefore = clock.now() + EARLY_AGAIN_MS
        return opened
      }
    },
    async renewed(call, refused) {
      if (known && known.stored.version !== refused.stored.version) return known
      return untilAborted(call.signal, renew(call, refused))
    },
  }
}

const SHUT = { message: 'The service refuses the credentials.' }

function isOf(error: unknown, code: ProviderError['code']): error is ProviderError {
  return error instanceof ProviderError && error.code === code
}
