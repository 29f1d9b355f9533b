import { isReadable, readEntry, readZip, type ZipEntry } from '../archive/zip.ts'
import type { ByteReader, Bytes } from '../byteReader.ts'
import { messages } from '../messages.ts'
import { PreviewError } from '../previewError.ts'
import { FrameError } from './frame.ts'

// Reads an EPUB: which chapters it has, and its parts by their names. Every step is limited, whatever the file says of itself.

const MOST_ENTRIES = 10_000
const MOST_CHAPTERS = 1_000
const MOST_AUTHORS = 10
const LONGEST_TEXT = 300
/** Of all that is unpacked while one book is read. */
const MOST_UNPACKED = 256 * 1024 * 1024
const MOST_DESCRIPTION_BYTES = 4 * 1024 * 1024

/** Fonts are obfuscated with these, which is no protection of the text. */
const FONT_METHODS = ['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC']
const CHAPTER_TYPES = /^(?:application\/xhtml\+xml|text\/html|application\/x-dtbook\+xml)$/
const LANGUAGE = /^[a-z]{2,3}(?:-[a-z0-9]{1,8})*$/i

export type Book = {
  /** Null: it names none. */
  readonly title: string | null
  readonly authors: readonly string[]
  /** A language tag. */
  readonly language: string | null
  /** Names of the parts that are chapters, in the order of reading; at least one. */
  readonly chapters: readonly string[]
  /** Null: there is no such part. `most`: bytes. @throws FrameError, PreviewError for a part that is larger or broken */
  part(name: string, most: number): Promise<Bytes | null>
}

/** @throws FrameError, PreviewError */
export async function readBook(file: ByteReader): Promise<Book> {
  const { entries } = await asFrameErrors(readZip(file, MOST_ENTRIES))
  const byName = new Map(entries.map((entry) => [entry.name, entry]))
  const part = partReader(file, byName)
  const xml = async (name: string) => {
    const bytes = await part(name, MOST_DESCRIPTION_BYTES)
    return bytes && parseXml(new TextDecoder().decode(bytes))
  }
  const container = await xml('META-INF/container.xml')
  const name = container && elements(container, 'rootfile')[0]?.getAttribute('full-path')
  const description = name ? await xml(name) : null
  if (!name || !description) throw new FrameError('failed')
  const chapters = chaptersOf(description, name).filter((chapter) => byName.has(chapter))
  if (chapters.length === 0) throw new FrameError('failed')
  const encrypted = encryptedParts(await xml('META-INF/encryption.xml'))
  if (chapters.some((chapter) => encrypted.has(chapter) || byName.get(chapter)?.isEncrypted)) {
    throw new FrameError('protected')
  }
  const texts = (tag: string) =>
    elements(description, tag).map(({ textContent }) => textContent.replace(/\s+/g, ' ').trim().slice(0, LONGEST_TEXT))
  const [language = ''] = texts('language')
  return {
    title: texts('title').find((title) => title !== '') ?? null,
    authors: texts('creator').slice(0, MOST_AUTHORS),
    language: LANGUAGE.test(language) ? language : null,
    chapters,
    part,
  }
}

function partReader(file: ByteReader, byName: ReadonlyMap<string, ZipEntry>): Book['part'] {
  let left = MOST_UNPACKED
  return async (name, most) => {
    const entry = byName.get(name)
    if (!entry || entry.isFolder || !isReadable(entry)) return null
    const bytes = await asFrameErrors(readEntry(file, entry, Math.min(most, left)))
    left -= bytes.length
    return bytes
  }
}

/** Of what the code for archives finds, the frame can pass on only these. */
function asFrameErrors<T>(reading: Promise<T>): Promise<T> {
  return reading.catch((error: unknown) => {
    const isTooLarge = error instanceof PreviewError && error.message === messages.tooLargeInside
    throw isTooLarge ? new FrameError('tooLarge') : error
  })
}

/** Names of the chapters as the description lists them. */
function chaptersOf(description: Document, name: string): string[] {
  const items = new Map(elements(description, 'item').map((item) => [item.getAttribute('id'), item]))
  const listed = elements(description, 'itemref').flatMap((reference) => {
    const item = items.get(reference.getAttribute('idref'))
    if (!item || !CHAPTER_TYPES.test(item.getAttribute('media-type') ?? '')) return []
    return partName(name, item.getAttribute('href') ?? '')?.name ?? []
  })
  return [...new Set(listed)].slice(0, MOST_CHAPTERS)
}

function encryptedParts(encryption: Document | null): Set<string> {
  const parts = encryption ? elements(encryption, 'EncryptedData') : []
  const encrypted = parts.filter((data) => {
    const method = elements(data, 'EncryptionMethod')[0]?.getAttribute('Algorithm') ?? ''
    return !FONT_METHODS.includes(method)
  })
  const names = encrypted.map((data) => elements(data, 'CipherReference')[0]?.getAttribute('URI') ?? '')
  return new Set(names.flatMap((uri) => partName('', uri)?.name ?? []))
}

const elements = (within: Document | Element, name: string): Element[] => [...within.getElementsByTagNameNS('*', name)]

/** With everything that a document defines itself: entities, which can grow to any size. */
const DOCTYPE = /<!DOCTYPE[^>[]*(?:\[[^\]]*\][^>]*)?>/i

/** Null: it is not well-formed. */
function parseXml(text: string, doctype = ''): Document | null {
  const parsed = new DOMParser().parseFromString(text.replace(DOCTYPE, doctype), 'application/xml')
  return parsed.getElementsByTagName('parsererror').length > 0 ? null : parsed
}

/** Browsers know its entities without loading anything, such as `&nbsp;`. */
const XHTML =
  '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">'

/** Elements that HTML does not close by a slash. */
const CLOSED = /<(?!(?:area|br|col|hr|img|input|link|meta|source|wbr)\b)([a-z][\w:-]*)((?:\s[^<>]*)?)\/>/gi

/** A chapter; what is not well-formed is read as HTML. Nothing of it runs, and nothing is loaded. */
export function parseChapter(bytes: Bytes): Document {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe ? 'utf-16be' : 'utf-8'
  const text = new TextDecoder(encoding).decode(bytes)
  return (
    parseXml(text, XHTML) ??
    new DOMParser().parseFromString(
      text.replace(CLOSED, (_, name: string, rest: string) => `<${name}${rest}></${name}>`),
      'text/html',
    )
  )
}

const INSIDE = 'https://book.invalid/'

/** The part that a reference within the part `from` means; null: it leads out of the book. */
export function partName(from: string, href: string): { readonly name: string; readonly fragment: string } | null {
  try {
    const url = new URL(href.trim(), INSIDE + from.split('/').map(encodeURIComponent).join('/'))
    if (url.origin !== new URL(INSIDE).origin) return null
    return { name: decodeURIComponent(url.pathname.slice(1)), fragment: decodeURIComponent(url.hash.slice(1)) }
  } catch {
    // No address, or no text after its percent signs.
    return null
  }
}
