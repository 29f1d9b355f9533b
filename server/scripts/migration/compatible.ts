import { readFileSync } from 'node:fs'
import { contractsOf, type Migration } from '../../db/migrate.ts'
import { splitAt, splitAtCommas, type Token, tokenize } from '../statements/tokens.ts'

/** A version that was published, and the last migration that it has. Later ones belong to the next version. */
export type Release = { readonly version: string; readonly lastMigration: string }

/**
 * `removes`: something is gone that servers of the last version name in their statements. `narrows`: they write rows that are refused
 * now. `new-values`: they read values that they do not know. `long-lock`: they wait for a table. `unknown`: this check cannot tell.
 */
export type Rule = 'removes' | 'narrows' | 'new-values' | 'long-lock' | 'unknown'

type Finding = { readonly rule: Rule; readonly what: string }

/** What a contraction may do, because servers of the last version have stopped using it. */
const CONTRACTION: ReadonlySet<Rule> = new Set(['removes', 'narrows', 'new-values'])

const ADVICE: Readonly<Record<Rule, string>> = {
  removes:
    'Stop using it in this version, and remove it in the next one, with the line "-- contracts: <migration of this version>"',
  narrows:
    'Write what it wants in this version, and require it in the next one, with the line "-- contracts: <migration of this version>"',
  'new-values':
    'Read it in this version, and write it from the next one on. Say so: "-- allow new-values: not written before <version>"',
  'long-lock':
    'Build an index by "create index concurrently", alone in its migration; change rows in a job. If it takes less than a second for any installation: "-- allow long-lock: <reason>"',
  unknown: 'If servers of the last version work before and after it: "-- allow unknown: <reason>"',
}

/** They have a few rows, however large the installation. */
const SMALL_TABLES = new Set(['servers', 'server_limits', 'sealing_check', 'change_floor'])

/** @throws Error for a file that is no list of releases */
export function readReleases(file: string): Release[] {
  return JSON.parse(readFileSync(file, 'utf8')) as Release[]
}

/**
 * Whether servers of the last release can continue to work while and after the migrations of the next one are applied.
 * @returns one sentence for each statement after which they could not
 */
export function judgeMigrations(migrations: readonly Migration[], releases: readonly Release[]): string[] {
  const last = releases.at(-1)
  if (!last) return []
  const end = migrations.findIndex(({ name }) => name === last.lastMigration)
  if (end < 0) return [`prisma/releases.json names ${last.lastMigration} of ${last.version}, which does not exist.`]
  const released = new Set(migrations.slice(0, end + 1).map(({ name }) => name))
  const fresh = new Set<string>()
  return migrations.slice(end + 1).flatMap((migration) => judgeMigration(migration, { released, fresh, last }))
}

type Context = {
  /** Migrations of earlier versions. */
  readonly released: ReadonlySet<string>
  /** What migrations of the next version have created: `table colours`, `column colours.name`, `type hue`. No other version uses it. */
  readonly fresh: Set<string>
  readonly last: Release
}

function judgeMigration({ name, sql }: Migration, { released, fresh, last }: Context): string[] {
  const file = `prisma/migrations/${name}/migration.sql`
  const contracts = contractsOf(sql)
  if (contracts && !released.has(contracts))
    return [
      `${file} contracts ${contracts}, which no published version has: servers of ${last.version} still use what it removes. Wait for the next version (prisma/releases.json).`,
    ]
  const statements = splitStatements(sql)
  const made = new Set(statements.map(({ tokens }) => createdName(tokens)))
  return statements.flatMap(({ tokens, comments, start }) => {
    const statement = new Statement(tokens, fresh, made)
    const line = sql.slice(0, start).split('\n').length
    return judge(statement, statements.length === 1)
      .filter(({ rule }) => !(contracts && CONTRACTION.has(rule)))
      .filter(({ rule }) => !comments.some((comment) => allows(comment, rule)))
      .map(({ rule, what }) => `${file}:${line} ${what} (${rule}). ${ADVICE[rule]} (docs/scale.md).`)
  })
}

/** `removes` is never allowed like this: a contraction has to name since when nothing uses it. */
function allows(comment: string, rule: Rule): boolean {
  return rule !== 'removes' && new RegExp(`^--\\s*allow ${rule}: \\S+`).test(comment)
}

type Split = { readonly tokens: Token[]; readonly comments: string[]; readonly start: number }

function splitStatements(sql: string): Split[] {
  return splitAt(tokenize(sql), ';').flatMap((part) => {
    const tokens = part.filter(({ kind }) => kind !== 'comment')
    const comments = part.flatMap(({ kind, text }) => (kind === 'comment' ? [text] : []))
    return tokens[0] ? [{ tokens, comments, start: tokens[0].start }] : []
  })
}

/** `function count_files` of a statement that creates it; empty for others. */
function createdName(tokens: readonly Token[]): string {
  const words = tokens.map(({ text }) => text).filter((word) => !/^(?:or|replace|if|not|exists|constraint)$/.test(word))
  return words[0] === 'create' ? `${words[1]} ${words[2]}` : ''
}

/** Reads the tokens of a statement from left to right. */
class Statement {
  #at = 0
  readonly tokens: readonly Token[]
  readonly fresh: Set<string>
  /** What the same migration creates. */
  readonly made: ReadonlySet<string>
  constructor(tokens: readonly Token[], fresh: Set<string>, made: ReadonlySet<string>) {
    this.tokens = tokens
    this.fresh = fresh
    this.made = made
  }

  /** Skips these words, if they come next. */
  skip(...words: readonly string[]): boolean {
    const found = words.every((word, index) => {
      const token = this.tokens[this.#at + index]
      return token?.kind !== 'name' && token?.text === word
    })
    if (found) this.#at += words.length
    return found
  }

  /** A name, without the schema before it. */
  name(): string {
    let name = this.tokens[this.#at++]?.text ?? ''
    while (this.skip('.')) name = this.tokens[this.#at++]?.text ?? ''
    return name
  }

  rest(): Token[] {
    return this.tokens.slice(this.#at)
  }

  isFresh(kind: string, name: string): boolean {
    return this.fresh.has(`${kind} ${name}`)
  }

  add(kind: string, name: string): void {
    this.fresh.add(`${kind} ${name}`)
  }

  of(tokens: readonly Token[]): Statement {
    return new Statement(tokens, this.fresh, this.made)
  }
}

const HARMLESS = /^(?:select|with|set|comment|analyze|insert|grant|revoke)$/
const CREATED = ['type', 'function', 'trigger', 'extension', 'sequence', 'view', 'statistics', 'schema', 'domain']

function judge(statement: Statement, alone: boolean): Finding[] {
  const [first] = statement.tokens
  if (first && HARMLESS.test(first.text)) return []
  if (statement.skip('create')) return judgeCreate(statement, alone)
  if (statement.skip('alter')) return judgeAlter(statement)
  if (statement.skip('drop')) return judgeDrop(statement)
  if (statement.skip('update') || statement.skip('delete', 'from')) {
    statement.skip('only')
    const table = statement.name()
    return isUsed(statement, table) ? [{ rule: 'long-lock', what: `changes rows of ${table}` }] : []
  }
  if (statement.skip('truncate')) return [{ rule: 'removes', what: 'empties a table' }]
  return [{ rule: 'unknown', what: `begins with "${first?.text}"` }]
}

function isUsed(statement: Statement, table: string): boolean {
  return !statement.isFresh('table', table) && !SMALL_TABLES.has(table)
}

function judgeCreate(statement: Statement, alone: boolean): Finding[] {
  statement.skip('or', 'replace')
  const isUnique = statement.skip('unique')
  if (statement.skip('index')) return judgeIndex(statement, isUnique, alone)
  statement.skip('unlogged')
  if (statement.skip('table')) {
    statement.skip('if', 'not', 'exists')
    statement.add('table', statement.name())
    return judgeReferences(statement, statement.rest())
  }
  statement.skip('constraint')
  const kind = CREATED.find((one) => statement.skip(one))
  if (!kind) return [{ rule: 'unknown', what: `creates "${statement.rest()[0]?.text}"` }]
  statement.skip('if', 'not', 'exists')
  statement.add(kind, statement.name())
  return []
}

function judgeIndex(statement: Statement, isUnique: boolean, alone: boolean): Finding[] {
  const isConcurrent = statement.skip('concurrently')
  statement.skip('if', 'not', 'exists')
  const index = statement.skip('on') ? '' : statement.name()
  if (index) statement.skip('on')
  statement.skip('only')
  const table = statement.name()
  if (index) statement.add('index', index)
  if (isConcurrent && !alone)
    return [
      { rule: 'long-lock', what: `builds ${index} concurrently together with other statements, which is not possible` },
    ]
  if (!isUsed(statement, table)) return []
  const isNew = statement.rest().some(({ text }) => statement.isFresh('column', `${table}.${text}`))
  return [
    ...(isUnique && !isNew ? [finding('narrows', `refuses equal rows in ${table}`)] : []),
    ...(isConcurrent ? [] : [finding('long-lock', `builds ${index} while nothing can be written to ${table}`)]),
  ]
}

function finding(rule: Rule, what: string): Finding {
  return { rule, what }
}

function judgeDrop(statement: Statement): Finding[] {
  const kind = statement.name()
  statement.skip('concurrently')
  statement.skip('if', 'exists')
  return splitAtCommas(statement.rest()).flatMap((part) => {
    const name = statement.of(part).name()
    if (statement.isFresh(kind, name) || statement.made.has(`${kind} ${name}`)) return []
    return [finding('removes', `drops the ${kind} ${name}`)]
  })
}

function judgeAlter(statement: Statement): Finding[] {
  if (statement.skip('table')) return judgeAlterTable(statement)
  const kind = statement.name()
  const name = statement.name()
  if (statement.isFresh(kind, name)) return []
  if (kind === 'type' && statement.skip('add', 'value')) return [finding('new-values', `adds a value to ${name}`)]
  const renames = statement.rest().some(({ text }) => text === 'rename')
  return [
    renames ? finding('removes', `renames in the ${kind} ${name}`) : finding('unknown', `alters the ${kind} ${name}`),
  ]
}

function judgeAlterTable(statement: Statement): Finding[] {
  statement.skip('if', 'exists')
  statement.skip('only')
  const table = statement.name()
  const isNew = statement.isFresh('table', table)
  return splitAtCommas(statement.rest()).flatMap((action) => {
    const references = judgeReferences(statement, action)
    const found = judgeAction(statement.of(action), table)
    return isNew ? references : [...references, ...found]
  })
}

function judgeAction(action: Statement, table: string): Finding[] {
  if (action.skip('add')) return judgeAdd(action, table)
  if (action.skip('drop')) {
    const kind = action.skip('constraint') ? 'constraint' : 'column'
    action.skip('column')
    action.skip('if', 'exists')
    const name = action.name()
    return action.isFresh(kind, `${table}.${name}`) ? [] : [finding('removes', `drops the ${kind} ${table}.${name}`)]
  }
  if (action.skip('alter')) return judgeColumn(action, table)
  if (action.skip('rename')) return [finding('removes', `renames in ${table}`)]
  if (action.skip('validate') || action.skip('enable', 'trigger') || action.skip('set', '(')) return []
  return [finding('unknown', `alters ${table} by "${action.rest()[0]?.text}"`)]
}

/** Of an existing table. */
function judgeAdd(action: Statement, table: string): Finding[] {
  if (action.skip('constraint')) {
    const name = action.name()
    action.add('constraint', `${table}.${name}`)
    // It is null in what servers of the last version write.
    if (action.skip('foreign', 'key', '(') && action.isFresh('column', `${table}.${action.name()}`)) return []
    return [finding('narrows', `adds the constraint ${name} to ${table}`)]
  }
  if (/^(?:unique|primary|foreign|check|exclude)$/.test(action.rest()[0]?.text ?? ''))
    return [finding('narrows', `adds a constraint to ${table}`)]
  action.skip('column')
  action.skip('if', 'not', 'exists')
  const name = action.name()
  action.add('column', `${table}.${name}`)
  return judgeNewColumn(action.rest(), `${table}.${name}`)
}

/** PostgreSQL computes these once; others would be computed, and written, for each row. */
const COMPUTED_ONCE = /^(?:now|transaction_timestamp|statement_timestamp)$/

function judgeNewColumn(definition: readonly Token[], column: string): Finding[] {
  const text = definition.map((token) => (token.kind === 'value' ? "''" : token.text)).join(' ')
  const [, value = ''] = /\bdefault (.*)$/.exec(text) ?? []
  const isFilled = /^(?:small|big)?serial\b/.test(text) || /\bgenerated\b/.test(text)
  const calls = [...value.replace(/\b(?:references|check|constraint)\b.*$/, '').matchAll(/(\w+) \(/g)]
  const isRewritten = isFilled || calls.some(([, called = '']) => !COMPUTED_ONCE.test(called))
  return [
    ...(/\bnot null\b|\bprimary key\b/.test(text) && !value && !isFilled
      ? [finding('narrows', `adds ${column}, which has no default and cannot be null`)]
      : []),
    ...(isRewritten || /\bunique\b|\bprimary key\b/.test(text)
      ? [finding('long-lock', `adds ${column} by writing or reading every row`)]
      : []),
  ]
}

function judgeColumn(action: Statement, table: string): Finding[] {
  action.skip('column')
  const column = `${table}.${action.name()}`
  if (action.skip('set', 'default') || action.skip('set', 'statistics') || action.skip('set', 'storage')) return []
  if (action.skip('set', 'not', 'null')) return [finding('narrows', `refuses null in ${column}`)]
  if (action.skip('drop', 'not', 'null')) {
    return action.isFresh('column', column) ? [] : [finding('new-values', `allows null in ${column}`)]
  }
  if (action.isFresh('column', column)) return []
  if (action.skip('drop', 'default')) return [finding('narrows', `drops the default of ${column}`)]
  if (action.skip('type') || action.skip('set', 'data', 'type'))
    return [finding('removes', `changes the type of ${column}`)]
  return [finding('unknown', `alters ${column}`)]
}

/** A foreign key to an existing table: rows that only the next version writes must not keep the last one from deleting others. */
function judgeReferences(statement: Statement, tokens: readonly Token[]): Finding[] {
  return splitDefinitions(tokens).flatMap((definition) => {
    const at = definition.findIndex(({ kind, text }) => kind === 'word' && text === 'references')
    if (at < 0) return []
    const target = statement.of(definition.slice(at + 1)).name()
    const text = definition.map((token) => token.text).join(' ')
    if (statement.isFresh('table', target) || /\bon delete (?:cascade|set (?:null|default))\b/.test(text)) return []
    return [finding('narrows', `refuses to delete rows of ${target} that are referred to`)]
  })
}

/** The columns and constraints of a table, or the one of an action. */
function splitDefinitions(tokens: readonly Token[]): Token[][] {
  const [first, ...others] = tokens
  return first?.text === '(' ? splitAtCommas(others.slice(0, -1)) : [[...tokens]]
}
