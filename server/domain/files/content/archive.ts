import { Readable } from 'node:stream'
import type { ByteSource } from '../../../storage/byteSource.ts'
import { DomainError, NotFoundError } from '../../errors.ts'
import type { Archive, File, FilePage, ListFiles } from '../contract.ts'
import { nameKey, numberedName } from '../tree/names.ts'
import { createZip, MOST_PATH_BYTES, type ZipContent, type ZipWriter } from './zip.ts'

const REPORT = '_errors.txt'
/** What is reported is bounded, however much is missing. */
const MOST_REPORTED = 10_000
const SHOWN_PATH = 400

export type ArchiveDeps = {
  readonly list: ListFolder
  readonly open: (id: string) => Promise<{ source: ByteSource }>
}

/**
 * A ZIP of files and folders, made while it is read: stored entries, ZIP64 where sizes ask for it, names in UTF-8. One
 * file is open at a time. A file that cannot be read does not cut the archive: `_errors.txt` in it says what is missing, and one
 * that broke off half-way fails the check of whatever unpacks it. What stands deeper than a ZIP can name is left out and named there.
 */
export function createArchive(deps: ArchiveDeps, files: readonly File[]): Archive {
  const ended = new AbortController()
  const stream = Readable.from(partsOf(deps, files, ended.signal), { objectMode: false })
  stream.once('close', () => ended.abort())
  const [only] = files
  return { name: `${files.length === 1 && only ? portableName(only.name) : 'Skypool'}.zip`, stream }
}

/** Ends early, without an error, when nobody reads any more. */
async function* partsOf(deps: ArchiveDeps, files: readonly File[], signal: AbortSignal): AsyncGenerator<Buffer> {
  const zip = createZip()
  const problems = createProblems()
  const nameOf = createArchiveNames()
  const fits = (path: string): boolean => {
    const isShort = Buffer.byteLength(path) <= MOST_PATH_BYTES
    if (!isShort) problems.add(path, tooLong(path))
    return isShort
  }
  for await (const entry of walk(deps.list, files, { nameOf, fits })) {
    if (signal.aborted) return
    const problem = yield* add(zip, deps, entry, signal)
    if (problem) problems.add(entry.path, problem)
  }
  const report = problems.text()
  if (report !== null) {
    const bytes = Buffer.from(report)
    const content = { size: bytes.length, bytes: Readable.from([bytes], { objectMode: false }), isBroken: () => false }
    yield* zip.file({ path: nameOf(REPORT, 'FILE'), mtime: new Date() }, content)
  }
  yield* zip.end()
}

/** @returns what to report about the entry, null when it is whole */
async function* add(
  zip: ZipWriter,
  { open }: ArchiveDeps,
  { path, file }: ArchiveEntry,
  signal: AbortSignal,
): AsyncGenerator<Buffer, string | null> {
  const entry = { path, mtime: file.updatedAt }
  if (file.kind === 'FOLDER') {
    yield zip.folder(entry)
    return null
  }
  const content = await beginReading(open, file, signal)
  if (content instanceof Error) return `is missing here. ${reasonOf(content)}`
  yield* zip.file(entry, content)
  if (!content.isBroken()) return null
  return 'is cut off here, and does not unpack without an error. Please download it by itself.'
}

function tooLong(path: string): string {
  const what = path.endsWith('/') ? 'and all that is in it is missing here' : 'is missing here'
  return `${what}: its path is longer than a ZIP can hold (65,535 bytes). Please download it by itself.`
}

/** What can be told to people. */
function reasonOf(error: Error): string {
  return error instanceof DomainError ? error.message : 'It could not be read. Please download it by itself.'
}

/** Lines about what is missing, of which some are kept. */
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

/** A path of many thousand characters is shown by both its ends. */
function shown(path: string): string {
  if (path.length <= 2 * SHOWN_PATH) return path
  return `${path.slice(0, SHOWN_PATH)}…${path.slice(-SHOWN_PATH)}`
}

/**
 * The bytes of a file, which end early instead of failing, and whether they did; an error when not even the first ones can be
 * read, so that no entry has to be begun for it. Nothing is read any more once the signal aborts.
 */
async function beginReading(open: ArchiveDeps['open'], file: File, signal: AbortSignal): Promise<ZipContent | Error> {
  try {
    const { source } = await open(file.id)
    const body = source.read(0, source.size - 1)
    const cancel = () => body.destroy()
    signal.addEventListener('abort', cancel, { once: true })
    body.once('close', () => signal.removeEventListener('abort', cancel))
    if (signal.aborted) cancel()
    const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    return { size: source.size, ...endingEarly(chunks, await chunks.next()) }
  } catch (error) {
    return error instanceof Error ? error : new Error('It could not be read.', { cause: error })
  }
}

function endingEarly(chunks: AsyncIterator<Buffer>, first: IteratorResult<Buffer>) {
  let isBroken = false
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      for (let chunk = first; !chunk.done; chunk = await chunks.next()) yield chunk.value
    } catch {
      // Told in the archive itself: its reader is the one who must know.
      isBroken = true
    } finally {
      await chunks.return?.()
    }
  }
  return { bytes: bytes(), isBroken: () => isBroken }
}

const PAGE = 200

/** One entry of an archive. `path` has no leading slash and ends with one for a folder. */
export type ArchiveEntry = { readonly path: string; readonly file: File }

export type ListFolder = (options: ListFiles) => Promise<FilePage>

export type WalkOptions = {
  /** Gives each of `files` its name in the archive. */
  readonly nameOf?: ReturnType<typeof createArchiveNames>
  /** Whether a path can be used: what has no such path is left out, with all that is below it. */
  readonly fits?: (path: string) => boolean
}

/** A folder under way: what is left of it, and how names in it become paths. */
type Level = {
  readonly files: AsyncIterator<File> | Iterator<File>
  readonly nameOf: ReturnType<typeof createArchiveNames>
  readonly prefix: string
}

/** The files and everything below the folders among them, a folder before what is in it; read page by page as it is asked for. */
export async function* walk(
  list: ListFolder,
  files: Iterable<File>,
  { nameOf = createArchiveNames(), fits = () => true }: WalkOptions = {},
): AsyncGenerator<ArchiveEntry> {
  // A list and not a recursion: however deep the folders are, an entry costs the same.
  const levels: Level[] = [{ files: files[Symbol.iterator](), nameOf, prefix: '' }]
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const { done, value: file } = await level.files.next()
    if (done) {
      levels.pop()
      continue
    }
    const path = `${level.prefix}${level.nameOf(file.name, file.kind)}${file.kind === 'FOLDER' ? '/' : ''}`
    if (!fits(path)) continue
    yield { path, file }
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

/** A folder that was deleted while the archive is under way has nothing to add. */
function emptyWhenGone(error: unknown): FilePage {
  if (error instanceof NotFoundError) return { items: [], hasNextPage: false }
  throw error
}

const RESERVED_ON_WINDOWS = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i

/** A name that every system can unpack: nothing that Windows refuses or takes for a path, never `..`. */
export function portableName(name: string): string {
  const clean = name.replace(/[\\/:*?"<>|\p{Cc}]/gu, '_').replace(/[. ]+$/, (end) => '_'.repeat(end.length))
  return clean.replace(RESERVED_ON_WINDOWS, '$&_')
}

/** Names of one folder of an archive: each is portable and differs from the others by more than case. */
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
