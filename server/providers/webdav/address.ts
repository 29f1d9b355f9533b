import type { EntryRef } from '../driver.ts'

/**
 * The folder that the account was connected with. Refs are paths below it, percent-encoded in one way, and those of folders end
 * with a slash: `/Photos/sea%20side.jpg`, `/Photos/`. Bytes that are not UTF-8 stay encoded, so that such entries can be reached too.
 */
export const ROOT = '/' as EntryRef

export function isFolderRef(ref: string): boolean {
  return ref.endsWith('/')
}

export function childRef(folder: EntryRef, name: string, kind: 'file' | 'folder'): EntryRef {
  return `${folder}${encodeSegment(name)}${kind === 'folder' ? '/' : ''}` as EntryRef
}

/** The folder that contains an entry; that of the root is the root. */
export function parentOf(ref: string): EntryRef {
  return ref.slice(0, ref.lastIndexOf('/', ref.length - 2) + 1 || 1) as EntryRef
}

/** The name of an entry; bytes that are not UTF-8 are replaced. Empty for the root. */
export function nameOf(ref: string): string {
  return decodeSegment(lastSegment(ref))
}

/** The same entry as the other kind, in case the server has a folder where a file was expected. */
export function asKind(ref: EntryRef, kind: 'file' | 'folder'): EntryRef {
  return `${ref.replace(/\/$/, '')}${kind === 'folder' ? '/' : ''}` as EntryRef
}

/** Whether text is a ref of a folder, as in cursors. */
export function isFolderPath(text: unknown): text is EntryRef {
  if (typeof text !== 'string' || !text.startsWith('/') || !isFolderRef(text)) return false
  return canonicalPath(text) === text && !/\/\.{1,2}\//.test(text)
}

/** An href of a response as a percent-encoded path, without scheme and host: these differ behind proxies. */
export function hrefPath(href: string): string {
  return canonicalPath(href.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, '') || '/')
}

/** A path with every segment encoded in the same way. */
export function canonicalPath(path: string): string {
  return path.split('/').map(canonicalSegment).join('/')
}

/** Whether the last segment of a ref can be a name: no `.`, `..` or slash in disguise. */
export function isNameable(ref: string): boolean {
  const name = nameOf(ref)
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name)
}

function lastSegment(ref: string): string {
  return ref.slice(parentOf(ref).length).replace(/\/$/, '')
}

function canonicalSegment(segment: string): string {
  try {
    return encodeSegment(decodeURIComponent(segment))
  } catch {
    return encodeBytes(bytesOf(segment))
  }
}

/** With the @ as it is, which user names in paths have. */
function encodeSegment(name: string): string {
  return encodeURIComponent(name).replaceAll('%40', '@')
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return bytesOf(segment).toString('utf8')
  }
}

/** A lone `%` is itself. */
function bytesOf(segment: string): Buffer {
  const parts = segment.match(/%[\da-f]{2}|[^%]+|%/gi) ?? []
  return Buffer.concat(
    parts.map((part) => (/^%[\da-f]{2}$/i.test(part) ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part))),
  )
}

function encodeBytes(bytes: Buffer): string {
  return [...bytes].map((byte) => (byte < 128 ? encodeSegment(String.fromCharCode(byte)) : hex(byte))).join('')
}

function hex(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
}
