import type { Logger } from '../../lib/logger.ts'
import type { Call, Download, Driver } from '../driver.ts'
import { ProviderError, type ProviderErrorCode } from '../errors.ts'
import type { Clock } from './clock.ts'
import { hasBody, type Operation, wrapDriver } from './wrapDriver.ts'

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
