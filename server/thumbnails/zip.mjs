import { crc32, createInflateRaw } from 'node:zlib'
import { SaxesParser } from 'saxes'

// Reads parts of documents that are ZIP files, in the process of worker.mjs, within limits. A document is `{ bytes, entries, budget }`.

const MAX_UNPACKED = 128 * 1024 * 1024
const MAX_ENTRIES = 20_000
const MAX_DIRECTORY = 8 * 1024 * 1024

/** The directory of a ZIP. Office programs write neither Zip64 nor comments. @throws for broken content */
export function entriesOf(bytes) {
  const end = bytes.lastIndexOf('PK\x05\x06', undefined, 'latin1')
  if (end < 0 || end + 22 > bytes.length) throw new Error('This is not a ZIP file.')
  const [count, length, start] = [
    bytes.readUInt16LE(end + 10),
    bytes.readUInt32LE(end + 12),
    bytes.readUInt32LE(end + 16),
  ]
  if (count > MAX_ENTRIES || length > MAX_DIRECTORY || start + length > end)
    throw new Error('The directory is damaged.')
  const entries = []
  for (let at = start; at + 46 <= start + length && bytes.readUInt32LE(at) === 0x02014b50; ) {
    const nameLength = bytes.readUInt16LE(at + 28)
    entries.push({
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      method: bytes.readUInt16LE(at + 10),
      sum: bytes.readUInt32LE(at + 16),
      packed: bytes.readUInt32LE(at + 20),
      offset: bytes.readUInt32LE(at + 42),
      name: bytes.toString('utf8', at + 46, at + 46 + nameLength),
    })
    at += 46 + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return entries
}

/** What may be unpacked of one document. */
export const createBudget = () => ({ left: MAX_UNPACKED })

/**
 * Unpacks while it parses, so that a part of any size takes the same memory. `reader` has `write`, `close`, and `isFull` for when it needs
 * no more. @throws for broken content, and for more than the budget
 */
export async function readXml(bytes, entry, budget, reader) {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of readEntry(bytes, entry, budget)) {
    reader.write(decoder.decode(chunk, { stream: true }))
    if (reader.isFull()) return
  }
  reader.close()
}

/** The bytes of an entry in chunks. @throws for broken content, at the end also for a wrong checksum, and for more than the budget */
async function* readEntry(bytes, { isEncrypted, method, sum, packed, offset }, budget) {
  if (isEncrypted || (method !== 0 && method !== 8)) throw new Error('It is encrypted or packed in an unknown way.')
  if (bytes.readUInt32LE(offset) !== 0x04034b50) throw new Error('An entry is damaged.')
  const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
  const data = bytes.subarray(start, start + packed)
  let found = 0
  for await (const chunk of method === 0 ? [data] : unpacked(data)) {
    budget.left -= chunk.length
    if (budget.left < 0) throw new Error('It is too large inside.')
    found = crc32(chunk, found)
    yield chunk
  }
  if (found !== sum) throw new Error('An entry is damaged.')
}

function unpacked(data) {
  const stream = createInflateRaw()
  stream.end(data)
  return stream
}

/** All bytes of an entry. @throws as `readEntry`, and for more than `limit` */
export async function readAll({ bytes, budget }, entry, limit) {
  const chunks = []
  let length = 0
  for await (const chunk of readEntry(bytes, entry, budget)) {
    length += chunk.length
    if (length > limit) throw new Error('It is too large inside.')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Parses an entry as XML. `reader`: `open(name, attributes)`, `close(name)` and `text(value)`, with names without prefix, and `isFull()`. */
export async function parse({ bytes, budget }, entry, { open, close, text, isFull }) {
  const local = (name) => name.slice(name.indexOf(':') + 1)
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const found = Object.entries(attributes).map(([key, value]) => [local(key), value])
    open(local(name), Object.fromEntries(found))
  })
  parser.on('closetag', ({ name }) => close(local(name)))
  parser.on('text', text)
  await readXml(bytes, entry, budget, { write: (chunk) => parser.write(chunk), close: () => parser.close(), isFull })
}
