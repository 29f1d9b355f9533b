import type { IncomingHttpHeaders } from 'node:http'
import { HttpError } from '../errors.ts'

/** What identifies the state of a content: a strong entity tag with its quotes, and when it last changed. */
export type Validators = { readonly etag: string; readonly modified: Date }

export type Range = { readonly start: number; readonly end: number }

/** Whether the client's copy is still good (RFC 9110, 13.1.2 and 13.1.3). */
export function isNotModified(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) return lists(ifNoneMatch, etag, 'weak')
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return wholeSeconds(modified) <= since
}

/** @throws HttpError PRECONDITION_FAILED when the client wants another state than this one (13.1.1, 13.1.4) */
export function checkPreconditions(headers: IncomingHttpHeaders, { etag, modified }: Validators): void {
  const { 'if-match': ifMatch, 'if-unmodified-since': unmodifiedSince } = headers
  const since = Date.parse(unmodifiedSince ?? '')
  const changed = ifMatch === undefined ? wholeSeconds(modified) > since : !lists(ifMatch, etag, 'strong')
  if (changed) throw new HttpError('PRECONDITION_FAILED', 'The file is not what the request expects it to be.')
}

/**
 * The bytes that the client wants; null for all of them. Several ranges, other units and malformed headers are ignored, as
 * RFC 9110 (14.2) allows. @throws HttpError RANGE_NOT_SATISFIABLE
 */
export function rangeOf(headers: IncomingHttpHeaders, validators: Validators, size: number): Range | null {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(headers.range?.trim() ?? '')
  if (!match || !ifRangeHolds(headers['if-range'], validators)) return null
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return null
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  const start = first === '' ? Math.max(size - Number(last), 0) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (start <= end) return { start, end }
  throw new HttpError('RANGE_NOT_SATISFIABLE', `The file has ${size} bytes; the range is outside of them.`, {
    'content-range': `bytes */${size}`,
  })
}

function ifRangeHolds(header: string | string[] | undefined, { etag, modified }: Validators): boolean {
  if (header === undefined) return true
  const value = String(header).trim()
  return value === etag || Date.parse(value) === wholeSeconds(modified)
}

function lists(header: string, etag: string, comparison: 'weak' | 'strong'): boolean {
  if (header.trim() === '*') return true
  const tags = header.split(',').map((tag) => tag.trim())
  return tags.some((tag) => (comparison === 'weak' ? tag.replace(/^W\//, '') : tag) === etag)
}

/** HTTP dates have no fractions of a second. */
function wholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000
}
