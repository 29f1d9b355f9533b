import { once } from 'node:events'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import type { ByteSource } from '../../storage/byteSource.ts'
import { DomainError } from '../errors.ts'
import type { Archive, File } from '../services.ts'
import { createArchiveNames, portableName } from './archiveNames.ts'
import { type ArchiveEntry, type ListFolder, walk } from './archiveTree.ts'

const REPORT = '_errors.txt'
/** Permissions as an unpacker sets them: files read and write for their owner, folders passable. */
const FILE_MODE = 0o100644
const FOLDER_MODE = 0o40755

export type ArchiveDeps = {
  readonly list: ListFolder
  readonly open: (id: string) => Promise<{ source: ByteSource }>
}

/**
 * A ZIP of files and folders, made while it is read: stored entries, ZIP64 where sizes ask for it, names in UTF-8. One
 * file is open at a time. A file that cannot be read does not cut the archive: `_errors.txt` in it says what is missing, and one
 * that broke off half-way fails the check of whatever unpacks it.
 */
export function createArchive(deps: ArchiveDeps, files: readonly File[]): Archive {
  const zip = new ZipFile()
  // @types/yazl says ReadableStream; it is a PassThrough.
  const stream = zip.outputStream as Readable
  zip.on('error', (error: Error) => stream.destroy(error))
  fill(zip, stream, deps, files).catch((error: Error) => stream.destroy(error))
  const [only] = files
  return { name: `${files.length === 1 && only ? portableName(only.name) : 'Skypool'}.zip`, stream }
}

/** Ends early, without an error, when nobody reads any more. */
async function fill(zip: ZipFile, stream: Readable, deps: ArchiveDeps, files: readonly File[]): Promise<void> {
  const problems: string[] = []
  const nameOf = createArchiveNames()
  for await (const entry of walk(deps.list, files, nameOf)) {
    if (stream.destroyed) return
    const problem = await add(zip, stream, deps, entry)
    if (problem) problems.push(problem)
  }
  if (stream.destroyed) return
  const report = Buffer.from(`${problems.join('\n')}\n`)
  if (problems.length > 0) zip.addBuffer(report, nameOf(REPORT, 'FILE'), { compress: false })
  zip.end()
}

/** Adds one entry and waits for its last byte. @returns what to report about it, null when it is whole */
async function add(zip: ZipFile, stream: Readable, { open }: ArchiveDeps, { path, file }: ArchiveEntry) {
  if (file.kind === 'FOLDER') {
    zip.addEmptyDirectory(path, { mtime: file.updatedAt, mode: FOLDER_MODE })
    return null
  }
  const content = await beginReading(open, file, stream)
  if (content instanceof Error) return `${path}: is missing here. ${reasonOf(content)}`
  zip.addReadStream(content.stream, path, { mtime: file.updatedAt, mode: FILE_MODE, compress: false })
  await once(content.stream, 'close')
  if (!content.isBroken()) return null
  spoilLast(zip)
  return `${path}: is cut off here, and does not unpack without an error. Please download it by itself.`
}

/** What can be told to people. */
function reasonOf(error: Error): string {
  return error instanceof DomainError ? error.message : 'It could not be read. Please download it by itself.'
}

/**
 * The bytes of a file as a stream that ends early instead of failing, and whether it did; an error when not even the first
 * ones can be read, so that no entry has to be begun for it. Nothing is read any more once `archive` is closed.
 */
async function beginReading(open: ArchiveDeps['open'], file: File, archive: Readable) {
  try {
    const { source } = await open(file.id)
    const body = source.read(0, source.size - 1)
    const cancel = () => body.destroy()
    archive.once('close', cancel)
    body.once('close', () => archive.off('close', cancel))
    const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    return endingEarly(chunks, await chunks.next())
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
  return { stream: Readable.from(bytes(), { objectMode: false }), isBroken: () => isBroken }
}

/** Gives the last entry a checksum that is not its own: what unpacks it must not take it for whole. */
function spoilLast(zip: ZipFile): void {
  // @types/yazl knows nothing of the list from which the central directory is written.
  const { entries } = zip as unknown as { entries: { crc32: number }[] }
  const last = entries.at(-1)
  if (last) last.crc32 = ~last.crc32 >>> 0
}
