import { invalid } from '../errors.ts'
import type { DriveFile, User } from '../model.ts'
import type { Store } from '../store.ts'

/** Whether a file is meant by a `q`. */
export type Query = (file: DriveFile) => boolean

type Context = { readonly store: Store; readonly user: User }
type Cursor = { readonly tokens: readonly Token[]; at: number; readonly context: Context }
type Token = { readonly kind: 'word' | 'text' | 'sign'; readonly value: string }

/** Reads the search language of files.list; throws Drive's error for what is not of it. */
export function parseQuery(text: string, context: Context): Query {
  const cursor: Cursor = { tokens: tokensOf(text), at: 0, context }
  if (cursor.tokens.length === 0) return () => true
  const query = anyOf(cursor)
  return cursor.at === cursor.tokens.length ? query : bad()
}

const TOKEN = /\s*(?:'((?:\\.|[^'\\])*)'|(<=|>=|!=|[=<>(){}])|([A-Za-z]\w*))\s*/y

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const pattern = new RegExp(TOKEN)
  while (pattern.lastIndex < text.length) {
    const [, quoted, sign, word] = pattern.exec(text) ?? bad()
    if (quoted !== undefined) tokens.push({ kind: 'text', value: quoted.replace(/\\(.)/gs, '$1') })
    else if (sign) tokens.push({ kind: 'sign', value: sign })
    else tokens.push({ kind: 'word', value: word ?? '' })
  }
  return tokens
}

function bad(): never {
  throw invalid('q')
}

function next(cursor: Cursor, kind?: Token['kind']): string {
  const token = cursor.tokens[cursor.at]
  if (!token || (kind && token.kind !== kind)) return bad()
  cursor.at += 1
  return token.value
}

function accept(cursor: Cursor, value: string): boolean {
  const token = cursor.tokens[cursor.at]
  if (!token || token.kind === 'text' || token.value !== value) return false
  cursor.at += 1
  return true
}

function anyOf(cursor: Cursor): Query {
  const parts = [allOf(cursor)]
  while (accept(cursor, 'or')) parts.push(allOf(cursor))
  return (file) => parts.some((part) => part(file))
}

function allOf(cursor: Cursor): Query {
  const parts = [unary(cursor)]
  while (accept(cursor, 'and')) parts.push(unary(cursor))
  return (file) => parts.every((part) => part(file))
}

function unary(cursor: Cursor): Query {
  if (accept(cursor, 'not')) {
    const part = unary(cursor)
    return (file) => !part(file)
  }
  if (!accept(cursor, '(')) return term(cursor)
  const part = anyOf(cursor)
  return accept(cursor, ')') ? part : bad()
}

function term(cursor: Cursor): Query {
  const first = cursor.tokens[cursor.at] ?? bad()
  if (first.kind === 'text') return membership(cursor)
  const field = next(cursor, 'word')
  const operator = next(cursor)
  if (field === 'properties' || field === 'appProperties') return property(cursor, field, operator)
  const value = cursor.tokens[cursor.at] ?? bad()
  cursor.at += 1
  if (field in BOOLEANS) return truth(field, operator, value, cursor.context)
  if (value.kind !== 'text') return bad()
  if (field in TIMES) return time(field, operator, value.value)
  return text(field, operator, value.value)
}

function membership(cursor: Cursor): Query {
  const { store, user } = cursor.context
  const value = next(cursor, 'text')
  if (!accept(cursor, 'in')) return bad()
  const collection = next(cursor, 'word')
  const folder = value === 'root' ? user.rootId : value
  if (collection === 'parents') {
    if (!store.file(folder)) throw invalid('fileId', `File not found: ${value}.`, 'notFound')
    return (file) => file.parents.includes(folder)
  }
  const mail = value === 'me' ? user.email : value
  const holds = (file: DriveFile, roles: readonly string[]): boolean =>
    file.permissions.some(({ emailAddress, role }) => emailAddress === mail && roles.includes(role))
  if (collection === 'owners') return (file) => file.owner.email === mail
  if (collection === 'writers') return (file) => holds(file, ['owner', 'writer'])
  if (collection === 'readers') return (file) => holds(file, ['owner', 'writer', 'commenter', 'reader'])
  return bad()
}

function property(cursor: Cursor, field: 'properties' | 'appProperties', operator: string): Query {
  const expect = (wanted: string): void => {
    if (!accept(cursor, wanted)) bad()
  }
  if (operator !== 'has') return bad()
  expect('{')
  expect('key')
  expect('=')
  const key = next(cursor, 'text')
  expect('and')
  expect('value')
  expect('=')
  const value = next(cursor, 'text')
  expect('}')
  return (file) => Object.hasOwn(file[field], key) && file[field][key] === value
}

const BOOLEANS: Readonly<Record<string, (file: DriveFile, context: Context) => boolean>> = {
  trashed: (file, { store }) => store.isTrashed(file),
  starred: (file) => file.starred,
  sharedWithMe: (file, { user }) =>
    file.owner !== user && file.permissions.some((one) => one.emailAddress === user.email),
}

function truth(field: string, operator: string, { kind, value }: Token, context: Context): Query {
  const isTrue = BOOLEANS[field] ?? bad()
  if (kind !== 'word' || !['true', 'false'].includes(value) || !['=', '!='].includes(operator)) return bad()
  const wanted = (value === 'true') === (operator === '=')
  return (file) => isTrue(file, context) === wanted
}

const TIMES: Readonly<Record<string, (file: DriveFile) => number>> = {
  createdTime: (file) => file.createdTime,
  modifiedTime: (file) => file.modifiedTime,
}

const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
}

function time(field: string, operator: string, value: string): Query {
  const read = TIMES[field] ?? bad()
  const compare = COMPARISONS[operator] ?? bad()
  // Without a zone it is UTC.
  const wanted = Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(value) ? value : `${value}Z`)
  if (Number.isNaN(wanted)) return bad()
  return (file) => compare(read(file), wanted)
}

function text(field: string, operator: string, value: string): Query {
  const wanted = value.toLowerCase()
  const same = (name: string): boolean => name.toLowerCase() === wanted
  if (field === 'name' && operator === '=') return (file) => same(file.name)
  if (field === 'name' && operator === '!=') return (file) => !same(file.name)
  if (field === 'name' && operator === 'contains') return (file) => startsAWord(file.name.toLowerCase(), wanted)
  if (field === 'fullText' && operator === 'contains') return (file) => file.name.toLowerCase().includes(wanted)
  if (field === 'mimeType' && operator === '=') return (file) => file.mimeType === value
  if (field === 'mimeType' && operator === '!=') return (file) => file.mimeType !== value
  if (field === 'mimeType' && operator === 'contains') return (file) => file.mimeType.startsWith(value)
  return bad()
}

/** `name contains` finds beginnings of words only. */
function startsAWord(name: string, wanted: string): boolean {
  for (let at = name.indexOf(wanted); at >= 0; at = name.indexOf(wanted, at + 1)) {
    if (at === 0 || /[^\p{L}\p{N}]/u.test(name[at - 1] ?? '')) return true
  }
  return false
}
