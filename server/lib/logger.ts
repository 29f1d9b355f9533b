import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'
import { currentCause } from './cause.ts'

export type Logger = PinoLogger

/** Fields that are redacted in logged objects, up to two levels deep. */
const SECRET_FIELDS = [
  'password',
  'token',
  'authorization',
  'cookie',
  '["set-cookie"]',
  'secretKeys',
  'databaseUrl',
  'databaseDirectUrl',
  'credentials',
  'accessToken',
  'access_token',
  'refreshToken',
  'refresh_token',
  'id_token',
  'clientSecret',
  'client_secret',
  'verifier',
  'code_verifier',
]
const REDACTED = SECRET_FIELDS.flatMap((field) => {
  const step = field.startsWith('[') ? field : `.${field}`
  return [field, `*${step}`, `*.*${step}`]
})

/** Logs one JSON line per event, with level and time (ISO, UTC), and `reqId`: the request that led to it, where causes are followed. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: requestIdOf,
    redact: { paths: REDACTED, censor: '[redacted]' },
  }
  return destination ? pino(options, destination) : pino(options)
}

/** A request's own logger has its id already. */
function requestIdOf(_fields: object, _level: number, logger: PinoLogger): object {
  const requestId = currentCause()?.requestId ?? null
  return requestId === null || 'reqId' in logger.bindings() ? {} : { reqId: requestId }
}
