import { Readable } from 'node:stream'
import { DomainError, NotFoundError } from '../../errors.ts'
import type { Viewer } from '../../viewer.ts'
import type { Archive, File, FilePage, ListFiles } from '../contract.ts'
import { nameKey, numberedName } from '../tree/names.ts'
import type { Contents } from './content.ts'
import { createZip, MOST_PATH_BYTES, type ZipContent, type ZipWriter } from './zip.ts'

const REPORT = '_errors.txt'
/** Limits the size of the report, however many files are missing. */
const MOST_REPORTED = 10_000
const SHOWN_PATH = 400

export type ArchiveDeps = {
  readonly list: ListFolder
  readonly open: (file: File) => Promise<ArchivedContent>
}

/** The bytes of a file from the first to the last. `name`: if it is not that of the file. */
export type ArchivedContent = ZipContent & { readonly bytes: Readable; readonly name?: string }

/**
 * A ZIP of files and folders, generated while it is read: stored entries, ZIP64 if sizes require it, names in UTF-8.
 * One file is open at a time. A file that cannot be read does not end the archive: its `_errors.txt` lists what is
 * missing, and a file that broke off in the middle fails the checksum when it is unpacked. Entries with a path too long
 * for a ZIP are left out and listed there too.
 */
export function createArchive(deps: ArchiveDeps, files: readonly File[]): Archive {
  const reading: Reading = { body: null, isEnded: false }
  const stream = Readable.from(inChunks(partsOf(deps, files, reading)), { objectMode: false })
  stream.once('close', () => {
    reading.isEnded = true
    reading.body?.destroy()
  })
  const [only] = files
  return { name: `${files.length === 1 && only ? portableName(only.name) : 'Skypool'}.zip`, stream }
}

/**
 * What an archive reads now, one file at a time. This is not an AbortSignal with a listener per file: a removed listener
 * keeps its reference to the next one, and that chain keeps what was read of all files in memory until a full collection.
 */
type Reading = { body: Readable | null; isEnded: boolean }

/** Native documents are exported; their size is not known before the end. @throws as Contents.open and Contents.export */
export async function readWhole(
  contents: Pick<Contents, 'open' | 'export'>,
  viewer: Viewer,
  file: File,
): Promise<ArchivedContent> {
  if (file.isNative) {
    const { name, read } = await contents.export(viewer, file.id)
    return { size: 0, bytes: await read(), name }
  }
  const { source } = await contents.open(viewer, file.id)
  return { size: source.size, bytes: source.read(0, source.size - 1) }
}

const CHUNK_BYTES = 64 * 1024

/**
 * Joins small parts. Thousands of small files would fill the buffer of the stream with a linked list of parts, of which one that
 * reaches the old generation of the heap keeps all later ones until a full collection.
 */
async function* inChunks(parts: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let bytes = 0
  for await (const part of parts) {
    waiting.push(part)
    bytes += part.length
    if (bytes < CHUNK_BYTES) continue
    const [only, ...others] = waiting
    yield only && others.length === 0 ? only : Buffer.concat(waiting, bytes)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes)
}

/** Ends early, without an error, when the reader is gone. */
async function* partsOf(deps: ArchiveDeps, files: readonly File[], reading: Reading): AsyncGenerator<Buffer> {
  const zip = createZip()
  const problems = createProblems()
  const nameOf = createArchiveNames()
  const fits = (path: string): boolean => {
    const isShort = Buffer.byteLength(path) <= MOST_PATH_BYTES
    if (!isShort) problems.add(path, tooLong(path))
    return isShort
  }
  for await (const entry of walk(deps.list, files, { nameOf, fits })) {
    if (reading.isEnded) return
    const problem = yield* add(zip, deps, entry, reading)
    if (problem) problems.add(entry.path, problem)
  }
  const report = problems.text()
  if (report !== null) {
    const bytes = Buffer.from(report)
    const content = { size: bytes.length, bytes: Readable.from([bytes], { objectMode: false }) }
    yield* zip.file({ path: nameOf(REPORT, 'FILE'), mtime: new Date() }, content)
  }
  yield* zip.end()
}

/** @returns the problem to report about the entry, null when it is complete */
async function* add(
  zip: ZipWriter,
  { open }: ArchiveDeps,
  { path, file, pathAs }: ArchiveEntry,
  reading: Reading,
): AsyncGenerator<Buffer, string | null> {
  const mtime = file.updatedAt
  if (file.kind === 'FOLDER') {
    yield zip.folder({ path, mtime })
    return null
  }
  const content = await beginReading(open, file, reading)
  if (content instanceof Error) return `is missing here. ${reasonOf(content)}`
  const isComplete = yield* zip.file({ path: content.name === undefined ? path : pathAs(content.name), mtime }, content)
  if (isComplete) return null
  return 'is cut off here and will report an error when unpacked. Please download it separately.'
}

function tooLong(path: string): string {
  const what = path.endsWith('/') ? 'and all that is in it is missing here' : 'is missing here'
  return `${what}: its path is longer than a ZIP can hold (65,535 bytes). Please download it separately.`
}

/** Only domain errors have a message for users. */
function reasonOf(error: Error): string {
  return error instanceof DomainError ? error.message : 'It could not be read. Please download it separately.'
}

/** The report of missing files, of limited length. */
function createProblems() {
  const lines: string[] = []
  let count = 0
  return {
    add(path: string, problem: string): void {
      count += 1
      if (lines.length < MOST_REPORTED) lines.push(`${shown(path)}: ${problem}`)
    },
    /** Null when nothing is missing. */
    text(): string | null {
      if (count === 0) return null
      const more = count - lines.length
      return `${[...lines, ...(more > 0 ? [`And ${more} more.`] : [])].join('\n')}\n`
    },
  }
}

/** Very long paths are shortened in the middle. */
function shown(path: string): string {
  if (path.length <= 2 * SHOWN_PATH) return path
  return `${path.slice(0, SHOWN_PATH)}…${path.slice(-SHOWN_PATH)}`
}

/**
 * The bytes of a file; an error when not even the first ones can be read, so that no entry is started for it. Nothing more
 * is read after the archive has ended. The stream is returned as it is: a generator around it kept four times as much
 * garbage of each file in the old generation of the heap.
 */
async function beginReading(open: ArchiveDeps['open'], file: File, reading: Reading): Promise<ArchivedContent | Error> {
  try {
    const content = await open(file)
    const { bytes: body } = content
    reading.body = body
    if (reading.isEnded) body.destroy()
    await firstBytes(body)
    return content
  } catch (error) {
    return error instanceof Error ? error : new Error('It could not be read.', { cause: error })
  }
}

/** Resolves when bytes can be read, or there are none, or the stream was closed. Rejects with the error of the stream. */
function firstBytes(body: Readable): Promise<void> {
  return new Promise((resolve, reject) => {
    body.once('readable', resolve).once('close', resolve).once('error', reject)
  })
}

const PAGE = 200

/** One entry of an archive. */
export type ArchiveEntry = {
  /** Without a slash at the beginning, and with one at the end for a folder. */
  readonly path: string
  readonly file: File
  /** The path with another name, for native documents: their name has the extension of what they are exported as. */
  readonly pathAs: (name: string) => string
}

export type ListFolder = (options: ListFiles) => Promise<FilePage>

export type WalkOptions = {
  /** Returns the name in the archive of each of `files`. */
  readonly nameOf?: ReturnType<typeof createArchiveNames>
  /** Whether a path can be used; entries with other paths are left out, with everything below them. */
  readonly fits?: (path: string) => boolean
}

/** An open folder: its remaining entries, and how their names become paths. */
type Level = {
  readonly files: AsyncIterator<File> | Iterator<File>
  readonly nameOf: ReturnType<typeof createArchiveNames>
  readonly prefix: string
}

/** The files and everything below the folders among them, each folder before its entries; pages are read on demand. */
export async function* walk(
  list: ListFolder,
  files: Iterable<File>,
  { nameOf = createArchiveNames(), fits = () => true }: WalkOptions = {},
): AsyncGenerator<ArchiveEntry> {
  // A stack instead of recursion: the cost of an entry does not depend on the depth of its folder.
  const levels: Level[] = [{ files: files[Symbol.iterator](), nameOf, prefix: '' }]
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const { done, value: file } = await level.files.next()
    if (done) {
      levels.pop()
      continue
    }
    const { prefix, nameOf: nameIn } = level
    const pathAs = (name: string) => `${prefix}${nameIn(name, file.kind)}${file.kind === 'FOLDER' ? '/' : ''}`
    // The name of a document without its extension stays free.
    const path = file.isNative ? `${prefix}${portableName(file.name)}` : pathAs(file.name)
    if (!fits(path)) continue
    yield { path, file, pathAs }
    if (file.kind === 'FOLDER') {
      levels.push({ files: childrenOf(list, file.id), nameOf: createArchiveNames(), prefix: path })
    }
  }
}

async function* childrenOf(list: ListFolder, parentId: string): AsyncGenerator<File> {
  let after: string | undefined
  for (;;) {
    const page = await list({ view: 'DRIVE', parentId, limit: PAGE, after }).catch(emptyWhenGone)
    for (const { file } of page.items) yield file
    after = page.items.at(-1)?.cursor
    if (!page.hasNextPage) return
  }
}

/** A folder that was deleted meanwhile is treated as empty. */
function emptyWhenGone(error: unknown): FilePage {
  if (error instanceof NotFoundError) return { items: [], hasNextPage: false }
  throw error
}

const RESERVED_ON_WINDOWS = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i

/**
 * A name that every system can unpack: without characters that are invalid or path separators on Windows, never `..`.
 */
export function portableName(name: string): string {
  const clean = name.replace(/[\\/:*?"<>|\p{Cc}]/gu, '_').replace(/[. ]+$/, (end) => '_'.repeat(end.length))
  return clean.replace(RESERVED_ON_WINDOWS, '$&_')
}

/** Names within one folder of an archive: portable, and unique ignoring case. */
export function createArchiveNames(): (name: string, kind: 'FILE' | 'FOLDER') => string {
  const taken = new Set<string>()
  return (name, kind) => {
    const portable = portableName(name)
    let unique = portable
    for (let number = 2; taken.has(nameKey(unique)); number++) unique = numberedName(portable, number, kind)
    taken.add(nameKey(unique))
    return unique
  }
}
