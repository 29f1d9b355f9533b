import type { Action, ActivityEntry } from '../activity/contract.ts'
import type { EachAction, File, FilesService } from '../files/contract.ts'
import type { GroupCloudsService } from '../groupClouds/contract.ts'
import type { Viewer } from '../viewer.ts'

/** Writes down what a viewer has done. */
export type Say = (viewer: Viewer, entry: ActivityEntry) => void

/** The methods of a service that change something: all but those that are said to read only. */
export type Changes<Service, Reads extends keyof Service> = Omit<Service, Reads>

/** True once per text within ten minutes; of the last thousand texts. */
export function createOnce(now: () => number = Date.now): (text: string) => boolean {
  const seen = new Map<string, number>()
  return (text) => {
    const last = seen.get(text)
    if (last !== undefined && now() - last < TEN_MINUTES_MS) return false
    seen.delete(text)
    seen.set(text, now())
    const [oldest] = seen.keys()
    if (seen.size > REMEMBERED && oldest !== undefined) seen.delete(oldest)
    return true
  }
}

const TEN_MINUTES_MS = 600_000
const REMEMBERED = 1_000

type Reads =
  | 'list'
  | 'get'
  | 'getMany'
  | 'paths'
  | 'copies'
  | 'storedIn'
  | 'storageByType'
  | 'countAtRisk'
  | 'contentSize'
  | 'byPath'
  | 'summarize'
  | 'bytesOf'
  | 'accountsOf'
  // Says itself what it has made (copiedEntry): also when it could not make all of it.
  | 'copy'
  | 'keepVersion'

type Named = Pick<File, 'id' | 'name'>

/** Of what was done to thousands of files at once, search finds these by name. */
const MOST_NAMES = 100

/** One entry for all of them; `null` when nothing was done. */
function entryOf(action: Action, files: readonly Named[], more: Partial<ActivityEntry> = {}): ActivityEntry | null {
  const [first] = files
  if (!first) return null
  const names = files.slice(0, MOST_NAMES).map(({ name }) => name)
  const fileIds = files.map(({ id }) => id)
  return {
    action,
    subject: { type: 'File', id: first.id, name: first.name },
    fileIds,
    count: files.length,
    names,
    ...more,
  }
}

export function copiedEntry(copies: readonly Named[], intoFolderId: string | null): ActivityEntry | null {
  return entryOf('FILE_COPIED', copies, { intoFolderId })
}

/** The changes of the files service, written down. Names are taken before what they name is gone. */
export function recordFiles(
  files: FilesService,
  groupClouds: Pick<GroupCloudsService, 'getMany'>,
  sayEntry: Say,
): Changes<FilesService, Reads> {
  const once = createOnce()

  const say = (viewer: Viewer, entry: ActivityEntry | null): void => {
    if (entry) sayEntry(viewer, entry)
  }

  async function groupCloudName(viewer: Viewer, id: string): Promise<Readonly<Record<string, string>>> {
    const [found] = await groupClouds.getMany(viewer, [id]).catch(() => [])
    return found ? { groupCloud: found.name } : {}
  }

  async function sayUpdate(viewer: Viewer, before: File, file: File): Promise<void> {
    if (file.name !== before.name) say(viewer, renamed(before, file))
    if (file.parentId !== before.parentId) say(viewer, entryOf('FILE_MOVED', [file], { intoFolderId: file.parentId }))
    if (file.starred !== before.starred) say(viewer, entryOf(starring(file.starred), [file]))
    const wasTrashed = before.trashedAt !== null
    if ((file.trashedAt !== null) !== wasTrashed)
      say(viewer, entryOf(wasTrashed ? 'FILE_RESTORED' : 'FILE_TRASHED', [file]))
    if (file.groupCloudId === before.groupCloudId || file.groupCloudId === null) return
    const details = await groupCloudName(viewer, file.groupCloudId)
    say(viewer, entryOf('FILE_MOVED_TO_GROUP_CLOUD', [file], { details }))
  }

  async function sayEach(
    viewer: Viewer,
    action: EachAction,
    named: readonly Named[],
    all: Pick<ActivityEntry, 'fileIds' | 'count'>,
  ): Promise<void> {
    if (action.kind === 'MOVE') say(viewer, entryOf('FILE_MOVED', named, { ...all, intoFolderId: action.parentId }))
    else if (action.kind === 'STAR') say(viewer, entryOf(starring(action.starred), named, all))
    else if (action.kind === 'ASSIGN') {
      const details = await groupCloudName(viewer, action.groupCloudId)
      say(viewer, entryOf('FILE_MOVED_TO_GROUP_CLOUD', named, { ...all, details }))
    } else say(viewer, entryOf(EACH[action.kind], named, all))
  }

  /** Whole changes of many files, that answer with the files. */
  const saying =
    <Rest extends unknown[]>(
      change: (viewer: Viewer, ids: readonly string[], ...rest: Rest) => Promise<File[]>,
      describe: (...rest: Rest) => { readonly action: Action } & Partial<ActivityEntry>,
    ) =>
    async (viewer: Viewer, ids: readonly string[], ...rest: Rest): Promise<File[]> => {
      const changed = await change(viewer, ids, ...rest)
      const { action, ...more } = describe(...rest)
      say(viewer, entryOf(action, changed, more))
      return changed
    }

  return {
    async createFolder(viewer, input, idempotencyKey) {
      const folder = await files.createFolder(viewer, input, idempotencyKey)
      const isNew = idempotencyKey === undefined || once(folder.id)
      if (isNew) say(viewer, entryOf('FOLDER_CREATED', [folder], { intoFolderId: input.parentId }))
      return folder
    },
    async makeFolders(viewer, parentId, names) {
      const result = await files.makeFolders(viewer, parentId, names)
      for (const folder of result.made)
        say(viewer, entryOf('FOLDER_CREATED', [folder], { intoFolderId: folder.parentId }))
      return result
    },
    async rename(viewer, id, name, ifMatch) {
      const [before] = await files.getMany(viewer, [id])
      const file = await files.rename(viewer, id, name, ifMatch)
      if (before && file.name !== before.name) say(viewer, renamed(before, file))
      return file
    },
    async update(viewer, id, patch, ifMatch) {
      const [before] = await files.getMany(viewer, [id])
      const file = await files.update(viewer, id, patch, ifMatch)
      if (before) await sayUpdate(viewer, before, file)
      return file
    },
    move: saying(files.move, (parentId) => ({ action: 'FILE_MOVED', intoFolderId: parentId })),
    star: saying(files.star, (starred) => ({ action: starring(starred) })),
    trash: saying(files.trash, () => ({ action: 'FILE_TRASHED' })),
    restore: saying(files.restore, () => ({ action: 'FILE_RESTORED' })),
    async moveToGroupCloud(viewer, ids, groupCloudId) {
      const changed = await files.moveToGroupCloud(viewer, ids, groupCloudId)
      const details = await groupCloudName(viewer, groupCloudId)
      say(viewer, entryOf('FILE_MOVED_TO_GROUP_CLOUD', changed, { details }))
      return changed
    },
    async remove(viewer, ids, ifMatch) {
      const named = await present(files, viewer, ids)
      await files.remove(viewer, ids, ifMatch)
      say(viewer, entryOf('FILE_DELETED', named, together(ids)))
    },
    async discard(viewer, id, ifMatch) {
      const [before] = await files.getMany(viewer, [id])
      await files.discard(viewer, id, ifMatch)
      const [after] = await files.getMany(viewer, [id]).catch(() => [null])
      if (before) say(viewer, entryOf(after ? 'FILE_TRASHED' : 'FILE_DELETED', [before]))
    },
    async changeEach(viewer, ids, action) {
      // What is deleted permanently has no name afterwards.
      const before = action.kind === 'REMOVE' ? await present(files, viewer, ids) : []
      const outcomes = await files.changeEach(viewer, ids, action)
      const done = outcomes.filter(({ error }) => error === null)
      const doneIds = new Set(done.map(({ id }) => id))
      const named =
        action.kind === 'REMOVE' ? before.filter(({ id }) => doneIds.has(id)) : done.flatMap(({ file }) => file ?? [])
      await sayEach(viewer, action, named, together([...doneIds]))
      return outcomes
    },
    async changeSelection(viewer, input) {
      const result = await files.changeSelection(viewer, input)
      const { sample, changedCount } = result
      await sayEach(viewer, input.action, sample, { fileIds: sample.map(({ id }) => id), count: changedCount })
      return result
    },
    async emptyTrash(viewer) {
      const count = await files.emptyTrash(viewer)
      if (count > 0) say(viewer, { action: 'TRASH_EMPTIED', count })
      return count
    },
    /** A download in many ranges is one; what is only shown is none. */
    async open(viewer, id, options) {
      const content = await files.open(viewer, id, options)
      if (options?.toKeep && once(`${viewer.key?.id ?? viewer.sessionId} ${id}`)) {
        say(viewer, entryOf('FILE_DOWNLOADED', [content.file]))
      }
      return content
    },
    async archive(viewer, ids) {
      const archive = await files.archive(viewer, ids)
      say(viewer, entryOf('FILE_DOWNLOADED', await present(files, viewer, ids).catch(() => []), together(ids)))
      return archive
    },
  }
}

function renamed(before: Named, file: Named): ActivityEntry | null {
  return entryOf('FILE_RENAMED', [file], { details: { from: before.name, to: file.name } })
}

const EACH = { TRASH: 'FILE_TRASHED', RESTORE: 'FILE_RESTORED', REMOVE: 'FILE_DELETED' } as const

function starring(starred: boolean): Action {
  return starred ? 'FILE_STARRED' : 'FILE_UNSTARRED'
}

/** Of more than those whose names are written down. */
function together(ids: readonly string[]): Pick<ActivityEntry, 'fileIds' | 'count'> {
  const fileIds = [...new Set(ids)]
  return { fileIds, count: fileIds.length }
}

/** Those whose names are written down. */
async function present(files: FilesService, viewer: Viewer, ids: readonly string[]): Promise<File[]> {
  const found = await files.getMany(viewer, [...new Set(ids)].slice(0, MOST_NAMES))
  return found.filter((file) => file !== null)
}
