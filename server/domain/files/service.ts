import type { FairTurns } from '../../lib/semaphore.ts'
import type { File, FilesService } from '../services.ts'
import type { Viewer } from '../viewer.ts'
import { createArchive } from './archive.ts'
import { type Change, type ChangeDeps, changeTree, distinctIds } from './change.ts'
import type { Contents } from './content.ts'
import { discardEntry } from './discard.ts'
import { createFolder, renameEntry } from './folders.ts'
import { assignGroupCloud } from './groupCloud.ts'
import { isHeavy, listFiles } from './listing.ts'
import { accountsHolding, contentSize, copiesOf, getFiles, pathsOf, requireFile, requireFiles } from './lookup.ts'
import { moveEntries } from './move.ts'
import { countAtRisk, storageByType } from './overview.ts'
import { purgeEntries, purgeTrash } from './purge.ts'
import { restoreEntries } from './restore.ts'
import { createReadTurns } from './search.ts'
import { starEntries } from './star.ts'
import { trashEntries } from './trash.ts'
import { updateEntry } from './update.ts'

export type FilesDeps = ChangeDeps & {
  readonly contents: Pick<Contents, 'open'>
  /** Of reads that may take long. */
  readonly turns?: FairTurns
}

/** All but copying, which receives files as an upload does (domain/copying). */
export function createFilesService(deps: FilesDeps): Omit<FilesService, 'copy' | 'keepVersion'> {
  const { pool, contents, turns = createReadTurns() } = deps

  /** Changes entries of these ids, all or none, and answers with them as they are afterwards. */
  async function changeFiles(
    viewer: Viewer,
    ids: readonly string[],
    work: (change: Change, ids: readonly string[]) => Promise<void>,
  ): Promise<File[]> {
    const distinct = distinctIds(ids)
    return changeTree(deps, viewer, async (change) => {
      await work(change, distinct)
      return requireFiles(change.tx, viewer, distinct)
    })
  }

  async function changeFile(viewer: Viewer, id: string, work: (change: Change) => Promise<void>): Promise<File> {
    return changeTree(deps, viewer, async (change) => {
      await work(change)
      return requireFile(change.tx, viewer, id)
    })
  }

  return {
    list: (viewer, options) => {
      const read = () => listFiles(pool, viewer, options)
      return isHeavy(options) ? turns(viewer.userId, read) : read()
    },
    get: (viewer, id) => requireFile(pool, viewer, id),
    getMany: (viewer, ids) => getFiles(pool, viewer, ids),
    paths: (viewer, ids) => pathsOf(pool, viewer, ids),
    copies: (viewer, ids) => copiesOf(pool, viewer, ids),
    storedIn: (viewer, ids) => accountsHolding(pool, viewer, ids),
    contentSize: (viewer, id) => contentSize(pool, viewer, id),
    storageByType: (viewer) => storageByType(pool, viewer),
    countAtRisk: (viewer) => countAtRisk(pool, viewer),

    createFolder: (viewer, input, idempotencyKey) =>
      changeTree(deps, viewer, async (change) =>
        requireFile(change.tx, viewer, await createFolder(change, input, idempotencyKey)),
      ),
    rename: (viewer, id, name) => changeFile(viewer, id, (change) => renameEntry(change, id, name)),
    update: (viewer, id, patch) => changeFile(viewer, id, (change) => updateEntry(change, id, patch)),
    move: (viewer, ids, parentId, onConflict = 'RENAME') =>
      changeFiles(viewer, ids, (change, distinct) => moveEntries(change, distinct, parentId, onConflict)),
    star: (viewer, ids, starred) =>
      changeFiles(viewer, ids, (change, distinct) => starEntries(change, distinct, starred)),
    moveToGroupCloud: (viewer, ids, groupCloudId) =>
      changeFiles(viewer, ids, (change, distinct) => assignGroupCloud(change, distinct, groupCloudId)),
    trash: (viewer, ids) => changeFiles(viewer, ids, trashEntries),
    restore: (viewer, ids) => changeFiles(viewer, ids, restoreEntries),
    remove: (viewer, ids) => changeTree(deps, viewer, (change) => purgeEntries(change, distinctIds(ids))),
    discard: (viewer, id) => changeTree(deps, viewer, (change) => discardEntry(change, id)),
    emptyTrash: (viewer) => changeTree(deps, viewer, purgeTrash),

    open: contents.open,
    async archive(viewer, ids) {
      const files = await requireFiles(pool, viewer, distinctIds(ids))
      const list = (options: Parameters<FilesService['list']>[1]) => listFiles(pool, viewer, options)
      return createArchive({ list, open: (id) => contents.open(viewer, id) }, files)
    },
  }
}
