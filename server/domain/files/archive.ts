import { once } from 'node:events'
import { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import type { ByteSource } from '../../storage/byteSource.ts'
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
 * file is open at a time. A file that cannot be read to its end does not cut the archive: `_errors.txt` in it says so.
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
async function add(zip: ZipFile, stream: Readable, deps: ArchiveDeps, { path, file }: ArchiveEntry) {
  if (file.kind === 'FOLDER') {
    zip.addEmptyDirectory(path, { mtime: file.updatedAt, mode: FOLDER_MODE })
    return null
  }
  const reader = createReader(deps, file)
  const cancel = () => reader.stream.destroy()
  stream.once('close', cancel)
  zip.addReadStream(reader.stream, path, { mtime: file.updatedAt, mode: FILE_MODE, compress: false })
  await once(reader.stream, 'close')
  stream.off('close', cancel)
  return reader.broken() ? `${path}: could not be read completely. Please download it by itself.` : null
}

/** The bytes of a file as a stream that ends early instead of failing, and whether it did. */
function createReader({ open }: ArchiveDeps, file: File) {
  let broken = false
  async function* bytes(): AsyncGenerator<Buffer> {
    try {
      const { source } = await open(file.id)
      if (source.size > 0) yield* source.read(0, source.size - 1) as AsyncIterable<Buffer>
    } catch {
      // Told in the archive itself: its reader is the one who must know.
      broken = true
    }
  }
  return { stream: Readable.from(bytes(), { objectMode: false }), broken: () => broken }
}
