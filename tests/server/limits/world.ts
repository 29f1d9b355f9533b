import { randomUUID } from 'node:crypto'
import type pg from 'pg'
import { createPool } from '../../../server/db/pool.ts'
import { connectionName } from '../../../server/db/servers.ts'
import { createSharedLimits, type SharedLimits } from '../../../server/db/sharedLimits.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import type { TestDatabase } from '../../setup/database.ts'

/** The limits as one of several servers has them, with a pool of its own that can fail. */
export type LimitsOfServer = SharedLimits & {
  readonly id: string
  /** Statements so far. */
  statements(): number
  /** `refused`: the database does not answer. `lost`: it does what it is told, but its answer is lost. */
  fail(how: 'refused' | 'lost' | null): void
  /** Without giving anything back. */
  vanish(): Promise<void>
}

const SERVERS = 3

/** In the register, unless `id` is one that is there already. */
export async function startLimits(
  { connection, pool: admin }: TestDatabase,
  id = randomUUID(),
): Promise<LimitsOfServer> {
  await admin.query('insert into servers (id) values ($1) on conflict do nothing', [id])
  let statements = 0
  let failure: 'refused' | 'lost' | null = null
  const real = createPool(connection, { name: `limits ${id}` })
  const query = async (...given: unknown[]) => {
    statements += 1
    if (failure === 'refused') throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const answer = await (real.query as (...all: unknown[]) => Promise<unknown>)(...given)
    if (failure === 'lost') throw new Error('Connection terminated unexpectedly')
    return answer
  }
  const limits = await createSharedLimits({
    pool: { query } as unknown as pg.Pool,
    address: connection,
    logger: createLogger('silent', { write: () => undefined }),
    serverId: id,
    servers: () => SERVERS,
    name: connectionName('skypool-limits', id),
  })
  return {
    ...limits,
    id,
    statements: () => statements,
    fail(how) {
      failure = how
    },
    async close() {
      await limits.close()
      await real.end()
    },
    async vanish() {
      await admin.query('delete from servers where id = $1', [id])
    },
  }
}

/** Runs `act` so many times on each in turn, all at once. @returns the results */
export function spread<Server, Result>(
  servers: readonly Server[],
  times: number,
  act: (server: Server) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: times }, () => servers.map(act)).flat())
}
