// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the planted code is text
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { composeStatements } from '../../server/scripts/statements/composed.ts'
import { findFragile, prepare } from '../../server/scripts/statements/prepareStatements.ts'
import { readStatements } from '../../server/scripts/statements/statements.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

/** The check that prepares every statement of the server against the schema (`npm run migration:check`). */
const root = mkdtempSync(join(tmpdir(), 'skypool-statements-'))
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(() => rmSync(root, { recursive: true, force: true }))
afterAll(() => database.close())

function read(files: Readonly<Record<string, string>>) {
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), code)
  }
  return readStatements(root, 'server')
}

async function problemsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const { statements, composed } = read(files)
  return [...(await prepare(database.connection, statements)), ...composed]
}

describe('a statement that names a missing column is refused', () => {
  it.each([
    ['in a call', "pool.query('select colour from files where id = $1', [id])"],
    ['in a constant', 'const FIND = `select f.id\n from files f where f.colour = $1`'],
    ['with a name', "const FIND = { name: 'find', text: `delete from files where colour = $1` }"],
    ['in one of two alternatives', "pool.query(some ? 'select id from files' : 'select colour from files')"],
    ['in an optional clause', "pool.query(`select id from files ${after ? 'where colour > $1' : ''}`)"],
    ['in a constant fragment', 'const WHICH = `colour = $1`\npool.query(`update files set size = 0 where ${WHICH}`)'],
    [
      'in what a function returns',
      'const is = (of: string) => `${of}.colour`\npool.query(`select ${is("f")} from files f`)',
    ],
    ['in a replacement', "const A = 'select s.X from files s'\npool.query(A.replaceAll('X', 'colour'))"],
    ['with a number', 'const MOST = 2 * 5\npool.query(`select colour from files limit ${MOST}`)'],
    ['of Prisma', 'tx.$queryRaw`select colour from files where id = ${id}::uuid and size > ${size}`'],
  ])('%s', async (_form, code) => {
    expect(await problemsOf({ 'server/a.ts': code })).toEqual([
      expect.stringMatching(/^server\/a\.ts:\d+: column .*"?colour"? does not exist/),
    ])
  })

  it('in a fragment of another file', async () => {
    const files = {
      'server/a.ts': "import { COLUMNS } from './b.ts'\npool.query(`select ${COLUMNS} from files f`)",
      'server/b.ts': 'export const COLUMNS = `f.id, f.colour`',
    }
    expect(await problemsOf(files)).toEqual([
      expect.stringMatching(/^server\/a\.ts:2: column f\.colour does not exist/),
    ])
  })

  it('and so is one that names a missing table, function or type', async () => {
    const code = "query('select 1 from parcels'); query('select weigh(id) from files'); query('select $1::colour')"
    expect(await problemsOf({ 'server/a.ts': code })).toHaveLength(3)
  })
})

it('a statement whose columns would be other ones after a later version has added some is refused', async () => {
  const own = await createTestDatabase()
  const code = `query('select * from tags'); query('insert into tags values ($1, $2, $3, $4, $5) returning *')
    query('select id from (select * from tags) t'); query('with t as (select * from tags) select id, name from t')`
  const { statements } = read({ 'server/a.ts': code })
  expect(await findFragile(own.connection, statements)).toEqual([
    expect.stringMatching(/^server\/a\.ts:1 has other columns.*\n {2}select \* from tags/),
    expect.stringMatching(/\n {2}insert into tags/),
  ])
  await own.close()
})

it('Prisma names the columns that it reads', async () => {
  const texts: string[] = []
  const query = database.pool.query.bind(database.pool)
  const spy = vi.spyOn(database.pool, 'query').mockImplementation(((statement: { text: string }, ...others: []) => {
    texts.push(statement.text)
    return query(statement, ...others)
  }) as never)
  await database.db.file.findMany({ include: { copies: true }, take: 1 })
  await database.db.account.findFirst()
  spy.mockRestore()
  expect(texts.length).toBeGreaterThan(1)
  for (const text of texts) expect(text).not.toMatch(/\*/)
})

it('fragments need not be whole by themselves', async () => {
  const code = "const FOUND = `select f.id from files f where f.kind = 'FILE' and`\npool.query(`${FOUND} f.size > $1`)"
  expect(await problemsOf({ 'server/a.ts': code })).toEqual([])
})

it('sentences for people are no statements', async () => {
  const code =
    "const A = 'Select a folder from the list'\nconst B = 'with a password'\nconst C = 'update the page of settings'"
  expect(read({ 'server/a.ts': code })).toEqual({ statements: [], composed: [] })
})

it('a statement that is put together at run time is reported', async () => {
  const code = 'function read(where: string) {\n  return pool.query(`select id from files where ${where}`)\n}'
  expect(await problemsOf({ 'server/a.ts': code })).toEqual(['server/a.ts:2'])
})

it('statements of the server that are put together at run time are all produced, and fit', async () => {
  const statements = await composeStatements()
  expect(new Set(statements.map(({ place }) => place)).size).toBe(6)
  expect(await prepare(database.connection, statements)).toEqual([])
})
