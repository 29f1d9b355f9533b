import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { composeStatements } from '../../server/scripts/statements/composed.ts'
import { scopeOf } from '../../server/scripts/statements/scope.ts'
import { readStatements } from '../../server/scripts/statements/statements.ts'
import { readTables } from '../../server/scripts/statements/tables.ts'
import { BY_KEY, judgeUserScope, OVER_ALL_USERS } from '../../server/scripts/statements/userScope.ts'

/** The check that every query says whose rows it means (`npm run migration:check`). */
const tables = readTables(readFileSync('prisma/schema.prisma', 'utf8'))
const root = mkdtempSync(join(tmpdir(), 'skypool-scope-'))
afterEach(() => rmSync(root, { recursive: true, force: true }))

const scope = (sql: string) => {
  const { by, names } = scopeOf(sql, tables)
  return [by, ...names]
}

describe('a statement has its user', () => {
  it.each([
    ['in its conditions', 'select id from files where user_id = $1 and size > $2'],
    ['with a type', 'select f.id from files as f where f.size > 1 and (f.user_id = $1::uuid)'],
    [
      'by a join',
      'select p.id from pieces p join copies c on c.id = p.copy_id join files f on f.id = c.file_id where f.user_id = $1',
    ],
    [
      'by a join with USING',
      'with mine as (select id from files where user_id = $1) select f.name from mine join files f using (id)',
    ],
    ['by a subquery', 'select id from copies where file_id in (select id from files where user_id = $1)'],
    [
      'by a row that must exist',
      'select p.id from pieces p where exists (select from accounts a where a.id = p.account_id and a.user_id = $1)',
    ],
    [
      'through a recursive query',
      `with recursive below as (select id from files where user_id = $1 and parent_id is null
       union all select f.id from below join files f on f.parent_id = below.id) select id from below`,
    ],
    [
      'in a lateral query',
      'select f.id from files f cross join lateral (select from copies c where c.file_id = f.id) c where f.user_id = $1',
    ],
    ['in the values of an insert', 'insert into tags (id, user_id, name, name_key, color) values ($1, $2, $3, $4, $5)'],
    [
      'in rows that it is given',
      'select f.id from files f join unnest($1::uuid[]) as g(user_id) on g.user_id = f.user_id',
    ],
    [
      'in an update and what it reads',
      'update files f set size = 0 from copies c where c.file_id = f.id and f.user_id = $1',
    ],
    ['in each branch', '(select id from files where user_id = $1) union all select id from files where user_id = $2'],
    ['because it is about no user', 'select id from servers where heartbeat_at < now()'],
  ])('%s', (_way, sql) => {
    expect(scope(sql)).toEqual(['USER'])
  })
})

describe('a statement has a key, each value of which belongs to one user', () => {
  it.each([
    ['an id', 'select name from files where id = $1', ['files.id']],
    ['one of several ids', 'delete from pieces p where p.id = any($1::uuid[])', ['pieces.id']],
    ['ids in a list', 'select from files where id in ($1, $2) for update', ['files.id']],
    ['the row that it belongs to', 'select id from copies where file_id = $1', ['copies.file_id']],
    ['a secret', 'select user_id from sessions where token_hash = $1', ['sessions.token_hash']],
    ['one of two keys', 'select from files where id = $1 or parent_id = $1', ['files.id', 'files.parent_id']],
    ['that of the row that is added', 'insert into copies (id, file_id) values ($1, $2)', ['copies.file_id']],
    [
      'that of a query',
      'with f as (select id from files where id = $1) select from copies c join f on f.id = c.file_id',
      ['files.id'],
    ],
  ])('%s', (_way, sql, keys) => {
    expect(scope(sql)).toEqual(['KEY', ...keys])
  })
})

describe('a statement that means rows of all users is found', () => {
  it.each([
    ['without a condition', 'select count(*) from files', ['files']],
    ['with another condition', 'select id from files where name_key = $1', ['files']],
    [
      'with a join that does not name it',
      'select f.id from files f join copies c on c.file_id = f.id',
      ['copies', 'files'],
    ],
    ['where the condition is one of two', 'select id from files where user_id = $1 or starred', ['files']],
    ['where it is excluded', 'select id from files where not user_id = $1', ['files']],
    ['where it is another one', 'select id from files where user_id <> $1', ['files']],
    ['where it is in a list of columns', 'select user_id = $1 from files', ['files']],
    ['where another table has it', 'select f.id from files f, accounts a where a.user_id = $1', ['files']],
    [
      'where a join is by something else',
      'select f.id from files f join tags t on t.name = f.name where t.user_id = $1',
      ['files'],
    ],
    ['in one of two branches', 'select id from files where user_id = $1 union select id from files', ['files']],
    ['in a subquery', 'select id from files where user_id = $1 and size = (select max(size) from files)', ['files']],
    [
      'in a CTE',
      'with old as (delete from transfers where ended_at < now()) select id from files where user_id = $1',
      ['transfers'],
    ],
    [
      'where a row must not exist',
      'delete from copies c where not exists (select from files f where f.id = c.file_id and f.user_id = $1)',
      ['copies'],
    ],
    ['in a comment', 'select id from files -- where user_id = $1', ['files']],
    ['in a text', "select id from files where name = 'user_id = $1'", ['files']],
    ['when it adds rows', 'insert into tags (id, name) values ($1, $2)', ['tags']],
    ['when it changes rows', 'update accounts set used_bytes = 0', ['accounts']],
  ])('%s', (_way, sql, found) => {
    expect(scope(sql)).toEqual(['ALL', ...found])
  })
})

function judge(files: Readonly<Record<string, string>>, options: Partial<Parameters<typeof judgeUserScope>[1]> = {}) {
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), code)
  }
  const { statements } = readStatements(root, 'server')
  return judgeUserScope(statements, { tables, root, exceptions: [], byKey: [], ...options })
}

describe('planted in the server', () => {
  it('a statement over all users is refused, and accepted when it is listed', () => {
    const planted = { 'server/domain/files/all.ts': 'pool.query(`select id from files where size > $1`)' }
    const exceptions = [{ because: 'A test.', statements: { 'server/domain/files/all.ts': 1 } }]
    expect(judge(planted)).toEqual([
      expect.stringMatching(/^server\/domain\/files\/all\.ts:1 does not say whose rows of files/),
    ])
    expect(judge(planted, { exceptions })).toEqual([])
  })

  it('a second one in a file that is listed is refused, and an exception that is not needed, too', () => {
    const one = 'pool.query(`select id from files where size > $1`)'
    const exceptions = [{ because: 'A test.', statements: { 'server/a.ts': 1 } }]
    expect(judge({ 'server/a.ts': `${one}\n${one.replace('>', '<')}` }, { exceptions })).toHaveLength(2)
    expect(judge({ 'server/a.ts': '' }, { exceptions })).toEqual([
      expect.stringMatching(/^server\/a\.ts has 0 .* not 1/),
    ])
  })

  it('a statement by a key is refused outside of the folders that are listed', () => {
    const planted = { 'server/domain/parcels/read.ts': 'pool.query(`select name from files where id = $1`)' }
    expect(judge(planted)).toEqual([
      expect.stringMatching(/read\.ts:1 finds rows by files\.id and does not name their user/),
    ])
    const byKey = [{ because: 'A test.', folders: ['server/domain/parcels'] }]
    expect(judge(planted, { byKey })).toEqual([])
    expect(judge({ 'server/domain/parcels/read.ts': '' }, { byKey })).toEqual([
      expect.stringMatching(/no statement by a key/),
    ])
  })

  it.each([
    ['without conditions', 'db.file.findMany()', /file|rows of files/],
    ['with other conditions', 'tx.account.updateMany({ where: { provider }, data: {} })', /rows of accounts/],
    [
      'where the user is one of two',
      'db.file.findMany({ where: { OR: [{ userId }, { starred: true }] } })',
      /rows of files/,
    ],
    ['by an id', 'context.db.file.findUnique({ where: { id } })', /by files\.id/],
  ])('a call of Prisma %s is refused', (_way, code, message) => {
    expect(judge({ 'server/a.ts': code })).toEqual([expect.stringMatching(message)])
  })

  it.each([
    ['in its conditions', 'db.file.findMany({ where: { id, userId: viewer.userId } })'],
    ['of the row that it belongs to', 'db.copy.findMany({ where: { file: { userId } } })'],
    [
      'from a function',
      'const mine = (v) => ({ userId: v.userId }) satisfies X\ndb.file.findMany({ where: { id, ...mine(v) } })',
    ],
    ['in a constant', 'function f(v) {\n  const where = { userId: v }\n  return tx.file.count({ where })\n}'],
    ['in a new row', 'tx.tag.create({ data: { id, userId, name } })'],
  ])('a call of Prisma with the user %s is accepted', (_way, code) => {
    expect(judge({ 'server/a.ts': code })).toEqual([])
  })
})

it('every statement and call of the server says whose rows it means, or is listed with a reason', async () => {
  const { statements } = readStatements('.', 'server')
  const whole = [...statements.filter(({ part }) => !part), ...(await composeStatements())]
  expect(whole.length).toBeGreaterThan(500)
  expect(judgeUserScope(whole, { tables })).toEqual([])
})

describe('the page on sharding', () => {
  const page = readFileSync('docs/scale.md', 'utf8').split('### Second choice')[1] ?? ''
  const named = (beginning: string) => {
    const [, text = ''] = page.split(beginning)
    return [...(text.split(/\n\n/)[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
  }
  const ofKind = (...kinds: readonly string[]) =>
    [...tables.values()].filter(({ kind }) => kinds.includes(kind)).map(({ name }) => name)

  it('names every table once, where it belongs', () => {
    const own = named('**Distributed, with `user_id` today:**')
    const added = named('**Distributed, and `user_id` has to be added**')
    const global = named('**Global**')
    const known = (names: readonly string[]) => names.filter((name) => tables.has(name)).sort()
    expect(known(own)).toEqual(ofKind('OWN', 'USERS').sort())
    expect([...known(added), ...known(global)].sort()).toEqual(ofKind('CHILD', 'NONE').sort())
    expect(known(global)).toEqual([...ofKind('NONE'), 'invitations'].sort())
  })
})

it('each exception has a reason', () => {
  for (const { because } of [...OVER_ALL_USERS, ...BY_KEY]) expect(because).toMatch(/^[A-Z].{20,}\.$/)
})
