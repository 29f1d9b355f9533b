/** Why the server cannot do what it otherwise could: no fault of the request, and over when its administrator or time has mended it. */
export type Trouble = { readonly kind: 'DATABASE' | 'DISK_FULL'; readonly reason: string }

/** Seconds after which trying again may help. */
export const RETRY_AFTER_SECONDS: Readonly<Record<Trouble['kind'], number>> = { DATABASE: 5, DISK_FULL: 60 }

/** For people; nothing about the inside. */
export const TROUBLE_MESSAGES: Readonly<Record<Trouble['kind'], string>> = {
  DATABASE: 'The database of this server does not answer at the moment. Please try again in a few seconds.',
  DISK_FULL: 'The disk of this server is full. Please try again later, or ask its administrator to make room.',
}

/**
 * SQLSTATEs (PostgreSQL, appendix A) of a database that is gone, starting, recovering, read-only or overloaded: connections (08),
 * resources (53), operator and timeouts (57, 55P03), lost races that were tried often enough (40), read-only (25006), time limits (25P03, 25P04).
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
/** Of node-postgres, which gives these errors no code. */
const LOST_CONNECTION =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end)/
const NO_SPACE = /No space left on device|Disk quota exceeded/

/** Where errors of the database are wrapped: by us, by Prisma, by GraphQL, by Node for several addresses. */
const WRAPPED = ['cause', 'originalError', 'meta', 'driverAdapterError', 'errors'] as const
const DEEPEST = 6

type Found = Readonly<Partial<Record<string, unknown>>>

/** Null: something else went wrong. */
export function troubleOf(error: unknown, depth = 0): Trouble | null {
  if (typeof error !== 'object' || error === null || depth > DEEPEST) return null
  const found = error as Found
  // What a provider or a mail server does says nothing about this one.
  if (found.name === 'ProviderError' || found.message === 'fetch failed') return null
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
    // The socket of the embedded server is not there while it is down. Prisma leaves the call in the message alone.
    (code === 'ENOENT' && (syscall === 'connect' || text.includes('connect ENOENT'))) ||
    PRISMA_KINDS.has(String(kind)) ||
    LOST_CONNECTION.test(text)
  return isGone ? 'DATABASE' : null
}

const TOLD_EVERY_MS = 1_000
const toldAt: Partial<Record<Trouble['kind'], number>> = {}

/** Logs it without a stack, and not for each of the requests that it befalls. */
export function tellTrouble(
  { kind, reason }: Trouble,
  logger: { warn(details: object, message: string): void },
  now = performance.now(),
): void {
  if (now - (toldAt[kind] ?? Number.NEGATIVE_INFINITY) < TOLD_EVERY_MS) return
  toldAt[kind] = now
  logger.warn({ reason }, kind === 'DATABASE' ? 'The database cannot be used' : 'The disk is full')
}
