import { NotFoundError } from '../errors.ts'
import type { File, FilePage, ListFiles } from '../services.ts'
import { createArchiveNames } from './archiveNames.ts'

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
