import type { Pool } from 'pg'
import { InvalidInputError } from '../errors.ts'
import { walk } from '../files/archiveTree.ts'
import { type ChangeDeps, changeTree, distinctIds } from '../files/change.ts'
import { listFiles } from '../files/listing.ts'
import { requireFiles } from '../files/lookup.ts'
import { lockLiveEntries, refuseCycle, requireLiveFolder } from '../files/tree.ts'
import type { CopyFiles, File, ListFiles } from '../services.ts'
import type { Viewer } from '../viewer.ts'

/** Most files of one call, and most folders. */
export const MOST_COPIED = 1000

/** One thing that was asked for, and everything below it: a folder before what is in it. */
export type Tree = { readonly top: File; readonly entries: readonly File[] }

/** What a call copies, as it is now. @throws InvalidInputError, NotFoundError, FolderCycleError */
export async function planCopy(deps: ChangeDeps, viewer: Viewer, { ids, parentId }: CopyFiles): Promise<Tree[]> {
  const distinct = distinctIds(ids)
  const tops = await changeTree(deps, viewer, async (change) => {
    const entries = await lockLiveEntries(change, distinct)
    refuseCycle(entries, await requireLiveFolder(change, parentId), 'copied')
    return requireFiles(change.tx, viewer, distinct)
  })
  return readTrees(deps.pool, viewer, tops)
}

async function readTrees(pool: Pool, viewer: Viewer, tops: readonly File[]): Promise<Tree[]> {
  const list = (options: ListFiles) => listFiles(pool, viewer, options)
  const count = { FILE: 0, FOLDER: 0 }
  const trees: Tree[] = []
  for (const top of tops) {
    const entries: File[] = []
    for await (const { file } of walk(list, [top])) {
      count[file.kind] += 1
      if (count[file.kind] > MOST_COPIED) throw tooMany()
      entries.push(file)
    }
    trees.push({ top, entries })
  }
  return trees
}

function tooMany(): InvalidInputError {
  const most = MOST_COPIED.toLocaleString('en')
  const message = `At most ${most} files and as many folders can be copied at once. Please select fewer.`
  return new InvalidInputError([{ path: 'ids', message }])
}
