import { NotFoundError } from '../errors.ts'
import type { File, FilePage, ListFiles } from '../services.ts'
import { createArchiveNames } from './archiveNames.ts'

const PAGE = 200

/** One entry of an archive. `path` has no leading slash and ends with one for a folder. */
export type ArchiveEntry = { readonly path: string; readonly file: File }

export type ListFolder = (options: ListFiles) => Promise<FilePage>

/**
 * The files and everything below the folders among them, a folder before what is in it; read page by page as it is asked for.
 * `nameOf` gives each of `files` its name in the archive.
 */
export async function* walk(
  list: ListFolder,
  files: Iterable<File> | AsyncIterable<File>,
  nameOf = createArchiveNames(),
  prefix = '',
): AsyncGenerator<ArchiveEntry> {
  for await (const file of files) {
    const path = `${prefix}${nameOf(file.name, file.kind)}`
    if (file.kind === 'FILE') {
      yield { path, file }
      continue
    }
    yield { path: `${path}/`, file }
    yield* walk(list, childrenOf(list, file.id), createArchiveNames(), `${path}/`)
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
