import { createGroupedRead, type FairSemaphore } from '../../lib/concurrency.ts'
import { newId } from '../../lib/ids.ts'
import { ConflictError, NotFoundError } from '../errors.ts'
import type { Viewer } from '../viewer.ts'
import { createArchive, readWhole } from './content/archive.ts'
import type { Contents } from './content/content.ts'
import type { Copy, EachAction, File, FilesService } from './contract.ts'
import { type Change, changeTree, distinctIds, InAccountError } from './tree/change.ts'
import {
  changeEach,
  changeMixed,
  changeSelection,
  createStepBatcher,
  emptyTrashInPlace,
  type StepDeps,
  stepOf,
} from './tree/changeEach.ts'
import { accountsHolding, contentSize, copiesOf, getFiles, pathsOf, requireFile, requireFiles } from './tree/entries.ts'
import { claimFolderId, createFolder } from './tree/folders.ts'
import { createReadTurns, isHeavy, listFiles, type OpenedFolder, openedFolder } from './tree/listing.ts'
import { assignGroupCloud, moveEntries, restoreEntries } from './tree/move.ts'
import { validateName } from './tree/names.ts'
import { fileByPath, folderByPath, makeFolders } from './tree/paths.ts'
import { requireMatch, type Step, starEntries, stepsOfPatch, updateEntry } from './tree/steps.ts'
import { accountsOf, bytesOf, countAtRisk, monthsOf, storageByType, summarize } from './tree/summary.ts'
import { emptyTrash, purgeEntries, trashEntries } from './tree/trash.ts'

export type FilesDeps = StepDeps & {
  readonly contents: Pick<Contents, 'open' | 'export'>
  /** Called with folders whose content was listed: they may be out of date. */
  readonly opened?: (folder: OpenedFolder) => void
  /** Limits reads that may take long, per user. */
  readonly turns?: FairSemaphore
}

/** The whole service except copying, which receives files as an upload does (domain/copying). */
export function createFilesService(deps: FilesDeps): Omit<FilesService, 'copy' | 'keepVersion'> {
  const { pool, contents, opened, turns = createReadTurns() } = deps

  /**
   * Changes the entries with these ids, all or none, and returns them as they are afterwards. With entries in accounts among them,
   * each is changed on its own, as by changeMixed.
   */
  async function changeFiles(
    viewer: Viewer,
    ids: readonly string[],
    work: (change: Change, ids: readonly string[]) => Promise<void>,
    action?: EachAction,
  ): Promise<File[]> {
    const distinct = distinctIds(ids)
    try {
      return await changeTree(deps, viewer, async (change) => {
        await work(change, distinct)
        return requireFiles(change.tx, viewer, distinct)
      })
    } catch (error) {
      if (!(error instanceof InAccountError) || !action) throw error
      await changeMixed(deps, viewer, distinct, action)
      return requireFiles(pool, viewer, distinct)
    }
  }

  const runStep = createStepBatcher(deps)
  const get = createGroupedRead<File>(async (userId, ids) => {
    const files = await getFiles(pool, { userId }, ids)
    return new Map(files.flatMap((file) => (file ? [[file.id, file] as const] : [])))
  })
  const paths = createGroupedRead<File[]>((userId, ids) => pathsOf(pool, { userId }, ids))
  const copies = createGroupedRead<Copy[]>((userId, ids) => copiesOf(pool, { userId }, ids))

  /** Changes one entry, batched with other waiting changes of the same user. */
  async function changeOne(viewer: Viewer, step: Step): Promise<File> {
    const file = await runStep(viewer, step)
    if (!file) throw new NotFoundError()
    return file
  }

  /** Changes many entries in one transaction, all or none; a single one is batched with other waiting changes. */
  async function changeAll(
    viewer: Viewer,
    ids: readonly string[],
    action: EachAction,
    work: (change: Change, ids: readonly string[]) => Promise<void>,
  ): Promise<File[]> {
    const [id] = ids
    if (id === undefined || ids.length > 1) return changeFiles(viewer, ids, work, action)
    return [await changeOne(viewer, stepOf(id, action))]
  }

  async function removeMany(viewer: Viewer, ids: readonly string[]): Promise<void> {
    try {
      await changeTree(deps, viewer, (change) => purgeEntries(change, ids))
    } catch (error) {
      if (!(error instanceof InAccountError)) throw error
      await changeMixed(deps, viewer, ids, { kind: 'REMOVE' })
    }
  }

  return {
    async list(viewer, { path, ...options }) {
      const parentId = path === undefined ? options.parentId : await folderByPath(pool, viewer, path)
      const read = () => listFiles(pool, viewer, { ...options, parentId })
      const page = await (isHeavy(options) ? turns(viewer.userId, read) : read())
      const folder = openedFolder({ ...options, parentId }, page)
      if (folder) opened?.({ ...folder, userId: viewer.userId })
      return page
    },
    async get({ userId }, id) {
      const file = (await get(userId, [id])).get(id)
      if (!file) throw new NotFoundError()
      return file
    },
    async getMany({ userId }, ids) {
      const files = await get(userId, ids)
      return ids.map((id) => files.get(id) ?? null)
    },
    paths: ({ userId }, ids) => paths(userId, ids),
    copies: ({ userId }, ids) => copies(userId, ids),
    storedIn: (viewer, ids) => accountsHolding(pool, viewer, ids),
    contentSize: (viewer, id) => contentSize(pool, viewer, id),
    storageByType: (viewer) => storageByType(pool, viewer),
    countAtRisk: (viewer) => countAtRisk(pool, viewer),

    async createFolder(viewer, input, idempotencyKey) {
      if (idempotencyKey === undefined) {
        return changeOne(viewer, { ...input, kind: 'CREATE', id: newId(), name: validateName(input.name) })
      }
      try {
        return await changeTree(deps, viewer, async (change) =>
          requireFile(change.tx, viewer, await createFolder(change, input, idempotencyKey)),
        )
      } catch (error) {
        if (!(error instanceof InAccountError)) throw error
        const folder = { ...input, name: validateName(input.name) }
        const { id } = await changeTree(deps, viewer, (change) => claimFolderId(change, folder, idempotencyKey))
        const [earlier] = await getFiles(pool, viewer, [id])
        return earlier ?? changeOne(viewer, { ...folder, kind: 'CREATE', id })
      }
    },
    makeFolders: (viewer, parentId, names) => makeFolders(pool, viewer, parentId, names, changeOne),
    byPath: (viewer, names) => fileByPath(pool, viewer, names),
    rename: async (viewer, id, name, ifMatch) =>
      changeOne(viewer, { kind: 'RENAME', id, name: validateName(name), ifMatch }),
    async update(viewer, id, patch, ifMatch) {
      const steps = stepsOfPatch(id, patch, ifMatch)
      const [step] = steps
      if (step && steps.length === 1 && step.kind !== 'ASSIGN') return changeOne(viewer, step)
      try {
        return await changeTree(deps, viewer, async (change) => {
          await requireMatch(change, id, ifMatch)
          await updateEntry(change, id, patch)
          return requireFile(change.tx, viewer, id)
        })
      } catch (error) {
        if (!(error instanceof InAccountError)) throw error
        for (const each of steps) await changeOne(viewer, each)
        return requireFile(pool, viewer, id)
      }
    },
    move: (viewer, ids, parentId, onConflict = 'RENAME') => {
      const work = (change: Change, distinct: readonly string[]) => moveEntries(change, distinct, parentId, onConflict)
      const action = { kind: 'MOVE', parentId, onConflict } as const
      return onConflict === 'REPLACE' ? changeFiles(viewer, ids, work, action) : changeAll(viewer, ids, action, work)
    },
    star: (viewer, ids, starred) =>
      changeAll(viewer, ids, { kind: 'STAR', starred }, (change, distinct) => starEntries(change, distinct, starred)),
    moveToGroupCloud: (viewer, ids, groupCloudId) =>
      changeFiles(viewer, ids, (change, distinct) => assignGroupCloud(change, distinct, groupCloudId)),
    trash: (viewer, ids) => changeAll(viewer, ids, { kind: 'TRASH' }, trashEntries),
    restore: (viewer, ids) => changeAll(viewer, ids, { kind: 'RESTORE' }, restoreEntries),
    async remove(viewer, ids, ifMatch) {
      const [id] = ids
      if (id !== undefined && ids.length === 1) await runStep(viewer, { kind: 'REMOVE', id, ifMatch })
      else await removeMany(viewer, distinctIds(ids))
    },
    async discard(viewer, id, ifMatch) {
      await runStep(viewer, { kind: 'DISCARD', id, ifMatch })
    },
    emptyTrash: async (viewer) => (await emptyTrash(deps, viewer)) + (await emptyTrashInPlace(deps, viewer)),
    changeEach: (viewer, ids, action) => changeEach(deps, viewer, distinctIds(ids), action),
    changeSelection: (viewer, input) => changeSelection(deps, viewer, input),
    summarize: (viewer, which) => summarize(pool, viewer, which),
    bytesOf: (viewer, which) => bytesOf(pool, viewer, which),
    accountsOf: (viewer, which) => accountsOf(pool, viewer, which),
    monthsOf: (viewer, which) => monthsOf(pool, viewer, which),

    open: contents.open,
    async export(viewer, id, options = {}) {
      const { kind, name } = await requireFile(pool, viewer, id)
      if (kind === 'FOLDER') throw new ConflictError(`“${name}” is a folder. Please download it as a ZIP.`)
      return contents.export(viewer, id, options.type)
    },
    async archive(viewer, ids) {
      const files = await requireFiles(pool, viewer, distinctIds(ids))
      const list = (options: Parameters<FilesService['list']>[1]) => listFiles(pool, viewer, options)
      return createArchive({ list, open: (file) => readWhole(contents, viewer, file) }, files)
    },
  }
}
