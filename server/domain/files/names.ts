import { createHash } from 'node:crypto'
import { InvalidInputError } from '../errors.ts'

/** Of a name in UTF-8: what the file systems that we may write to and download to can hold. */
const MAX_NAME_BYTES = 255
/** Keys stand in B-tree indexes, whose entries end at 2,704 bytes; NFKC can make a name eleven times as long. */
const MAX_KEY_BYTES = 1024
const NOT_ASCII = /[\u0080-\uffff]/g
/** Of these letters every normal form is the text itself, and case is all there is to fold. */
const PLAIN = /^[\x20-\x7e]*$/
const LETTER_A = 65

/** The name as it is stored: NFC, otherwise untouched. @throws InvalidInputError at path `name` */
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
 * The form in which two names are the same name: NFKC and caseless. JavaScript has no case folding; upper-casing
 * gives the full mappings (ß = SS, ﬁ = FI; only lower-casing takes ẞ there), lower-casing afterwards makes one form of them. Beyond Unicode's folding the
 * dotless ı equals i. An oversized key is replaced by its hash, which keeps it unique.
 */
export function nameKey(name: string): string {
  const key = foldCase(name.normalize('NFKC')).normalize('NFKC')
  if (Buffer.byteLength(key) <= MAX_KEY_BYTES) return key
  return `sha256/${createHash('sha256').update(key).digest('hex')}`
}

/**
 * What search looks in and what a query becomes: any case, accents folded (see `fold`). Depending on its locale PostgreSQL
 * makes trigrams of ASCII letters only, so each other UTF-16 unit is written as `Z` and four letters from A to P: nothing
 * else is upper case here, so that one text is part of another exactly when its key is.
 */
export function searchKey(text: string): string {
  return fold(text).replace(NOT_ASCII, (unit) => {
    const digits = unit.charCodeAt(0).toString(16).padStart(4, '0')
    return `Z${digits.replace(/./g, (digit) => String.fromCharCode(LETTER_A + Number.parseInt(digit, 16)))}`
  })
}

/**
 * Natural order for byte-wise comparison: accents and case folded, and each run of ASCII digits (as NFKD makes them)
 * written as `0`, its length in three digits, and the number without leading zeros: file2 < file10, whatever the length.
 * Names that people sort alike may share a key, so a list needs a second column.
 */
export function sortKey(name: string): string {
  const key = fold(name).replace(/[0-9]+/g, (digits) => {
    const number = digits.replace(/^0+(?=.)/, '')
    return `0${String(number.length).padStart(3, '0')}${number}`
  })
  return cutToBytes(key, MAX_KEY_BYTES)
}

/** `a (2).txt`, `a (2).tar.gz`; a folder's name is taken whole. The stem is cut where the result would be too long. */
export function numberedName(name: string, number: number, kind: 'FILE' | 'FOLDER' = 'FILE'): string {
  const extension = kind === 'FILE' ? extensionOf(name) : ''
  const stem = name.slice(0, name.length - extension.length)
  const suffix = ` (${number})${extension}`
  return `${cutToBytes(stem, MAX_NAME_BYTES - Buffer.byteLength(suffix))}${suffix}`
}

/** With its dot, `.tar.gz` as one, empty for none; the dot that hides `.bashrc` does not begin an extension. */
function extensionOf(name: string): string {
  return /(?<=[^.])(?:\.tar)?\.[^\s.]{1,16}$/iu.exec(name)?.[0] ?? ''
}

function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')
}

/** Letters with a stroke or a ligature, which Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = { ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ð: 'd', þ: 'th', æ: 'ae', œ: 'oe' }
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g')

/**
 * Case and accents folded. Only marks that any script may bear go (acute, cedilla, Arabic vowel signs...): those of one
 * script (Devanagari, Thai) are letters there, and so are the Japanese sound marks.
 */
function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase()
  return foldCase(text.normalize('NFKD'))
    .normalize('NFKD')
    .replace(/(?![\u3099\u309a])(?=\p{M})\p{Script=Inherited}/gu, '')
    .replace(LETTER, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFC')
}

/** The longest beginning of at most `limit` bytes that does not cut a character. */
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
