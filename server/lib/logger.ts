import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'

export type Logger = PinoLogger

/** What is never written, wherever an object that holds it is logged, up to two levels down. */
const SECRET_FIELDS = [
  'password',
  'token',
  'authorization',
  'cookie',
  '["set-cookie"]',
  'secretKeys',
  'databaseUrl',
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

/** One JSON line per event: level, time (ISO, UTC), message first to last as people read them. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: REDACTED, censor: '[redacted]' },
  }
  return destination ? pino(options, destination) : pino(options)
}
