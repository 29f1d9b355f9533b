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
  const refused = await prepare(database, all)
  // Statements that are refused as they are need no second sentence.
  const fragile = refused.length > 0 ? [] : await findFragile(database, all)
  return { count: all.length, problems: [...refused, ...fragile, ...unread.map(sentenceOf), ...lacking] }
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

const TABLES = `select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'`
const RESULT = `select result_types::text as types from pg_prepared_statements where name = 'statement'`

/**
 * Adds a column to every table, as a later version may do while this one runs, and prepares the statements again.
 * @returns one sentence for each whose columns are other ones then (`select *`), or that is refused
 */
export async function findFragile(database: Connection, statements: readonly Statement[]): Promise<string[]> {
  const texts = new Map(statements.map(({ text, place }) => [text, place]))
  return withClient(database, async (client) => {
    await client.query(WORK_TABLES)
    const resultsOf = async () => {
      const results = new Map<string, string | null>()
      for (const text of texts.keys()) results.set(text, await resultTypes(client, text))
      return results
    }
    const before = await resultsOf()
    const { rows } = await client.query<{ name: string }>(TABLES)
    for (const { name } of rows) await client.query(`alter table ${name} add column added_by_a_later_version inet`)
    const after = await resultsOf()
    return [...texts].flatMap(([text, place]) =>
      before.get(text) === after.get(text)
        ? []
        : [
            `${place} has other columns, or fails, once a later version adds some. Name them.\n  ${text.replace(/\s+/g, ' ').slice(0, 200)}`,
          ],
    )
  })
}

/** null: it is refused. */
async function resultTypes(client: pg.Client, text: string): Promise<string | null> {
  try {
    await client.query(`prepare statement as ${text}`)
    const { rows } = await client.query<{ types: string | null }>(RESULT)
    await client.query('deallocate statement')
    return rows[0]?.types ?? ''
  } catch {
    return null // such as a fragment, which is prepared where it is used
  }
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
