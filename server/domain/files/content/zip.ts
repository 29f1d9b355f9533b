import { crc32 } from 'node:zlib'

/** Name and time of an entry; `path` ends with a slash exactly for folders. */
export type ZipEntry = { readonly path: string; readonly mtime: Date }

/** The longest path that a ZIP can hold, in bytes of UTF-8 (APPNOTE 4.4.10). */
export const MOST_PATH_BYTES = 0xffff

export type ZipContent = {
  /** Expected size; it only determines whether sizes are written with 64 bits. */
  readonly size: number
  readonly bytes: AsyncIterable<Buffer>
}

/**
 * Writes a ZIP part by part (PKWARE APPNOTE 6.3): stored entries, sizes and checksums after the content, names in
 * UTF-8, ZIP64 where numbers require it. Only a few bytes per written entry stay in memory.
 */
export type ZipWriter = {
  folder(entry: ZipEntry): Buffer
  /** @returns whether the content is complete: `bytes` may fail, which unpacking then reports as a wrong checksum */
  file(entry: ZipEntry, content: ZipContent): AsyncGenerator<Buffer, boolean>
  /** The central directory, after the last entry. */
  end(): Generator<Buffer>
}

/** Permissions for unpacking: files can be read and written by their owner, folders can be entered. */
const FILE_MODE = 0o100644
const FOLDER_MODE = 0o40755
/** Unix, version 6.3 of the specification. */
const MADE_BY = (3 << 8) | 63
const NEEDED = 20
const NEEDED_ZIP64 = 45
const SIZES_FOLLOW = 1 << 3
const UTF8 = 1 << 11
const MOST_32 = 0xffffffff
const MOST_16 = 0xffff
/** Bytes of the central directory per chunk. */
const CHUNK_BYTES = 64 * 1024

export function createZip(): ZipWriter {
  const records = createRecords()
  let offset = 0
  const written = (part: Buffer): Buffer => {
    offset += part.length
    return part
  }

  return {
    folder(entry) {
      records.add({ ...entry, crc: 0, size: 0, offset, isLarge: false })
      return written(localHeader(entry, false))
    },

    async *file(entry, { size: expected, bytes }) {
      const start = offset
      const isLarge = expected >= MOST_32
      yield written(localHeader(entry, isLarge))
      let [crc, size, isComplete] = [0, 0, true]
      try {
        for await (const chunk of bytes) {
          crc = crc32(chunk, crc)
          size += chunk.length
          yield written(chunk)
        }
      } catch {
        crc = ~crc >>> 0
        isComplete = false
      }
      yield written(descriptor(crc, size, isLarge))
      records.add({ ...entry, crc, size, offset: start, isLarge })
      return isComplete
    },

    *end() {
      const start = offset
      let parts: Buffer[] = []
      let length = 0
      for (const record of records.all()) {
        const part = centralHeader(record)
        parts.push(part)
        length += part.length
        if (length < CHUNK_BYTES) continue
        yield written(Buffer.concat(parts))
        parts = []
        length = 0
      }
      if (length > 0) yield written(Buffer.concat(parts))
      yield endOfDirectory(records.count(), start, offset - start)
    },
  }
}

type Entry = ZipEntry & {
  readonly crc: number
  readonly size: number
  readonly offset: number
  /** Its sizes were written with 64 bits after its content. */
  readonly isLarge: boolean
}

const isFolder = ({ path }: ZipEntry): boolean => path.endsWith('/')

function localHeader(entry: ZipEntry, isLarge: boolean): Buffer {
  const name = Buffer.from(entry.path)
  if (name.length > MOST_PATH_BYTES) throw new Error('This path is too long for a ZIP.')
  const extra = isLarge ? zip64Extra([0, 0]) : Buffer.alloc(0)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(isLarge ? NEEDED_ZIP64 : NEEDED, 4)
  header.writeUInt16LE(flagsOf(entry), 6)
  header.writeUInt32LE(dosTime(entry.mtime), 10)
  if (isLarge) header.fill(0xff, 18, 26)
  header.writeUInt16LE(name.length, 26)
  header.writeUInt16LE(extra.length, 28)
  return Buffer.concat([header, name, extra])
}

function flagsOf(entry: ZipEntry): number {
  return isFolder(entry) ? UTF8 : UTF8 | SIZES_FOLLOW
}

function descriptor(crc: number, size: number, isLarge: boolean): Buffer {
  const part = Buffer.alloc(isLarge ? 24 : 16)
  part.writeUInt32LE(0x08074b50, 0)
  part.writeUInt32LE(crc, 4)
  if (isLarge) {
    part.writeBigUInt64LE(BigInt(size), 8)
    part.writeBigUInt64LE(BigInt(size), 16)
  } else {
    part.writeUInt32LE(size, 8)
    part.writeUInt32LE(size, 12)
  }
  return part
}

function centralHeader(entry: Entry): Buffer {
  const { path, mtime, crc, size, offset, isLarge } = entry
  const name = Buffer.from(path)
  const needs64 = isLarge || size >= MOST_32 || offset >= MOST_32
  const extra = Buffer.concat([timeExtra(mtime), needs64 ? zip64Extra([size, size, offset]) : Buffer.alloc(0)])
  const header = Buffer.alloc(46)
  header.writeUInt32LE(0x02014b50, 0)
  header.writeUInt16LE(MADE_BY, 4)
  header.writeUInt16LE(needs64 ? NEEDED_ZIP64 : NEEDED, 6)
  header.writeUInt16LE(flagsOf(entry), 8)
  header.writeUInt32LE(dosTime(mtime), 12)
  header.writeUInt32LE(crc, 16)
  header.writeUInt32LE(needs64 ? MOST_32 : size, 20)
  header.writeUInt32LE(needs64 ? MOST_32 : size, 24)
  header.writeUInt16LE(name.length, 28)
  header.writeUInt16LE(extra.length, 30)
  header.writeUInt32LE(((isFolder(entry) ? FOLDER_MODE : FILE_MODE) << 16) >>> 0, 38)
  header.writeUInt32LE(needs64 ? MOST_32 : offset, 42)
  return Buffer.concat([header, name, extra])
}

function endOfDirectory(count: number, start: number, size: number): Buffer {
  const needs64 = count >= MOST_16 || start >= MOST_32 || size >= MOST_32
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(needs64 ? MOST_16 : count, 8)
  end.writeUInt16LE(needs64 ? MOST_16 : count, 10)
  end.writeUInt32LE(needs64 ? MOST_32 : size, 12)
  end.writeUInt32LE(needs64 ? MOST_32 : start, 16)
  if (!needs64) return end
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeUInt16LE(MADE_BY, 12)
  record.writeUInt16LE(NEEDED_ZIP64, 14)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(size), 40)
  record.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(start + size), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([record, locator, end])
}

function zip64Extra(numbers: readonly number[]): Buffer {
  const extra = Buffer.alloc(4 + 8 * numbers.length)
  extra.writeUInt16LE(0x0001, 0)
  extra.writeUInt16LE(8 * numbers.length, 2)
  for (const [index, number] of numbers.entries()) extra.writeBigUInt64LE(BigInt(number), 4 + 8 * index)
  return extra
}

/** UTC in seconds, unlike the DOS time (Info-ZIP's extended timestamp). */
function timeExtra(mtime: Date): Buffer {
  const extra = Buffer.alloc(9)
  extra.writeUInt16LE(0x5455, 0)
  extra.writeUInt16LE(5, 2)
  extra.writeUInt8(3, 4)
  const seconds = Math.floor(mtime.getTime() / 1000)
  extra.writeInt32LE(Math.min(Math.max(seconds, -0x80000000), 0x7fffffff), 5)
  return extra
}

const FIRST_YEAR = 1980
const LAST_YEAR = 2107

/** Date and time in this server's time zone, as two 16-bit numbers. */
function dosTime(mtime: Date): number {
  const year = mtime.getFullYear()
  if (year < FIRST_YEAR) return (1 << 21) | (1 << 16)
  const clamped = year > LAST_YEAR ? new Date(LAST_YEAR, 11, 31, 23, 59, 58) : mtime
  const date = ((clamped.getFullYear() - FIRST_YEAR) << 9) | ((clamped.getMonth() + 1) << 5) | clamped.getDate()
  const time = (clamped.getHours() << 11) | (clamped.getMinutes() << 5) | (clamped.getSeconds() >> 1)
  return ((date << 16) | time) >>> 0
}

const RECORD_BYTES = 32
const BLOCK_BYTES = 256 * 1024

/**
 * The entries for the central directory, in their order. Of a path only the difference from the previous one is stored,
 * so that neither many files nor deep folders take much memory.
 */
function createRecords() {
  const blocks: Buffer[] = []
  let block = Buffer.alloc(0)
  let used = 0
  let count = 0
  let before = ''

  return {
    count: () => count,
    add({ path, mtime, crc, size, offset, isLarge }: Entry): void {
      const shared = sharedLength(before, path)
      const rest = Buffer.from(path.slice(shared))
      const bytes = RECORD_BYTES + rest.length
      if (used + bytes > block.length) {
        if (used > 0) blocks.push(block.subarray(0, used))
        block = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, bytes))
        used = 0
      }
      block.writeUInt32LE(crc, used)
      block.writeDoubleLE(mtime.getTime(), used + 4)
      block.writeUIntLE(size, used + 12, 6)
      block.writeUIntLE(offset, used + 18, 6)
      block.writeUInt8(isLarge ? 1 : 0, used + 24)
      block.writeUIntLE(shared, used + 25, 3)
      block.writeUInt32LE(rest.length, used + 28)
      rest.copy(block, used + RECORD_BYTES)
      used += bytes
      count += 1
      before = path
    },
    *all(): Generator<Entry> {
      let path = ''
      for (const part of [...blocks, block.subarray(0, used)]) {
        for (let at = 0; at < part.length; ) {
          const end = at + RECORD_BYTES + part.readUInt32LE(at + 28)
          path = path.slice(0, part.readUIntLE(at + 25, 3)) + part.toString('utf8', at + RECORD_BYTES, end)
          yield {
            path,
            mtime: new Date(part.readDoubleLE(at + 4)),
            crc: part.readUInt32LE(at),
            size: part.readUIntLE(at + 12, 6),
            offset: part.readUIntLE(at + 18, 6),
            isLarge: part.readUInt8(at + 24) === 1,
          }
          at = end
        }
      }
    },
  }
}

/** The common prefix of two paths in UTF-16 units; does not split a character. */
function sharedLength(one: string, other: string): number {
  const most = Math.min(one.length, other.length)
  let length = 0
  while (length < most && one.charCodeAt(length) === other.charCodeAt(length)) length += 1
  const last = other.charCodeAt(length - 1)
  return last >= 0xd800 && last <= 0xdbff ? length - 1 : length
}
