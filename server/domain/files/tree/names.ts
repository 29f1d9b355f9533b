import { createHash } from 'node:crypto'
import { InvalidInputError } from '../../errors.ts'
import type { FileKind } from '../contract.ts'
import { type Queryable, ROOT } from './entries.ts'

/** In UTF-8 bytes: the limit of the file systems that Skypool may write and download to. */
const MAX_NAME_BYTES = 255
/** Keys are in B-tree indexes, whose entries are at most 2,704 bytes; NFKC can make a name eleven times as long. */
const MAX_KEY_BYTES = 1024
const NOT_ASCII = /[\u0080-\uffff]/g
/** For these characters every normal form is the text itself, and only case has to be folded. */
const PLAIN = /^[\x20-\x7e]*$/
const LETTER_A = 65

/** The name as it is stored: normalized to NFC, otherwise unchanged. @throws InvalidInputError at path `name` */
export function validateName(name: string): string {
  const normal = name.normalize('NFC')
  const problem = problemOf(normal)
  if (problem) throw new InvalidInputError([{ path: 'name', message: problem }])
  return normal
}

function problemOf(name: string): string | null {
  if (name.trim() === '') return 'Please enter a name.'
  if (name === '.' || name === '..') return `“${name}” cannot be used as a name. Please choose another one.`
  if (name.includes('/')) return 'A name cannot contain a slash (/). Please leave it out.'
  if (/[\p{Cc}\p{Cs}]/u.test(name)) return 'This name contains characters that cannot be shown. Please type it again.'
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return 'This name is too long. Please shorten it to 255 bytes or less.'
  return null
}

/**
 * Two names with the same key are considered equal: NFKC, ignoring case. JavaScript has no case folding: upper-casing
 * applies the full mappings (ß = SS, ﬁ = FI; only lower-casing maps ẞ there), and lower-casing afterwards makes the
 * forms equal. Beyond Unicode's folding the dotless ı equals i. A key that is too long is replaced by its hash, which
 * keeps it unique.
 */
export function nameKey(name: string): string {
  const key = PLAIN.test(name) ? name.toLowerCase() : foldCase(name.normalize('NFKC')).normalize('NFKC')
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key
  return `sha256/${createHash('sha256').update(key).digest('hex')}`
}

/**
 * The key of a name for search, and of a query: case and accents folded (see `fold`). Depending on its locale,
 * PostgreSQL makes trigrams of ASCII letters only, so every other UTF-16 unit is encoded as `Z` and four letters from A
 * to P. Nothing else is upper case, so one text contains another exactly when its key does.
 */
export function searchKey(text: string): string {
  return fold(text).replace(NOT_ASCII, (unit) => {
    const digits = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `Z${digits.replace(/./g, (digit) => String.fromCharCode(LETTER_A + Number.parseInt(digit, 16)))}`
  })
}

/**
 * Natural sort order for byte-wise comparison: accents and case folded, and each run of ASCII digits (as NFKD makes
 * them) written as `0`, its length in three digits, and the number without leading zeros: file2 < file10, whatever the
 * length. Names that sort equally may share a key, so a list needs a second sort column.
 */
export function sortKey(name: string): string {
  const key = fold(name).replace(/[0-9]+/g, (digits) => {
    const number = digits.replace(/^0+(?=.)/, '')
    return `0${String(number.length).padStart(3, '0')}${number}`
  })
  return cutToBytes(key, MAX_KEY_BYTES)
}

/**
 * `a (2).txt`, `a (2).tar.gz`; a folder's name has no extension. The stem is truncated if the result would be too long.
 */
export function numberedName(name: string, number: number, kind: 'FILE' | 'FOLDER' = 'FILE'): string {
  const extension = kind === 'FILE' ? extensionOf(name) : ''
  const stem = name.slice(0, name.length - extension.length)
  const suffix = ` (${number})${extension}`
  return `${cutToBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(suffix))}${suffix}`
}

/** Whether `numberedName` has made a name of another one. */
export function isNumbered(numbered: string, name: string, kind: 'FILE' | 'FOLDER' = 'FILE'): boolean {
  const numbers = [...numbered.matchAll(/ \((\d{1,9})\)/g)].map(([, digits]) => Number(digits))
  return numbers.some((number) => nameKey(numberedName(name, number, kind)) === nameKey(numbered))
}

/** With the dot; `.tar.gz` counts as one, empty for none. The leading dot of `.bashrc` does not start an extension. */
function extensionOf(name: string): string {
  return /(?<=[^.])(?:\.tar)?\.[^\s.]{1,16}$/iu.exec(name)?.[0] ?? ''
}

function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/** Letters with a stroke and ligatures, which Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ð: 'd', þ: 'th', æ: 'ae', œ: 'oe' }
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')

/**
 * Folds case and accents. Only marks used by all scripts are removed (acute, cedilla, Arabic vowel signs...): marks of
 * one script (Devanagari, Thai) are letters there, and so are the Japanese sound marks.
 */
function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase()
  return foldCase(text.normalize('NFKD'))
    .normalize('NFKD')
    .replace(/(?![\u3099\u309a])(?=\p{M})\p{Script=Inherited}/gu, '')
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC')
}

/** The longest prefix of at most `limit` bytes that does not split a character. */
function cutToBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text
  let end = 0
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > limit) break
    end += character.length
  }
  return text.slice(0, end)
}

/** Names in accounts can contain what Skypool's own cannot. @returns the name, changed where it has to be */
export function storableName(name: string): string {
  const cleaned = name.replaceAll('/', '_').replace(/[\p{Cc}\p{Cs}]/gu, '_')
  const named = cleaned.trim() === '' || cleaned === '.' || cleaned === '..' ? `_${cleaned.trim()}` : cleaned
  return validateName(Buffer.byteLength(named) <= MAX_NAME_BYTES ? named : numberedName(named, 1).replace(' (1)', ''))
}

const FIRST = 2
const PROBES = 32
/** Start and number of the doublings: enough for far more equal names than a folder can have. */
const DOUBLING_FROM = 64
const DOUBLINGS = 26

/**
 * A folder in which a name must be unique. `claimed`: keys reserved in addition to those in the folder. `isInAccount`: the folder is in
 * an account.
 */
export type NameSpace = {
  readonly userId: string
  readonly parentId: string | null
  readonly claimed?: ReadonlySet<string>
  readonly isInAccount?: boolean
}

/** The live entries of a folder that have these keys: key to id. */
export async function takenKeys(
  sql: Queryable,
  { userId, parentId, isInAccount = false }: NameSpace,
  keys: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ name_key: string; id: string }>(
    `select name_key, id from files where user_id = $1 and coalesce(parent_id, '${ROOT}') = $2::uuid
     and name_key = any($3::text[]) and trashed_at is null and purged_at is null
     and account_id is ${isInAccount ? 'not null' : 'null'}`,
    [userId, parentId ?? ROOT, keys],
  )
  return new Map(rows.map((row) => [row.name_key, row.id]))
}

/** An entry of a folder in an account with this name key; null: there is none. Accounts may have several. */
export async function takenInAccount(
  sql: Queryable,
  { userId, parentId }: NameSpace,
  key: string,
): Promise<string | null> {
  const { rows } = await sql.query<{ id: string }>(
    `select id from files where user_id = $1 and coalesce(parent_id, '${ROOT}') = $2::uuid and name_key = $3
     and trashed_at is null and purged_at is null and account_id is not null order by id limit 1`,
    [userId, parentId ?? ROOT, key],
  )
  return rows[0]?.id ?? null
}

export type NamePlace = { readonly parentId: string | null; readonly key: string }

/** A map key for a name key in one folder. */
export function placeKey({ parentId, key }: NamePlace): string {
  return `${parentId ?? ROOT} ${key}`
}

/** As takenKeys, for keys in several folders: `placeKey` to id. */
export async function takenPlaces(
  sql: Queryable,
  userId: string,
  places: readonly NamePlace[],
): Promise<Map<string, string>> {
  const { rows } = await sql.query<{ parent_id: string | null; name_key: string; id: string }>({
    name: 'files taken places',
    // One lookup in the unique index for each; as a join it could become a scan of all entries of the folders.
    text: `select found.parent_id, found.name_key, found.id from unnest($2::uuid[], $3::text[]) as p(parent_id, name_key),
      lateral (select f.parent_id, f.name_key, f.id from files f
        where f.user_id = $1 and coalesce(f.parent_id, '${ROOT}') = p.parent_id and f.name_key = p.name_key
          and f.trashed_at is null and f.purged_at is null and f.account_id is null limit 1) as found`,
    values: [userId, places.map(({ parentId }) => parentId ?? ROOT), places.map(({ key }) => key)],
  })
  return new Map(rows.map((row) => [placeKey({ parentId: row.parent_id, key: row.name_key }), row.id]))
}

/**
 * The name with a number that no live entry of the folder has: the lowest one, if there are few. With many equal names
 * the number is found by doubling and bisection, so that the ten-thousandth costs a few index lookups instead of ten
 * thousand.
 */
export async function freeName(sql: Queryable, space: NameSpace, name: string, kind: FileKind): Promise<string> {
  const firstFree = async (numbers: readonly number[]) => {
    const keys = numbers.map((number) => nameKey(numberedName(name, number, kind)))
    const taken = await takenKeys(sql, space, keys)
    return numbers.find((_, index) => !taken.has(keys[index] ?? '') && !space.claimed?.has(keys[index] ?? ''))
  }
  const low = await firstFree(Array.from({ length: PROBES }, (_, index) => FIRST + index))
  if (low !== undefined) return numberedName(name, low, kind)

  const doublings = Array.from({ length: DOUBLINGS }, (_, index) => DOUBLING_FROM * 2 ** index)
  let free = (await firstFree(doublings)) ?? DOUBLING_FROM * 2 ** DOUBLINGS
  let taken = free === DOUBLING_FROM ? FIRST + PROBES - 1 : free / 2
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2)
    if ((await firstFree([middle])) === undefined) taken = middle
    else free = middle
  }
  return numberedName(name, free, kind)
}
