import type { Table } from './tables.ts'
import { type Token, tokenize } from './tokens.ts'

/**
 * How a statement says whose rows it means. `USER`: every table in it is restricted to a user, by `user_id` or by being joined to a
 * table that is. `KEY`: by ids or unique values that it is given, each of which belongs to one user. `ALL`: a table is not restricted.
 */
export type Scope = {
  readonly by: 'USER' | 'KEY' | 'ALL'
  /** KEY: `files.id` and so on. ALL: the tables. */
  readonly names: readonly string[]
}

type Group = { readonly items: readonly Item[] }
type Item = Token | Group

/** What a FROM clause reads: a table, the result of a subquery or CTE, or values that the statement is given. */
type Ref = {
  readonly alias: string
  readonly table: Table | null
  /** Of a subquery or CTE. */
  readonly body: Body | null
  /** Its values are parameters of the statement, or in a table that the connection has made for itself. */
  given: boolean
  /** `user`, or the key by which it is restricted. */
  readonly anchors: Set<string>
  /** Refs that restrict this one, because it is joined to them. */
  readonly from: Set<Ref>
}
/** Every ref in a query, also in its subqueries. */
type Body = { readonly refs: Ref[] }
type Level = {
  readonly refs: Ref[]
  readonly outer: Level | null
  /** A row of the outer query needs one here, so what restricts this restricts that. */
  readonly positive: boolean
}
type Ctes = ReadonlyMap<string, Body>

type Operand =
  | { readonly kind: 'column'; readonly ref: Ref; readonly column: string; readonly level: Level }
  | { readonly kind: 'given' }
  | { readonly kind: 'query'; readonly body: Body }
  | { readonly kind: 'tuple'; readonly parts: readonly Operand[] }
  | { readonly kind: 'other' }

const USER = 'user'
const OTHER: Operand = { kind: 'other' }
/** Columns with ids, or with references of objects, which are as unique. */
const ID = /(?:^|_)(?:ids?|ref)$/
const AFTER_SOURCE =
  /^(?:where|on|group|order|limit|returning|for|union|except|intersect|join|left|right|inner|cross|full|natural|having|window|offset|fetch|set|do|from|using|when|values|select|with|as|tablesample|overriding|default)$/
const NO_COLUMN = /^(?:true|false|null|default|current_date|not|and|or|is|any|all|some)$/
const SETS = /^(?:union|except|intersect)$/

/** @throws Error for what is no SQL */
export function scopeOf(sql: string, tables: ReadonlyMap<string, Table>): Scope {
  const items = nest(tokenize(sql).filter(({ kind }) => kind !== 'comment'))
  const { refs } = new Reader(tables).query(items, null, new Map(), true)
  return weigh(refs)
}

function nest(tokens: readonly Token[]): Item[] {
  const stack: Item[][] = [[]]
  for (const token of tokens) {
    if (token.kind === 'symbol' && /^[([]$/.test(token.text)) stack.push([])
    else if (token.kind === 'symbol' && /^[)\]]$/.test(token.text)) {
      const items = stack.pop() ?? []
      stack.at(-1)?.push({ items })
    } else stack.at(-1)?.push(token)
  }
  return stack[0] ?? []
}

const isGroup = (item: Item | undefined): item is Group => item !== undefined && 'items' in item
const textOf = (item: Item | undefined) => (item && !isGroup(item) ? item.text : '')
const isWord = (item: Item | undefined, pattern: RegExp) =>
  item !== undefined && !isGroup(item) && item.kind === 'word' && pattern.test(item.text)
const isName = (item: Item | undefined): item is Token =>
  item !== undefined && !isGroup(item) && (item.kind === 'word' || item.kind === 'name')
const isColumnList = (item: Item | undefined) => isGroup(item) && !isQuery(item.items)
const isQuery = (items: readonly Item[]): boolean =>
  isWord(items[0], /^(?:select|with|values|insert|update|delete)$/) ||
  (isGroup(items[0]) && (items.length === 1 || isWord(items[1], SETS)) && isQuery(items[0].items))

class Reader {
  readonly #tables: ReadonlyMap<string, Table>
  constructor(tables: ReadonlyMap<string, Table>) {
    this.#tables = tables
  }

  query(items: readonly Item[], outer: Level | null, known: Ctes, positive: boolean): Body {
    const ctes = new Map(known)
    const refs: Ref[] = []
    let at = 0
    if (isWord(items[0], /^with$/)) {
      at = isWord(items[1], /^recursive$/) ? 2 : 1
      for (;;) {
        const name = textOf(items[at])
        while (!isWord(items[at], /^as$/)) at += 1
        while (!isGroup(items[at])) at += 1
        const body: Body = { refs: [] }
        ctes.set(name, body)
        const inner = items[at] as Group
        body.refs.push(...this.query(inner.items, outer, ctes, positive).refs)
        refs.push(...body.refs)
        at += 1
        if (textOf(items[at]) !== ',') break
        at += 1
      }
    }
    for (const branch of splitItems(items.slice(at), SETS)) {
      const [first, ...others] = isWord(branch[0], /^all$/) ? branch.slice(1) : branch
      if (isGroup(first) && others.length === 0) refs.push(...this.query(first.items, outer, ctes, positive).refs)
      else if (first) refs.push(...this.#level([first, ...others], outer, ctes, positive).refs)
    }
    return { refs }
  }

  #level(items: readonly Item[], outer: Level | null, ctes: Ctes, positive: boolean): Body {
    if (isWord(items[0], /^insert$/)) return this.#insert(items, ctes)
    const level: Level = { refs: [], outer, positive }
    const all: Ref[] = []
    const open = { level, ctes, all }
    this.#sources(items, open)
    for (const run of conditionsOf(items)) this.#apply(run, open)
    this.#subqueries(items, open)
    all.push(...level.refs)
    return { refs: all }
  }

  /** The rows are its user's by the columns that it fills. */
  #insert(items: readonly Item[], ctes: Ctes): Body {
    let at = 2
    while (textOf(items[at + 1]) === '.') at += 2
    const table = this.#tables.get(textOf(items[at])) ?? null
    at += 1
    if (isWord(items[at], /^as$/)) at += 2
    const columns = isGroup(items[at]) ? (items[at] as Group).items.map(textOf) : []
    const target: Ref = { alias: '', table, body: null, given: false, anchors: new Set(), from: new Set() }
    if (table?.kind === 'USERS') target.anchors.add(USER)
    for (const column of columns) if (table && namesUser(table, column)) target.anchors.add(USER)
    for (const column of columns) {
      if (table?.kind === 'CHILD' && table.references.has(column)) target.anchors.add(`${table.name}.${column}`)
    }
    const rest = items.slice(columns.length > 0 ? at + 1 : at)
    return { refs: [target, ...this.query(rest, null, ctes, true).refs] }
  }

  #sources(items: readonly Item[], open: Open): void {
    for (let at = 0; at < items.length; at += 1) {
      const item = items[at]
      const isDistinct = isWord(items[at - 1], /^distinct$/)
      const starts =
        isWord(item, /^(?:from|join)$/) ||
        (isWord(item, /^using$/) && !isColumnList(items[at + 1])) ||
        (at === 0 && isWord(item, /^update$/))
      if (isWord(item, /^using$/) && !starts) this.#joinUsing(items[at + 1], open.level)
      if (!starts || isDistinct) continue
      do at = this.#source(items, at + 1, open)
      while (textOf(items[at]) === ',' && !isWord(item, /^join$/))
      at -= 1
    }
  }

  /** `join b using (id)`. */
  #joinUsing(columns: Item | undefined, level: Level): void {
    const joined = level.refs.at(-1)
    if (!joined || !isGroup(columns)) return
    for (const column of splitItems(columns.items, /^,$/).map(([name]) => textOf(name))) {
      for (const ref of level.refs.slice(0, -1))
        connect({ kind: 'column', ref, column, level }, { kind: 'column', ref: joined, column, level })
    }
  }

  /** @returns where the source ends */
  #source(items: readonly Item[], start: number, open: Open): number {
    let at = start
    while (isWord(items[at], /^(?:only|lateral)$/)) at += 1
    const item = items[at]
    if (isGroup(item)) {
      if (!isQuery(item.items)) {
        const inner = [{ kind: 'word', text: 'from', start: 0 } as Token, ...item.items]
        this.#sources(inner, open)
        for (const run of conditionsOf(inner)) this.#apply(run, open)
        return at + 1
      }
      const body = this.query(item.items, open.level, open.ctes, false)
      open.all.push(...body.refs)
      return this.#alias(items, at + 1, { table: null, body, alias: '' }, open)
    }
    let name = textOf(item)
    let schema = ''
    at += 1
    while (textOf(items[at]) === '.') {
      schema = name
      name = textOf(items[at + 1])
      at += 2
    }
    const called = items[at]
    if (isGroup(called)) {
      const next = this.#alias(items, at + 1, { table: null, body: { refs: [] }, alias: name }, open)
      const made = open.level.refs.at(-1)
      for (const ref of made ? this.#mentioned(called.items, open.level) : []) {
        if (!made || ref === made) continue
        made.given = false
        made.from.add(ref)
      }
      return next
    }
    const body = schema ? null : (open.ctes.get(name) ?? null)
    const table = schema && schema !== 'public' ? null : (this.#tables.get(name) ?? null)
    const isOther = !body && !table
    return this.#alias(
      items,
      at,
      { table: body ? null : table, body: isOther ? { refs: [] } : body, alias: name },
      open,
    )
  }

  #alias(items: readonly Item[], start: number, source: Pick<Ref, 'table' | 'body' | 'alias'>, open: Open): number {
    let at = start
    if (isWord(items[at], /^with$/) && isWord(items[at + 1], /^ordinality$/)) at += 2
    if (isWord(items[at], /^as$/)) at += 1
    let { alias } = source
    const next = items[at]
    if (isName(next) && !(next.kind === 'word' && AFTER_SOURCE.test(next.text))) {
      alias = next.text
      at += 1
      if (isGroup(items[at])) at += 1
    } else if (isGroup(next)) at += 1
    const given = source.body?.refs.length === 0 && source.alias !== ''
    open.level.refs.push({ ...source, alias, given, anchors: new Set(), from: new Set() })
    return at
  }

  #mentioned(items: readonly Item[], level: Level): Ref[] {
    return items.flatMap((item, index) => {
      if (isGroup(item)) return this.#mentioned(item.items, level)
      const ref = textOf(items[index + 1]) === '.' ? findAlias(level, item.text) : null
      return ref ? [ref.ref] : []
    })
  }

  /** Of a run of conditions, those that every row fulfils. */
  #apply(run: readonly Item[], open: Open): void {
    for (const [left, right] of this.#equalities(run, open)) connect(left, right)
  }

  #equalities(run: readonly Item[], open: Open): [Operand, Operand][] {
    const branches = splitItems(run, /^or$/)
    if (branches.length > 1) {
      return sharedBy(branches.map((branch) => this.#equalities(branch, open)))
    }
    return splitItems(run, /^and$/).flatMap((term) => this.#termEqualities(term, open))
  }

  #termEqualities(term: readonly Item[], open: Open): [Operand, Operand][] {
    const [first] = term
    if (isWord(first, /^(?:not|case)$/)) return []
    if (term.length === 1 && isGroup(first) && !isQuery(first.items)) return this.#equalities(first.items, open)
    const at = term.findIndex((item) => /^(?:=|@>)$/.test(textOf(item)) || isWord(item, /^in$/))
    if (at <= 0 || isWord(term[at - 1], /^not$/)) return []
    return [[this.#operand(term.slice(0, at), open), this.#operand(term.slice(at + 1), open)]]
  }

  #operand(items: readonly Item[], open: Open): Operand {
    const cast = items.findIndex((item) => textOf(item) === '::')
    if (cast > 0) return this.#operand(items.slice(0, cast), open)
    const [first, second] = items
    if (isGroup(first) && items.length === 1) return this.#groupOperand(first, open)
    if (isWord(first, /^(?:any|array|coalesce|some)$/) && isGroup(second) && items.length === 2) {
      if (isQuery(second.items)) return this.#groupOperand(second, open)
      return this.#operand(splitItems(second.items, /^,$/)[0] ?? [], open)
    }
    if (!first || isGroup(first)) return OTHER
    if (first.kind === 'parameter' && items.length === 1) return { kind: 'given' }
    if (!isName(first) || NO_COLUMN.test(first.text)) return OTHER
    const third = items[2]
    const found =
      textOf(second) === '.' && isName(third) && items.length === 3
        ? findAlias(open.level, first.text)
        : items.length === 1 && findColumn(open.level, first.text)
    const column = items.length === 3 ? textOf(third) : first.text
    return found ? { kind: 'column', column, ...found } : OTHER
  }

  #groupOperand({ items }: Group, open: Open): Operand {
    if (isQuery(items)) {
      if (isWord(items[0], /^values$/)) return { kind: 'given' }
      const body = this.query(items, open.level, open.ctes, true)
      open.all.push(...body.refs)
      return { kind: 'query', body }
    }
    const parts = splitItems(items, /^,$/).map((part) => this.#operand(part, open))
    if (parts.every(({ kind }) => kind === 'given')) return { kind: 'given' }
    return parts.length === 1 ? (parts[0] ?? OTHER) : { kind: 'tuple', parts }
  }

  /** In lists of columns, EXISTS and other places. */
  #subqueries(items: readonly Item[], open: Open): void {
    for (const [index, item] of items.entries()) {
      if (!isGroup(item)) continue
      const before = items[index - 1]
      // A source, which was read above; and the operand of an equality, too.
      if (isQuery(item.items)) {
        if (isWord(before, /^(?:from|join|lateral|in|any|array)$/) || /^[=,]$/.test(textOf(before))) {
          if (!this.#isOutsideOfConditions(items, index)) continue
        }
        const isExists = isWord(before, /^exists$/) && !isWord(items[index - 2], /^not$/)
        open.all.push(...this.query(item.items, open.level, open.ctes, isExists).refs)
      } else this.#subqueries(item.items, open)
    }
  }

  /** In the list of columns, before the first FROM, and in SET. */
  #isOutsideOfConditions(items: readonly Item[], index: number): boolean {
    const before = items.slice(0, index).filter((item) => isWord(item, /^(?:select|from|where|on|set|join|using)$/))
    const last = before.at(-1)
    return isWord(last, /^(?:select|set)$/) || last === undefined
  }
}

type Open = { readonly level: Level; readonly ctes: Ctes; readonly all: Ref[] }

/** The parts between these words or marks. */
function splitItems(items: readonly Item[], mark: RegExp): Item[][] {
  const parts: Item[][] = [[]]
  for (const item of items) {
    const isMark = !isGroup(item) && (item.kind === 'word' || item.kind === 'symbol') && mark.test(item.text)
    if (isMark) parts.push([])
    else parts.at(-1)?.push(item)
  }
  return parts
}

/** What follows WHERE and ON. */
function conditionsOf(items: readonly Item[]): Item[][] {
  const runs: Item[][] = []
  let run: Item[] | null = null
  for (const [index, item] of items.entries()) {
    const isDistinctFrom = isWord(item, /^from$/) && isWord(items[index - 1], /^distinct$/)
    if (isWord(item, /^(?:where|on)$/)) {
      run = []
      runs.push(run)
    } else if (isWord(item, AFTER_SOURCE) && !isDistinctFrom) run = null
    else run?.push(item)
  }
  return runs
}

function findAlias(level: Level, alias: string): { ref: Ref; level: Level } | null {
  for (let at: Level | null = level; at; at = at.outer) {
    const ref = at.refs.findLast((one) => one.alias === alias)
    if (ref) return { ref, level: at }
  }
  return null
}

function findColumn(level: Level, column: string): { ref: Ref; level: Level } | null {
  for (let at: Level | null = level; at; at = at.outer) {
    const ref = at.refs.find(({ table }) => table?.columns.has(column)) ?? at.refs.find(({ body }) => body !== null)
    if (ref) return { ref, level: at }
  }
  return null
}

/** What holds whichever branch of an OR is true: equal conditions, and keys of the same table that are given in each. */
function sharedBy(branches: readonly (readonly [Operand, Operand][])[]): [Operand, Operand][] {
  const givenTo = (conditions: readonly [Operand, Operand][], ref: Ref) =>
    conditions.filter(
      ([left, right]) => left.kind === 'column' && left.ref === ref && isKey(left) && right.kind !== 'other',
    )
  const [first = [], ...others] = branches
  return first.flatMap((one) => {
    if (others.every((list) => list.some((other) => isSame(one, other)))) return [one]
    const [left] = one
    const found = left.kind === 'column' ? branches.map((list) => givenTo(list, left.ref)) : []
    return found.length > 0 && found.every((list) => list.length > 0) ? found.flat() : []
  })
}

function isSame([left, right]: readonly [Operand, Operand], [otherLeft, otherRight]: readonly [Operand, Operand]) {
  const same = (one: Operand, other: Operand) =>
    one.kind === other.kind &&
    (one.kind !== 'column' || (other.kind === 'column' && one.ref === other.ref && one.column === other.column))
  return same(left, otherLeft) && same(right, otherRight)
}

function connect(left: Operand, right: Operand): void {
  if (left.kind === 'tuple' && right.kind === 'tuple') {
    for (const [index, part] of left.parts.entries()) connect(part, right.parts[index] ?? OTHER)
  } else if (left.kind === 'tuple') for (const part of left.parts) connect(part, right)
  else if (left.kind !== 'column' && right.kind === 'column') connect(right, left)
  else if (left.kind === 'column') restrict(left, right)
}

function restrict(left: Operand & { kind: 'column' }, right: Operand): void {
  if (right.kind === 'given') anchor(left.ref, left.column)
  if (right.kind === 'query') {
    if (isKey(left))
      left.ref.from.add({ alias: '', table: null, body: right.body, given: false, anchors: new Set(), from: new Set() })
  }
  if (right.kind !== 'column' || !isKey(left) || !isKey(right)) return
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    // From outside to inside always; from inside to outside only if the row must exist.
    if (isWithin(one.level, other.level) || mustExist(other.level, one.level)) one.ref.from.add(other.ref)
    if (other.ref.given) anchor(one.ref, one.column)
  }
}

/** Whether `level` is inside of `outer`. */
function isWithin(level: Level, outer: Level): boolean {
  for (let at: Level | null = level; at; at = at.outer) if (at === outer) return true
  return false
}

/** Whether each row of `outer` needs one of the query `level` in it. */
function mustExist(level: Level, outer: Level): boolean {
  for (let at: Level | null = level; at && at !== outer; at = at.outer) if (!at.positive) return false
  return isWithin(level, outer)
}

function isKey({ ref, column }: { readonly ref: Ref; readonly column: string }): boolean {
  return ref.table === null || ID.test(column) || ref.table.unique.has(column)
}

function namesUser(table: Table, column: string): boolean {
  return column === 'user_id' || table.references.get(column) === 'users' || (table.kind === 'USERS' && column === 'id')
}

function anchor({ table, anchors }: Ref, column: string): void {
  if (!table) return
  if (namesUser(table, column)) anchors.add(USER)
  else if (ID.test(column) || table.unique.has(column)) anchors.add(`${table.name}.${column}`)
}

/** Restricts every ref by what it is joined to, and returns what the least restricted one has. */
function weigh(refs: readonly Ref[]): Scope {
  const ranks = new Map<Body, number>()
  for (let changed = true; changed; ) {
    changed = false
    for (const body of bodiesOf(refs)) {
      // Nothing but values that are given, whose names decide.
      const rank = Math.min(...body.refs.map((ref) => rankOf(anchorsOf(ref, ranks), ref, ranks)), 2)
      if (rank < (ranks.get(body) ?? 2)) {
        ranks.set(body, rank)
        changed = true
      }
    }
  }
  const users = refs.filter(({ table }) => table && table.kind !== 'NONE')
  const found = users.map((ref) => ({ ref, anchors: anchorsOf(ref, ranks) }))
  const all = found.filter(({ ref, anchors }) => rankOf(anchors, ref, ranks) === 0)
  if (all.length > 0) return { by: 'ALL', names: unique(all.map(({ ref }) => ref.table?.name ?? '')) }
  const keys = found.filter(({ ref, anchors }) => rankOf(anchors, ref, ranks) === 1)
  if (keys.length === 0) return { by: 'USER', names: [] }
  return { by: 'KEY', names: unique(keys.flatMap(({ anchors }) => [...anchors])) }
}

function bodiesOf(refs: readonly Ref[]): Set<Body> {
  const bodies = new Set<Body>()
  const visit = (ref: Ref) => {
    if (ref.body && !bodies.has(ref.body)) {
      bodies.add(ref.body)
      for (const inner of ref.body.refs) visit(inner)
    }
    for (const other of ref.from) if (other.body && !bodies.has(other.body)) visit(other)
  }
  for (const ref of refs) visit(ref)
  return bodies
}

/** Everything that restricts a ref, through any number of joins. */
function anchorsOf(ref: Ref, ranks: ReadonlyMap<Body, number>): Set<string> {
  const anchors = new Set<string>()
  const seen = new Set<Ref>([ref])
  for (const one of seen) {
    for (const found of one.anchors) anchors.add(found)
    if (one !== ref && one.body && one.body.refs.length > 0) {
      const rank = ranks.get(one.body) ?? 2
      if (rank === 2) anchors.add(USER)
      if (rank === 1) for (const inner of one.body.refs) seen.add(inner)
    }
    for (const next of one.from) seen.add(next)
  }
  return anchors
}

function rankOf(anchors: ReadonlySet<string>, ref: Ref, ranks: ReadonlyMap<Body, number>): number {
  if (ref.body) return ranks.get(ref.body) ?? 2
  if (!ref.table || ref.table.kind === 'NONE' || anchors.has(USER)) return 2
  return anchors.size > 0 ? 1 : 0
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)].sort()
}
