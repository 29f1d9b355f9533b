import { describe, expect, it } from 'vitest'
import { readMigrations } from '../../server/db/migrate.ts'
import { judgeMigrations, type Rule, readReleases } from '../../server/scripts/migration/compatible.ts'

/** The check that servers of the last version can work on a database of the next one (`npm run migration:check`). */
const RELEASED = { name: '1_released', sql: 'create table files (id uuid, name text, size int not null)', checksum: '' }
const RELEASES = [{ version: '1.0.0', lastMigration: '1_released' }]

const problemsOf = (...texts: readonly string[]) =>
  judgeMigrations(
    [RELEASED, ...texts.map((sql, index) => ({ name: `${index + 2}_next`, sql, checksum: '' }))],
    RELEASES,
  )

const rulesOf = (...texts: readonly string[]) =>
  problemsOf(...texts).map((problem) => /\(([a-z-]+)\)\. /.exec(problem)?.[1])

describe('what breaks servers of the last version is refused', () => {
  const planted: readonly (readonly [Rule, string])[] = [
    ['removes', 'drop table files'],
    ['removes', 'drop table if exists "public"."files" cascade'],
    ['removes', 'alter table files drop column name'],
    ['removes', 'alter table files drop name'],
    ['removes', 'ALTER TABLE "files" DROP CONSTRAINT "files_name_check", ADD COLUMN "hue" INTEGER'],
    ['removes', 'alter table files rename column name to title'],
    ['removes', 'alter table files rename to entries'],
    ['removes', 'alter table files alter column size type bigint'],
    ['removes', 'alter table files alter size set data type bigint'],
    ['removes', "alter type kind rename value 'A' to 'B'"],
    ['removes', 'alter index files_a rename to files_b'],
    ['removes', 'drop type kind'],
    ['removes', 'drop index files_name'],
    ['removes', 'drop index concurrently if exists files_name'],
    ['removes', 'drop trigger files_count on files'],
    ['removes', 'drop function count_files()'],
    ['removes', 'truncate files'],
    ['narrows', 'alter table files add column hue int not null'],
    ['narrows', 'alter table files alter column name set not null'],
    ['narrows', "alter table files alter column name set default '', alter column name set not null"],
    ['narrows', 'alter table files alter column size drop default'],
    ['narrows', 'alter table files add constraint files_size_check check (size > 0) not valid'],
    ['narrows', 'alter table files add unique (name)'],
    ['narrows', 'alter table files add foreign key (id) references files (id) on delete cascade'],
    ['narrows', 'create unique index concurrently files_name_key on files (name)'],
    ['narrows', 'create table parcels (file_id uuid references files (id))'],
    [
      'narrows',
      'create table parcels (id uuid); alter table parcels add foreign key (id) references "files"("id") on delete restrict',
    ],
    ['new-values', "alter type kind add value 'C'"],
    ['new-values', 'alter table files alter column size drop not null'],
    ['long-lock', 'create index files_name on files (name)'],
    ['long-lock', 'create index on files (name)'],
    ['long-lock', "create index concurrently files_name on files (name); select 'another statement'"],
    ['long-lock', 'alter table files add column key uuid default gen_random_uuid()'],
    ['long-lock', 'alter table files add column number bigserial'],
    ['long-lock', 'alter table files add column letters int generated always as (length(name)) stored'],
    ['long-lock', 'alter table files add column hue int unique'],
    ['long-lock', 'update files set size = 0'],
    ['long-lock', 'delete from only files where size = 0'],
    ['unknown', "do $$ begin execute 'drop table files'; end $$"],
    ['unknown', 'alter table files disable trigger all'],
    ['unknown', 'cluster files using files_name'],
    ['unknown', 'lock table files'],
  ]
  it.each(planted)('%s: %s', (rule, sql) => {
    expect(rulesOf(sql)).toEqual([rule])
  })
})

describe('what they do not notice is accepted', () => {
  it.each([
    ['a column that can be null', 'alter table files add column if not exists hue int'],
    ['one with a constant', "alter table files add column hue text not null default 'red; drop table files'"],
    ['one with the time', 'alter table files add column at timestamptz(3) not null default now()'],
    ['a default', 'alter table files alter column name set default $$x$$'],
    ['an index that is built concurrently', '-- By name\ncreate index concurrently files_name on files (name)'],
    ['an index of a table with few rows', 'create index servers_worker on servers (worker)'],
    ['a constraint that is validated', 'alter table files validate constraint files_size_check'],
    [
      'a type, a function and a trigger',
      "create type hue as enum ('RED'); create or replace function f() returns int as $$ drop table files; $$ language sql; create trigger t after insert on files execute function f()",
    ],
    [
      'a trigger that is replaced',
      'drop trigger t on files; create trigger t after delete on files execute function f()',
    ],
    ['rows', "insert into files (id) values ('drop')"],
    ['a comment', "-- drop table files;\n/* drop table files; */ comment on table files is 'drop table files;'"],
  ])('%s', (_what, sql) => {
    expect(problemsOf(sql)).toEqual([])
  })

  it('everything about a table, a column or a type that is new', () => {
    const table = `create table parcels (id uuid primary key, file_id uuid references files (id) on delete cascade);
      create unique index parcels_file on parcels (file_id); alter table parcels add constraint c check (id is not null);`
    const column = `alter table files add column hue int; create type tone as enum ('A')`
    const later = `alter table parcels drop column file_id; drop index parcels_file; update parcels set id = null;
      alter table files alter column hue type bigint; alter table files drop column hue; alter type tone add value 'B';
      drop type tone; drop table parcels`
    expect(problemsOf(table, column, later)).toEqual([])
  })

  it('a foreign key of a column that is new', () => {
    const add = 'alter table files add column parcel_id uuid; create table parcels (id uuid primary key);'
    const key = 'alter table files add constraint f foreign key (parcel_id) references parcels (id) on delete cascade'
    expect(problemsOf(add + key)).toEqual([])
    expect(rulesOf(add + key.replace('(parcel_id)', '(id)'))).toEqual(['narrows'])
  })

  it('unique values of a column that is new: they are null in what older servers write', () => {
    const sql = 'create unique index concurrently files_hue_key on files (hue)'
    expect(problemsOf('alter table files add column hue int', sql)).toEqual([])
  })
})

describe('a contraction', () => {
  it('may remove and restrict what servers of an earlier version have stopped using', () => {
    const sql = `-- contracts: 1_released\nalter table files drop column name; alter table files alter column size type bigint;
      alter table files add check (size > 0)`
    expect(problemsOf(sql)).toEqual([])
  })

  it('is refused in the version that stops using it', () => {
    const [problem = '', ...others] = problemsOf('select 1', '-- contracts: 2_next\nalter table files drop column name')
    expect(others).toEqual([])
    expect(problem).toContain('servers of 1.0.0 still use what it removes')
  })

  it('may lock no table for long', () => {
    expect(rulesOf('-- contracts: 1_released\nupdate files set size = 0')).toEqual(['long-lock'])
  })
})

describe('an allowance', () => {
  it('has a reason, and is for its statement and its rule only', () => {
    const add = "alter type kind add value 'C'"
    expect(problemsOf(`-- allow new-values: not written before 1.2.0\n${add}`)).toEqual([])
    expect(rulesOf(`-- allow new-values:\n${add}`)).toEqual(['new-values'])
    expect(rulesOf(`-- allow long-lock: few rows\n${add}`)).toEqual(['new-values'])
    expect(rulesOf(`-- allow new-values: not written\n${add}; ${add}`)).toEqual(['new-values'])
  })

  it('cannot be given for removing', () => {
    expect(rulesOf('-- allow removes: it is not used\ndrop table files')).toEqual(['removes'])
  })
})

it('says where and how to do it instead', () => {
  expect(problemsOf('\nselect 1;\n\nalter table files drop column name')).toEqual([
    'prisma/migrations/2_next/migration.sql:4 drops the column files.name (removes). Stop using it in this version, and remove it in the next one, with the line "-- contracts: <migration of this version>" (docs/scale.md).',
  ])
})

it('the migrations of the next version keep to it, and those before the last published one are as they were', () => {
  const migrations = readMigrations('prisma/migrations')
  expect(judgeMigrations(migrations, readReleases('prisma/releases.json'))).toEqual([])
  expect(judgeMigrations(migrations, [{ version: '1', lastMigration: migrations[0]?.name ?? '' }])).not.toEqual([])
  expect(judgeMigrations(migrations, [{ version: '1', lastMigration: 'gone' }])).toHaveLength(1)
})
