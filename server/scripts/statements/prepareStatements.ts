import { readFileSync } from 'node:fs'
import pg from 'pg'
import type { Connection } from '../../db/embedded/embeddedPostgres.ts'
import { migrate, readMigrations } from '../../db/migrate.ts'
import { createPool } from '../../db/pool.ts'
import { WORK_TABLES } from '../../domain/duplicates/manyOfOneSize.ts'
import { migrateQueue } from '../../queue/enqueue.ts'
import { composeStatements, isComposed } from './composed.ts'
import { readStatements, type Statement } from './statements.ts'
import { readTables } from './tables.ts'
import { judgeUserScope } from './userScope.ts'

const DATABASE = 'statements'
const SCHEMA = 'prisma/schema.prisma'

/**
 * Prepares every SQL statement of `server` against the schema that the migrations in `dir` make, in a new database of the throw-away
 * server at `connection`.
 * @returns how many statements there are, and a sentence for each one that PostgreSQL refuses, that cannot be read, or that does not say
 * whose rows it means
 */
export async function checkStatements(
  connection: Connection,
  dir: string,
): Promise<{ count: number; problems: string[] }> {
  await withClient(connection, (client) => client.query(`create database ${DATABASE}`))
  const database = { ...connection, database: DATABASE }
  await migrate(database, readMigrations(dir))
  const pool = createPool(database, { max: 1 })
  await migrateQueue(pool)
  await pool.end()

  const { statements, composed } = readStatements('.', 'server')
  const all = [...statements, ...(await composeStatements())]
  const unread = composed.filter((place) => !isComposed(place.replace(/:\d+$/, '')))
  const whole = all.filter(({ part }) => !part)
  const lacking = judgeUserScope(whole, { tables: readTables(readFileSync(SCHEMA, 'utf8')) })
  return { count: all.length, problems: [...(await prepare(database, all)), ...unread.map(sentenceOf), ...lacking] }
}

function sentenceOf(place: string): string {
  return `${place} puts a statement together at run time. Make it a constant, or produce it in server/scripts/statements/composed.ts.`
}

/**
 * Statements may use the tables that a connection makes for itself. PREPARE resolves every table, column, function and type of a statement, and executes nothing. A fragment that is part of a larger
 * statement may be refused: it is prepared where it is used.
 * @returns one sentence for each statement that is refused
 */
export async function prepare(database: Connection, statements: readonly Statement[]): Promise<string[]> {
  return withClient(database, async (client) => {
    const problems: string[] = []
    await client.query(WORK_TABLES)
    for (const { place, text, part } of statements) {
      try {
        await client.query(`prepare statement as ${text}`)
        await client.query('deallocate statement')
      } catch (error) {
        if (!part) problems.push(`${place}: ${(error as Error).message}\n  ${text.replace(/\s+/g, ' ').slice(0, 200)}`)
      }
    }
    return problems
  })
}

async function withClient<Result>(
  connection: Connection,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
