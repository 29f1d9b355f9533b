/** A failure of the server's environment, not of the request: database or bucket are unavailable, or the disk is full. */
export type Trouble = { readonly kind: 'DATABASE' | 'BUCKET' | 'DISK_FULL'; readonly reason: string }

/** `Retry-After` in seconds. */
export const RETRY_AFTER_SECONDS: Readonly<Record<Trouble['kind'], number>> = { DATABASE: 5, BUCKET: 5, DISK_FULL: 60 }

/** For people; without internal details. */
export const TROUBLE_MESSAGES: Readonly<Record<Trouble['kind'], string>> = {
  DATABASE: 'The database of this server does not answer at the moment. Please try again in a few seconds.',
  BUCKET: 'The file storage of this server does not answer at the moment. Please try again in a few seconds.',
  DISK_FULL: 'The disk of this server is full. Please try again later, or ask its administrator to make room.',
}

/**
 * SQLSTATEs (PostgreSQL, appendix A) of a database that is stopped, starting, recovering, read-only or overloaded: connections (08),
 * resources (53), operator and timeouts (57, 55P03), conflicts after all retries (40), read-only (25006), time limits (25P03, 25P04).
 */
const DATABASE_STATES = /^(08...|53[02-9]..|57...|58...|55P03|40001|40P01|25006|25P0[34])$/
/** Prisma's own codes for the same: not reachable, timed out, closed, no connection free, too many. */
const PRISMA_CODES = /^P(1001|1002|1008|1017|2024|2037)$/
const PRISMA_KINDS = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'TooManyConnections', 'SocketTimeout'])
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTDOWN',
])
const FULL_CODES = new Set(['53100', 'ENOSPC', 'EDQUOT'])
/** Messages of node-postgres errors that have no code. */
const LOST_CONNECTION =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|PostgreSQL did not answer in time|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end)/
const NO_SPACE = /No space left on device|Disk quota exceeded/

/** Properties that hold wrapped errors: of ours, Prisma, GraphQL, and Node (several addresses). */
const WRAPPED = ['cause', 'originalError', 'meta', 'driverAdapterError', 'errors'] as const
const MAX_DEPTH = 6

type Found = Readonly<Partial<Record<string, unknown>>>

/** The environment failure behind an error; null: another kind of error. */
export function troubleOf(error: unknown, depth = 0): Trouble | null {
  if (typeof error !== 'object' || error === null || depth > MAX_DEPTH) return null
  const found = error as Found
  // Errors of a provider or mail server are not failures of this server.
  if (found.name === 'ProviderError' || found.message === 'fetch failed') return null
  // Its cause is not a failure of the database.
  if (found.name === 'S3Error') return found.canRepeat ? { kind: 'BUCKET', reason: String(found.message) } : null
  const kind = kindOf(found)
  if (kind) return { kind, reason: typeof found.message === 'string' ? found.message : String(found.kind ?? kind) }
  for (const name of WRAPPED) {
    for (const inner of [found[name]].flat()) {
      const trouble = troubleOf(inner, depth + 1)
      if (trouble) return trouble
    }
  }
  return null
}

function kindOf({ code, originalCode, errorCode, kind, name, message, syscall }: Found): Trouble['kind'] | null {
  const codes = [code, originalCode, errorCode].filter((one) => typeof one === 'string')
  const text = typeof message === 'string' ? message : ''
  if (name === 'DiskFullError' || codes.some((one) => FULL_CODES.has(one)) || NO_SPACE.test(text)) return 'DISK_FULL'
  const isGone =
    codes.some((one) => DATABASE_STATES.test(one) || PRISMA_CODES.test(one) || SYSTEM_CODES.has(one)) ||
    // The embedded server's socket is missing while it is down. Prisma reports the system call in the message only.
    (code === 'ENOENT' && (syscall === 'connect' || text.includes('connect ENOENT'))) ||
    PRISMA_KINDS.has(String(kind)) ||
    LOST_CONNECTION.test(text)
  return isGone ? 'DATABASE' : null
}

const LOG_INTERVAL_MS = 1_000
const loggedAt: Partial<Record<Trouble['kind'], number>> = {}

/** Logs it without a stack, at most once a second per kind. */
export function logTrouble(
  { kind, reason }: Trouble,
  logger: { warn(details: object, message: string): void },
  now = performance.now(),
): void {
  if (now - (loggedAt[kind] ?? Number.NEGATIVE_INFINITY) < LOG_INTERVAL_MS) return
  loggedAt[kind] = now
  const what = { DATABASE: 'database', BUCKET: 'object store', DISK_FULL: 'disk' }[kind]
  logger.warn({ reason }, `The ${what} ${kind === 'DISK_FULL' ? 'is full' : 'cannot be used'}`)
}
