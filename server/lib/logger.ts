import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino'

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

/** Logs one JSON line per event, with level and time (ISO, UTC). */
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
