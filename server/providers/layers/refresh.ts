import { Readable } from 'node:stream'
import type { Clock } from '../../lib/clock.ts'
import { abortable, destroyOnAbort } from '../../lib/concurrency.ts'
import type { ByteRange, Call, Credentials, Download, Driver, EntryRef, ProviderModule } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { CredentialStore, StoredCredentials } from '../providers.ts'
import { type Run, trackSession, wrapDriver } from './wrapDriver.ts'

/**
 * The account's driver with valid credentials: renewed before they expire, and when they are refused, after which the call is
 * retried. If fresh credentials are refused too, the account expires: ReconnectNeeded. Opens without I/O.
 */
export function refresh(deps: AccessDeps): Driver {
  const access = createAccess(deps)
  const facts = deps.module.open({ expiresAt: null })
  const run: Run = async (_operation, call, work) => (await replay(access, call, work)).value

  return {
    ...wrapDriver(facts, run),
    put(call, entry, content, progress) {
      const next = trackSession(progress)
      return run('put', call, (driver) => driver.put(call, entry, content, next()))
    },
    async get(call, ref, range) {
      const { value, opened } = await replay(access, call, (driver) => driver.get(call, ref, range))
      return { body: continuing(access, { call, ref, range }, value, opened) }
    },
  }
}

type Done<Value> = { readonly value: Value; readonly opened: Opened }

/**
 * Retries once with renewed credentials; again only where those have expired since, as in a long upload. Newer ones that another
 * server has stored may be as old as its last call, and refused like the first: then they are renewed.
 */
async function replay<Value>(
  access: Access,
  call: Call,
  work: (driver: Driver) => Promise<Value>,
  refused: Refused | null = null,
): Promise<Done<Value>> {
  let opened = refused ? await access.renewed(call, refused) : await access.current(call)
  for (let isRetry = refused !== null; ; isRetry = true) {
    try {
      return { value: await work(opened.driver), opened }
    } catch (error) {
      call.signal.throwIfAborted()
      if (!(error instanceof ProviderError && error.code === 'AuthExpired')) throw error
      if (isRetry && access.isFresh(opened)) throw await access.end(opened, error)
      opened = await access.renewed(call, { opened, error })
    }
  }
}

type Asked = { readonly call: Call; readonly ref: EntryRef; readonly range: ByteRange | undefined }

/** The body of a download. When the service refuses the credentials half-way, continues at the same byte with newer ones. */
function continuing(access: Access, { call, ref, range }: Asked, first: Download, opened: Opened): Readable {
  let source = first.body
  async function* read(): AsyncGenerator<Buffer> {
    let at = range?.start ?? 0
    let current = opened
    for (let isRetry = false; ; isRetry = true) {
      try {
        for await (const chunk of source as AsyncIterable<Buffer>) {
          at += chunk.length
          yield chunk
        }
        return
      } catch (error) {
        if (!(error instanceof ProviderError && error.code === 'AuthExpired')) throw error
        if (isRetry && access.isFresh(current)) throw await access.end(current, error)
        const start = at
        const again = (driver: Driver) => getRest(driver, { call, ref, range }, start)
        const rest = await replay(access, call, again, { opened: current, error })
        current = rest.opened
        source = rest.value.body
      }
    }
  }
  // Of objects, and not of bytes: what waits would be copied into one chunk.
  const body = Readable.from(read())
  body.once('close', () => source.destroy())
  return destroyOnAbort(call.signal, body)
}

async function getRest(driver: Driver, { call, ref, range }: Asked, start: number): Promise<Download> {
  const end = range?.end ?? ((await driver.stat(call, ref)).size ?? 0) - 1
  return end < start ? { body: Readable.from([]) } : driver.get(call, ref, { start, end })
}

type AccessDeps = {
  readonly accountId: string
  readonly module: ProviderModule
  readonly store: CredentialStore
  readonly clock: Pick<Clock, 'now'>
}

/** A driver with the credentials of one version. */
type Opened = {
  readonly driver: Driver
  readonly stored: StoredCredentials
  /** When it was opened (ms since 1970). */
  readonly since: number
  /** The service gave them for this; otherwise they were read from the store, where another server may have put them long ago. */
  readonly isRenewed: boolean
}
/** Credentials that the service refuses, and how. */
type Refused = { readonly opened: Opened; readonly error: ProviderError }

/** The current credentials of one account, read once and renewed by one caller at a time. */
type Access = {
  /** Opened with the current credentials, which are renewed first when they expire soon. */
  current(call: Call): Promise<Opened>
  /** Opened with newer credentials than the refused ones. Those of a form cannot be renewed: the account expires with that reason. */
  renewed(call: Call, refused: Refused): Promise<Opened>
  /** Whether a refusal concerns the account: the credentials were just renewed and have not expired since they were opened. */
  isFresh(opened: Opened): boolean
  /** Fresh credentials were refused: marks the account expired. @returns the error to throw */
  end(opened: Opened, cause: ProviderError): Promise<ProviderError>
}

/** Credentials are renewed this long before they expire. */
const EARLY_MS = 5 * 60_000
/** Pause after a failed early renewal, while the old credentials are still valid. */
const EARLY_RETRY_MS = 30_000

/** Credentials that are refused within this time were never valid. */
const FRESH_MS = 60_000

function createAccess({ accountId, module, store, clock }: AccessDeps): Access {
  let known: Opened | null = null
  let reading: Promise<Opened> | null = null
  let renewing: Promise<Opened> | null = null
  let notEarlyBefore = 0

  const leftMs = ({ stored }: Opened): number => {
    const { expiresAt } = stored.credentials
    return expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - clock.now()
  }
  const open = (stored: StoredCredentials, isRenewed = false): Opened => {
    known = { stored, driver: module.open(stored.credentials), since: clock.now(), isRenewed }
    return known
  }
  const read = (): Promise<Opened> => {
    reading ??= store
      .read(accountId)
      .then((stored) => open(stored))
      .finally(() => {
        reading = null
      })
    return reading
  }
  const renew = ({ requestId }: Call, stale: Opened, error: ProviderError | null): Promise<Opened> => {
    renewing ??= renewOnce(requestId, stale, error).finally(() => {
      renewing = null
    })
    return renewing
  }

  /** Not aborted by any caller: if the response to a refresh is lost, so may be the account. */
  async function renewOnce(requestId: string, stale: Opened, error: ProviderError | null): Promise<Opened> {
    const { signIn, kind } = module
    if (signIn.by === 'FORM') {
      // Another server may have connected the account again.
      const stored = await store.read(accountId)
      if (stored.version !== stale.stored.version) return open(stored)
      throw await end(
        stale,
        error ?? new ProviderError('AuthExpired', { provider: kind, operation: 'refresh' }, REFUSED),
      )
    }
    const call: Call = { signal: new AbortController().signal, requestId }
    let isRenewed = false
    const ask = (credentials: Credentials): Promise<Credentials> => {
      isRenewed = true
      return signIn.oauth.refresh(call, credentials)
    }
    try {
      const stored = await store.renew(accountId, stale.stored, ask)
      return open(stored, isRenewed)
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
    isFresh: (opened) => opened.isRenewed && (leftMs(opened) > EARLY_MS || clock.now() - opened.since <= FRESH_MS),
    end,
    async current(call) {
      const opened = known ?? (await abortable(call.signal, read()))
      const left = leftMs(opened)
      if (left > EARLY_MS || module.signIn.by === 'FORM' || (left > 0 && clock.now() < notEarlyBefore)) return opened
      try {
        return await abortable(call.signal, renew(call, opened, null))
      } catch (error) {
        if (call.signal.aborted || isOf(error, 'ReconnectNeeded') || leftMs(opened) <= 0) throw error
        notEarlyBefore = clock.now() + EARLY_RETRY_MS
        return opened
      }
    },
    async renewed(call, refused) {
      if (known && known.stored.version !== refused.opened.stored.version) return known
      return abortable(call.signal, renew(call, refused.opened, refused.error))
    },
  }
}

const REFUSED = { message: 'The service refuses the credentials.' }

function isOf(error: unknown, code: ProviderError['code']): error is ProviderError {
  return error instanceof ProviderError && error.code === code
}
