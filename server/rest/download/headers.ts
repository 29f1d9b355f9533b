import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { inlineTypeOf } from '../../domain/files/content/types.ts'
import type { File } from '../../domain/files/contract.ts'
import { HttpError } from '../errors.ts'

/** Validators of a content (RFC 9110, 8.8): a strong entity tag with quotes, and the time of the last change. */
export type Validators = { readonly etag: string; readonly modified: Date }

export type Range = { readonly start: number; readonly end: number }

/** For content opened as a page: it may load and run nothing and has no origin. */
const SAVED_POLICY = "sandbox; default-src 'none'; frame-ancestors 'none'"
/** What a browser's built-in page for an image, audio or video file needs. */
const SHOWN_POLICY =
  "sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
/**
 * Built-in PDF viewers are scripts, which a sandbox blocks in some browsers (older Chromium, Firefox). They run in a separate
 * origin, so a PDF never acts as ours. Tested with Chromium 156 in a frame of our page.
 */
const PDF_POLICY = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"

const INERT = 'application/octet-stream'
/** Types that a page could be made to load as scripts or styles. */
const ACTIVE = /html|\bxml|svg|script|css|wasm/
const TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]*\/[a-z0-9][a-z0-9!#$&^_.+-]*$/i

/** Bidirectional control characters: they can make a name appear to have another extension. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
/** Not allowed unencoded in `filename*` (RFC 8187, attr-char), but left as they are by encodeURIComponent. */
const NOT_ATTR_CHAR = /[!'()*]/g

/** Headers of a user's content: displayed inline when requested and safe, otherwise saved. */
export function contentHeaders(
  { name, mimeType }: Pick<File, 'name' | 'mimeType'>,
  disposition: 'attachment' | 'inline',
): Record<string, string> {
  const inlineType = inlineTypeOf(mimeType)
  const headers = {
    'content-type': inlineType ?? savedType(mimeType ?? INERT),
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
  }
  if (disposition === 'attachment' || inlineType === null) {
    return {
      ...headers,
      'content-disposition': contentDisposition('attachment', name),
      'content-security-policy': SAVED_POLICY,
    }
  }
  return {
    ...headers,
    'content-disposition': contentDisposition('inline', name),
    'content-security-policy': inlineType === 'application/pdf' ? PDF_POLICY : SHOWN_POLICY,
    'x-frame-options': 'SAMEORIGIN',
  }
}

function savedType(type: string): string {
  return TYPE.test(type) && !ACTIVE.test(type) ? type : INERT
}

/** `Content-Disposition` with the name in any script (RFC 6266), and an ASCII form for old clients. */
export function contentDisposition(type: 'attachment' | 'inline', name: string): string {
  const shown = name.replace(DIRECTION_MARKS, '')
  const ascii = shown.replace(/[^\x20-\x7e]+|["\\%/]/g, '_')
  const encoded = encodeURIComponent(shown).replace(NOT_ATTR_CHAR, (character) => `%${hexOf(character)}`)
  return `${type}; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase()
}

/** Whether the client's copy is current (RFC 9110, 13.1.2 and 13.1.3). */
export function isNotModified(headers: IncomingHttpHeaders, { etag, modified }: Validators): boolean {
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined) return lists(ifNoneMatch, etag, 'weak')
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return wholeSeconds(modified) <= since
}

/** @throws HttpError PRECONDITION_FAILED when the content is not in the state the client expects (13.1.1, 13.1.4) */
export function checkPreconditions(headers: IncomingHttpHeaders, { etag, modified }: Validators): void {
  const { 'if-match': ifMatch, 'if-unmodified-since': unmodifiedSince } = headers
  const since = Date.parse(unmodifiedSince ?? '')
  const changed = ifMatch === undefined ? wholeSeconds(modified) > since : !lists(ifMatch, etag, 'strong')
  if (changed)
    throw new HttpError('PRECONDITION_FAILED', 'The file has changed since the state that the request expects.')
}

/**
 * The requested bytes; null: all of them. Multiple ranges, other units and malformed headers are ignored, as
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
  throw new HttpError('RANGE_NOT_SATISFIABLE', `The range is outside the file, which has ${size} bytes.`, {
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

/** A binary response in the OpenAPI document. */
export const bytes = (description: string, ...types: string[]) => ({
  description,
  content: Object.fromEntries(types.map((type) => [type, { schema: z.string().meta({ format: 'binary' }) }])),
})

/** Request headers of downloads (RFC 9110, 13 and 14). */
export const CONDITIONS = z.object({
  range: z.string().optional(),
  'if-range': z.string().optional(),
  'if-match': z.string().optional(),
  'if-none-match': z.string().optional(),
  'if-modified-since': z.string().optional(),
  'if-unmodified-since': z.string().optional(),
})

export const CONTENT_RANGE = {
  'Content-Range': { type: 'string', description: 'The returned range and the full size.' },
} as const
