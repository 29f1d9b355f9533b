import { type ByteReader, type Bytes, chunksOf } from '../byteReader.ts'
import { messages } from '../messages.ts'
import { PreviewError } from '../previewError.ts'

/** Of an archive's directory, which names its entries. */
const MOST_DIRECTORY_BYTES = 32 * 1024 * 1024
const END_BYTES = 22
const LONGEST_COMMENT = 65_535
const END64_LOCATOR_BYTES = 20
const HEADER_BYTES = 46
const LOCAL_HEADER_BYTES = 30
const STORED = 0
const DEFLATED = 8
const IN_ZIP64 = 0xffffffff

/** An entry as the directory describes it: nothing of this is certain before its content was read. */
export type ZipEntry = {
  readonly name: string
  readonly isFolder: boolean
  /** Unpacked, in bytes. */
  readonly size: number
  readonly packedSize: number
  readonly isEncrypted: boolean
  readonly method: number
  /** Where its local header is. */
  readonly offset: number
}

/** How many entries there are, and the first `most` of them. @throws PreviewError when it is not a ZIP */
export async function readZip(file: ByteReader, most: number): Promise<{ entries: ZipEntry[]; isCut: boolean }> {
  const { start, length } = await findDirectory(file)
  if (length > MOST_DIRECTORY_BYTES) throw new PreviewError(messages.tooLargeInside)
  const bytes = await file.read(start, start + length)
  const view = viewOf(bytes)
  const entries: ZipEntry[] = []
  let at = 0
  while (at + HEADER_BYTES <= bytes.length && view.getUint32(at, true) === 0x02014b50) {
    if (entries.length === most) return { entries, isCut: true }
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true))
    const end = at + HEADER_BYTES + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0)
    if (end > bytes.length) throw new PreviewError(messages.damaged)
    entries.push(entryAt(bytes, view, at, nameLength ?? 0, extraLength ?? 0))
    at = end
  }
  return { entries, isCut: false }
}

async function findDirectory(file: ByteReader): Promise<{ start: number; length: number }> {
  const tailStart = Math.max(0, file.size - END_BYTES - LONGEST_COMMENT - END64_LOCATOR_BYTES)
  const tail = await file.read(tailStart, file.size)
  const view = viewOf(tail)
  for (let at = tail.length - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== 0x06054b50) continue
    const length = view.getUint32(at + 12, true)
    const start = view.getUint32(at + 16, true)
    const found = start === IN_ZIP64 || length === IN_ZIP64 ? await findZip64(file, view, at) : { start, length }
    if (found.start + found.length > file.size) throw new PreviewError(messages.damaged)
    return found
  }
  throw new PreviewError(messages.damaged)
}

async function findZip64(file: ByteReader, tail: DataView, end: number): Promise<{ start: number; length: number }> {
  const locator = end - END64_LOCATOR_BYTES
  if (locator < 0 || tail.getUint32(locator, true) !== 0x07064b50) throw new PreviewError(messages.damaged)
  const at = Number(tail.getBigUint64(locator + 8, true))
  const record = await file.read(at, at + 56)
  if (record.length < 56) throw new PreviewError(messages.damaged)
  const view = viewOf(record)
  return { length: Number(view.getBigUint64(40, true)), start: Number(view.getBigUint64(48, true)) }
}

function entryAt(bytes: Bytes, view: DataView, at: number, nameLength: number, extraLength: number): ZipEntry {
  const flags = view.getUint16(at + 8, true)
  const nameBytes = bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + nameLength)
  const name = decodeName(nameBytes, (flags & 0x800) !== 0)
  const isWide = (offset: number) => view.getUint32(at + offset, true) === IN_ZIP64
  const wide = wideValues(view, at + HEADER_BYTES + nameLength, extraLength)
  // In the extra field are only those values that did not fit, in this order.
  const valueAt = (offset: number) => (isWide(offset) ? (wide.shift() ?? 0) : view.getUint32(at + offset, true))
  const [size, packedSize, offset] = [valueAt(24), valueAt(20), valueAt(42)]
  const method = view.getUint16(at + 10, true)
  return { name, isFolder: /[/\\]$/.test(name), size, packedSize, isEncrypted: (flags & 1) !== 0, method, offset }
}

function wideValues(view: DataView, start: number, length: number): number[] {
  for (let at = start; at + 4 <= start + length; ) {
    const size = view.getUint16(at + 2, true)
    if (view.getUint16(at, true) === 1 && at + 4 + size <= start + length) {
      return Array.from({ length: Math.floor(size / 8) }, (_, index) =>
        Number(view.getBigUint64(at + 4 + index * 8, true)),
      )
    }
    at += 4 + size
  }
  return []
}

/** Old programs write names in a code page of theirs. UTF-8 that is not marked as such is recognised. */
function decodeName(bytes: Bytes, isUtf8: boolean): string {
  try {
    return new TextDecoder('utf-8', { fatal: !isUtf8 }).decode(bytes)
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

/** Whether `readEntry` can read it. */
export const isReadable = ({ method, isEncrypted }: ZipEntry): boolean =>
  !isEncrypted && (method === STORED || method === DEFLATED)

/**
 * The content of an entry. `most`: unpacked bytes, whatever the directory says.
 * @throws PreviewError when it is larger, encrypted or damaged
 */
export async function readEntry(file: ByteReader, entry: ZipEntry, most: number): Promise<Bytes> {
  if (entry.isEncrypted) throw new PreviewError(messages.encrypted)
  if (entry.size > most || entry.packedSize > most) throw new PreviewError(messages.tooLargeInside)
  const header = await file.read(entry.offset, entry.offset + LOCAL_HEADER_BYTES)
  if (header.length < LOCAL_HEADER_BYTES) throw new PreviewError(messages.damaged)
  const view = viewOf(header)
  if (view.getUint32(0, true) !== 0x04034b50) throw new PreviewError(messages.damaged)
  const start = entry.offset + LOCAL_HEADER_BYTES + view.getUint16(26, true) + view.getUint16(28, true)
  const packed = await file.read(start, start + entry.packedSize)
  if (entry.method === STORED) return packed
  if (entry.method !== DEFLATED) throw new PreviewError(messages.damaged)
  return unpack(packed, 'deflate-raw', most)
}

/** @throws PreviewError when more than `most` bytes come of it, or it is damaged */
async function unpack(packed: Bytes, format: CompressionFormat, most: number): Promise<Bytes> {
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream(format))
  const chunks: Bytes[] = []
  let size = 0
  try {
    for await (const chunk of chunksOf(stream)) {
      size += chunk.length
      if (size > most) throw new PreviewError(messages.tooLargeInside)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof PreviewError ? error : new PreviewError(messages.damaged)
  }
  return joined(chunks, size)
}

function joined(chunks: readonly Bytes[], size: number): Bytes {
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}

const viewOf = (bytes: Bytes): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
