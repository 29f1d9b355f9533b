import type { Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/logger.ts'
import type { Call, Download, Driver, PutProgress } from '../driver.ts'
import { ProviderError, type ProviderErrorCode } from '../errors.ts'

type MethodsOf<Type> = {
  [Key in keyof Type]-?: NonNullable<Type[Key]> extends (...args: never) => unknown ? Key : never
}
export type Operation = MethodsOf<Driver>[keyof Driver]

/** Whether the operation resolves with a Download. */
export function hasBody(operation: Operation): boolean {
  return operation === 'get' || operation === 'export'
}

/** Runs one call of a driver: `work` may be called several times, with the same driver or another one of the account. */
export type Run = <Value>(operation: Operation, call: Call, work: (driver: Driver) => Promise<Value>) => Promise<Value>

/** A driver with the properties and methods of `driver`, each call of which goes through `run`. */
export function wrapDriver(driver: Driver, run: Run): Driver {
  return {
    kind: driver.kind,
    capabilities: driver.capabilities,
    root: driver.root,
    identity: (call) => run('identity', call, (inner) => inner.identity(call)),
    quota: (call) => run('quota', call, (inner) => inner.quota(call)),
    stat: (call, ref) => run('stat', call, (inner) => inner.stat(call, ref)),
    list: (call, folder, cursor) => run('list', call, (inner) => inner.list(call, folder, cursor)),
    get: (call, ref, range) => run('get', call, (inner) => inner.get(call, ref, range)),
    put: (call, entry, content, progress) => run('put', call, (inner) => inner.put(call, entry, content, progress)),
    abandon: (call, session, isNeeded) => run('abandon', call, (inner) => inner.abandon(call, session, isNeeded)),
    delete: (call, ref) => run('delete', call, (inner) => inner.delete(call, ref)),
    ensureFolder: (call, parent, name) => run('ensureFolder', call, (inner) => inner.ensureFolder(call, parent, name)),
    ...wrapOptional(driver, run),
  }
}

type Optional = Pick<
  Driver,
  'listAll' | 'roots' | 'export' | 'thumbnail' | 'move' | 'trash' | 'restore' | 'copy' | 'changes' | 'share' | 'unshare'
>

/** Methods that `driver` lacks stay absent. */
function wrapOptional(driver: Driver, run: Run): Optional {
  const { listAll, roots, export: exportAs, thumbnail, move, trash, restore, copy, changes, share, unshare } = driver
  return {
    ...(listAll && {
      listAll: (call, cursor, extraRoots) =>
        run('listAll', call, (inner) => present(inner.listAll).call(inner, call, cursor, extraRoots)),
    }),
    ...(roots && { roots: (call) => run('roots', call, (inner) => present(inner.roots).call(inner, call)) }),
    ...(exportAs && {
      export: (call, ref, type) => run('export', call, (inner) => present(inner.export).call(inner, call, ref, type)),
    }),
    ...(thumbnail && {
      thumbnail: (call, ref, side) =>
        run('thumbnail', call, (inner) => present(inner.thumbnail).call(inner, call, ref, side)),
    }),
    ...(move && {
      move: (call, ref, to) => run('move', call, (inner) => present(inner.move).call(inner, call, ref, to)),
    }),
    ...(trash && {
      trash: (call, ref) => run('trash', call, (inner) => present(inner.trash).call(inner, call, ref)),
    }),
    ...(restore && {
      restore: (call, ref, parent) =>
        run('restore', call, (inner) => present(inner.restore).call(inner, call, ref, parent)),
    }),
    ...(copy && {
      copy: (call, ref, entry, progress) =>
        run('copy', call, (inner) => present(inner.copy).call(inner, call, ref, entry, progress)),
    }),
    ...(changes && {
      changes: (call, cursor, extraRoots) =>
        run('changes', call, (inner) => present(inner.changes).call(inner, call, cursor, extraRoots)),
    }),
    ...(share && {
      share: (call, ref, expiresAt) =>
        run('share', call, (inner) => present(inner.share).call(inner, call, ref, expiresAt)),
    }),
    ...(unshare && {
      unshare: (call, ref) => run('unshare', call, (inner) => present(inner.unshare).call(inner, call, ref)),
    }),
  }
}

function present<Method>(method: Method | undefined): Method {
  if (method === undefined) throw new Error('Two drivers of one account have different methods.')
  return method
}

/** Returns the progress for each attempt of a put: it continues the session that earlier attempts have saved. */
export function trackSession(progress: PutProgress): () => PutProgress {
  let { session } = progress
  return () => ({
    ...progress,
    session,
    async save(saved) {
      await progress.save(saved)
      session = saved
    },
  })
}

export type ObserveDeps = {
  readonly accountId: string | null
  readonly logger: Pick<Logger, 'debug' | 'warn'>
  readonly clock: Pick<Clock, 'now'>
}

/** Messages of these errors may contain file names. */
const WITH_NAMES: ReadonlySet<ProviderErrorCode> = new Set(['NotFound', 'Conflict', 'BadName'])

/** Logs one line per call when it has ended: a download, when its body has. Never file names, tokens or sessions. */
export function observe(driver: Driver, { accountId, logger, clock }: ObserveDeps): Driver {
  const begin = (operation: Operation, { requestId }: Call) => {
    const startedAt = clock.now()
    return (more: Readonly<Record<string, unknown>>, error?: unknown): void => {
      const ms = Math.round(clock.now() - startedAt)
      const line = { provider: driver.kind, accountId, operation, requestId, ms, ...more }
      if (error === undefined) logger.debug(line, 'provider call')
      else logger.warn({ ...line, ...failureOf(error) }, 'provider call failed')
    }
  }

  return wrapDriver(driver, async (operation, call, work) => {
    const end = begin(operation, call)
    try {
      const value = await work(driver)
      if (hasBody(operation)) onEnd(call, (value as Download).body, end)
      else end({})
      return value
    } catch (error) {
      if (call.signal.aborted) end({ aborted: true })
      else end({}, error)
      throw error
    }
  })
}

function onEnd(
  { signal }: Call,
  body: Download['body'],
  end: (more: Readonly<Record<string, unknown>>, error?: unknown) => void,
): void {
  let failure: unknown
  body.once('error', (error) => {
    failure = error
  })
  body.once('close', () => {
    if (signal.aborted) end({ aborted: true })
    else if (failure !== undefined) end({}, failure)
    else end(body.readableEnded ? {} : { leftEarly: true })
  })
}

function failureOf(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof ProviderError)) return { err: error }
  const { code, where, detail } = error
  const message = WITH_NAMES.has(code) ? undefined : detail.message
  return { code, status: where.status, attempts: detail.attempts, retryAfterMs: detail.retryAfterMs, message }
}

const MAX_ATTEMPTS = 5
const FIRST_PAUSE_MS = 1_000
/** Longer pauses are left to the caller's own schedule. */
const MAX_PAUSE_MS = 60_000
/** Not idempotent: after a lost response it is unknown whether the first attempt was carried out. */
const NOT_REPEATED: ReadonlySet<Operation> = new Set(['copy', 'move'])

/**
 * Retries errors that a later attempt may avoid: Transient with full jitter, RateLimited after the time that the service stated.
 * A thrown error has `attempts` set when retrying was given up. A put continues its last saved session. Broken bodies of downloads
 * are not retried here: the reader resumes them.
 */
export function retry(driver: Driver, { clock }: { clock: Clock }): Driver {
  async function repeat<Value>(operation: Operation, call: Call, work: () => Promise<Value>): Promise<Value> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work()
      } catch (error) {
        if (!isRetryable(operation, error)) throw error
        const pause = pauseMs(error, attempt, clock)
        const patienceMs = Math.min(MAX_PAUSE_MS, call.patienceMs ?? MAX_PAUSE_MS)
        if (attempt === MAX_ATTEMPTS || call.lastChance || pause > patienceMs) throw givenUp(error, attempt)
        await clock.sleep(pause, call.signal)
      }
    }
  }

  return {
    ...wrapDriver(driver, (operation, call, work) => repeat(operation, call, () => work(driver))),
    put(call, entry, content, progress) {
      const next = trackSession(progress)
      return repeat('put', call, () => driver.put(call, entry, content, next()))
    },
  }
}

function isRetryable(operation: Operation, error: unknown): error is ProviderError {
  if (!(error instanceof ProviderError) || error.detail.attempts !== undefined) return false
  return error.code === 'RateLimited' || (error.code === 'Transient' && !NOT_REPEATED.has(operation))
}

function pauseMs({ detail }: ProviderError, attempt: number, clock: Clock): number {
  return detail.retryAfterMs ?? clock.random() * Math.min(FIRST_PAUSE_MS * 2 ** (attempt - 1), MAX_PAUSE_MS)
}

function givenUp(error: ProviderError, attempts: number): ProviderError {
  return new ProviderError(error.code, error.where, { ...error.detail, attempts, cause: error })
}
