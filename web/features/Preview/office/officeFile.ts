import { isReadable, readEntry, readZip, type ZipEntry } from '../archive/zip.ts'
import { allBytes, type ByteReader, type Bytes } from '../byteReader.ts'
import { messages } from '../messages.ts'
import { PreviewError } from '../previewError.ts'

/** Of a document, as it is stored. */
const MOST_OFFICE_BYTES = 20 * 1024 * 1024
const MOST_UNPACKED_BYTES = 64 * 1024 * 1024
const MOST_PARTS = 5_000
const LOCAL_HEADER_BYTES = 30
const HEADER_BYTES = 46
const END_BYTES = 22

export type OfficeFile = {
  /** The same document as a ZIP without compression. */
  readonly bytes: ArrayBuffer
  readonly parts: ReadonlyMap<string, Bytes>
}

/**
 * A docx, xlsx or pptx, unpacked here within limits and packed again without compression: libraries unpack whatever a file contains,
 * and a small file can contain gigabytes. @throws PreviewError
 */
export async function readOfficeFile(file: ByteReader): Promise<OfficeFile> {
  const bytes = await allBytes(file, MOST_OFFICE_BYTES)
  if (isEncryptedOffice(bytes)) throw new PreviewError(messages.encrypted)
  const inMemory: ByteReader = { size: bytes.length, read: async (start, end) => bytes.subarray(start, end) }
  const { entries, isCut } = await readZip(inMemory, MOST_PARTS)
  if (isCut) throw new PreviewError(messages.tooLargeInside)
  const parts = await unpackAll(inMemory, entries)
  if (!parts.has('[Content_Types].xml')) throw new PreviewError(messages.damaged)
  return { bytes: packStored(parts), parts }
}

/** Office encrypts a document into an OLE container. */
const isEncryptedOffice = (bytes: Bytes): boolean => [0xd0, 0xcf, 0x11, 0xe0].every((byte, at) => bytes[at] === byte)

async function unpackAll(file: ByteReader, entries: readonly ZipEntry[]): Promise<Map<string, Bytes>> {
  const parts = new Map<string, Bytes>()
  let left = MOST_UNPACKED_BYTES
  for (const entry of entries) {
    if (entry.isFolder || !isReadable(entry)) continue
    const content = await readEntry(file, entry, left)
    left -= content.length
    parts.set(entry.name, content)
  }
  return parts
}

/** Checksums stay 0: what reads this compares sizes only. */
function packStored(parts: ReadonlyMap<string, Bytes>): ArrayBuffer {
  const entries = [...parts].map(([name, content]) => ({ name: new TextEncoder().encode(name), content }))
  const local = entries.reduce((sum, { name, content }) => sum + LOCAL_HEADER_BYTES + name.length + content.length, 0)
  const directory = entries.reduce((sum, { name }) => sum + HEADER_BYTES + name.length, 0)
  const zip = new Uint8Array(local + directory + END_BYTES)
  const view = new DataView(zip.buffer)
  let at = 0
  let directoryAt = local
  for (const { name, content } of entries) {
    view.setUint32(directoryAt, 0x02014b50, true)
    writeFields(view, directoryAt + 6, name.length, content.length)
    view.setUint32(directoryAt + 42, at, true)
    zip.set(name, directoryAt + HEADER_BYTES)
    directoryAt += HEADER_BYTES + name.length
    view.setUint32(at, 0x04034b50, true)
    writeFields(view, at + 4, name.length, content.length)
    zip.set(name, at + LOCAL_HEADER_BYTES)
    zip.set(content, at + LOCAL_HEADER_BYTES + name.length)
    at += LOCAL_HEADER_BYTES + name.length + content.length
  }
  view.setUint32(directoryAt, 0x06054b50, true)
  view.setUint16(directoryAt + 8, entries.length, true)
  view.setUint16(directoryAt + 10, entries.length, true)
  view.setUint32(directoryAt + 12, directory, true)
  view.setUint32(directoryAt + 16, local, true)
  return zip.buffer
}

/** What both headers of an entry have: version, UTF-8 name, sizes, length of the name. */
function writeFields(view: DataView, at: number, nameLength: number, size: number): void {
  view.setUint16(at, 20, true)
  view.setUint16(at + 2, 0x800, true)
  view.setUint32(at + 14, size, true)
  view.setUint32(at + 18, size, true)
  view.setUint16(at + 22, nameLength, true)
}

/** The text of each slide of a pptx, in order: what a reader hears who cannot see the drawing. */
export function slideTexts({ parts }: OfficeFile): string[] {
  const slides = [...parts].flatMap(([name, content]) => {
    const number = /^ppt\/slides\/slide(\d+)\.xml$/.exec(name)?.[1]
    return number ? [{ number: Number(number), content }] : []
  })
  slides.sort((a, b) => a.number - b.number)
  return slides.map(({ content }) => textOf(new TextDecoder().decode(content)))
}

const MOST_SLIDE_TEXT = 4_000

function textOf(xml: string): string {
  const document = new DOMParser().parseFromString(xml, 'application/xml')
  const paragraphs = [...document.getElementsByTagName('a:p')].map((paragraph) =>
    [...paragraph.getElementsByTagName('a:t')].map(({ textContent }) => textContent).join(''),
  )
  return paragraphs
    .filter((text) => text.trim() !== '')
    .join('\n')
    .slice(0, MOST_SLIDE_TEXT)
}
