import type { Action, ActivityEntry } from '../activity/contract.ts'
import type { EachAction, File, FilesService } from '../files/contract.ts'
import type { GroupCloudsService } from '../groupClouds/contract.ts'
import type { TagsService } from '../tags/service.ts'
import type { Viewer } from '../viewer.ts'

/** Records an action of a viewer. */
export type RecordEntry = (viewer: Viewer, entry: ActivityEntry) => void

/** The methods of a service that change something: all except those listed as reads. */
export type Changes<Service, Reads extends keyof Service> = Omit<Service, Reads>

/** Returns true once per text within ten minutes; only the last thousand texts are kept. */
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
  | 'pathsTo'
  | 'copies'
  | 'storedIn'
  | 'storageByType'
  | 'countAtRisk'
  | 'contentSize'
  | 'byPath'
  | 'summarize'
  | 'bytesOf'
  | 'accountsOf'
  | 'monthsOf'
  // Records its own entry (copiedEntry), because it must be recorded also if only some files were copied.
  | 'copy'
  | 'keepVersion'

type Named = Pick<File, 'id' | 'name'>

/** Names in an entry that covers many files: search finds it by these. */
const MOST_NAMES = 100

/** One entry for all files; `null` when there are none. */
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

const JOB_ACTIONS = {
  COPY: 'FILE_COPIED',
  MOVE: 'FILE_MOVED',
  TRASH: 'FILE_TRASHED',
  RESTORE: 'FILE_RESTORED',
  DELETE: 'FILE_DELETED',
} as const satisfies Record<string, Action>

/** For a job that has ended. */
export function jobEntry(
  kind: keyof typeof JOB_ACTIONS,
  files: readonly Named[],
  intoFolderId: string | null,
): ActivityEntry | null {
  const hasTarget = kind === 'COPY' || kind === 'MOVE'
  return entryOf(JOB_ACTIONS[kind], files, hasTarget ? { intoFolderId } : {})
}

/** Services that know the names of group clouds and tags, which entries mention. */
type NamedServices = {
  readonly groupClouds: Pick<GroupCloudsService, 'getMany'>
  readonly tags: Pick<TagsService, 'getMany'>
}

/** The changes of the files service, with recording. Names are read before a change that deletes them. */
export function recordFiles(
  files: FilesService,
  named: NamedServices,
  recordEntry: RecordEntry,
): Changes<FilesService, Reads> {
  const once = createOnce()

  const { record, recordGroupCloud, recordUpdate, recordEach } = createFileRecorder(named, recordEntry)

  /** Wraps a change of many files that returns the files. */
  const recorded =
    <Rest extends unknown[]>(
      change: (viewer: Viewer, ids: readonly string[], ...rest: Rest) => Promise<File[]>,
      describe: (...rest: Rest) => { readonly action: Action } & Partial<ActivityEntry>,
    ) =>
    async (viewer: Viewer, ids: readonly string[], ...rest: Rest): Promise<File[]> => {
      const changed = await change(viewer, ids, ...rest)
      const { action, ...more } = describe(...rest)
      record(viewer, entryOf(action, changed, more))
      return changed
    }

  return {
    async createFolder(viewer, input, idempotencyKey) {
      const folder = await files.createFolder(viewer, input, idempotencyKey)
      const isNew = idempotencyKey === undefined || once(folder.id)
      if (isNew) record(viewer, entryOf('FOLDER_CREATED', [folder], { intoFolderId: input.parentId }))
      return folder
    },
    async makeFolders(viewer, parentId, names) {
      const result = await files.makeFolders(viewer, parentId, names)
      for (const folder of result.made)
        record(viewer, entryOf('FOLDER_CREATED', [folder], { intoFolderId: folder.parentId }))
      return result
    },
    async rename(viewer, id, name, ifMatch) {
      const [before] = await files.getMany(viewer, [id])
      const file = await files.rename(viewer, id, name, ifMatch)
      if (before && file.name !== before.name) record(viewer, renamed(before, file))
      return file
    },
    async update(viewer, id, patch, ifMatch) {
      const [before] = await files.getMany(viewer, [id])
      const file = await files.update(viewer, id, patch, ifMatch)
      if (before) await recordUpdate(viewer, before, file)
      return file
    },
    move: recorded(files.move, (parentId) => ({ action: 'FILE_MOVED', intoFolderId: parentId })),
    star: recorded(files.star, (starred) => ({ action: starring(starred) })),
    trash: recorded(files.trash, () => ({ action: 'FILE_TRASHED' })),
    restore: recorded(files.restore, () => ({ action: 'FILE_RESTORED' })),
    async moveToGroupCloud(viewer, ids, groupCloudId) {
      const changed = await files.moveToGroupCloud(viewer, ids, groupCloudId)
      await recordGroupCloud(viewer, changed, groupCloudId)
      return changed
    },
    async remove(viewer, ids, ifMatch) {
      const named = await present(files, viewer, ids)
      await files.remove(viewer, ids, ifMatch)
      record(viewer, entryOf('FILE_DELETED', named, together(ids)))
    },
    async discard(viewer, id, ifMatch) {
      const [before] = await files.getMany(viewer, [id])
      await files.discard(viewer, id, ifMatch)
      const [after] = await files.getMany(viewer, [id]).catch(() => [null])
      if (before) record(viewer, entryOf(after ? 'FILE_TRASHED' : 'FILE_DELETED', [before]))
    },
    async changeEach(viewer, ids, action) {
      // Names of permanently deleted files cannot be read afterwards.
      const before = action.kind === 'REMOVE' ? await present(files, viewer, ids) : []
      const outcomes = await files.changeEach(viewer, ids, action)
      const done = outcomes.filter(({ error }) => error === null)
      const doneIds = new Set(done.map(({ id }) => id))
      const named =
        action.kind === 'REMOVE' ? before.filter(({ id }) => doneIds.has(id)) : done.flatMap(({ file }) => file ?? [])
      await recordEach(viewer, action, named, together([...doneIds]))
      return outcomes
    },
    async changeSelection(viewer, input, idempotencyKey) {
      const result = await files.changeSelection(viewer, input, idempotencyKey)
      const { sample, changedCount } = result
      const all = { fileIds: sample.map(({ id }) => id), count: changedCount }
      if (changedCount > 0) await recordEach(viewer, input.action, sample, all)
      return result
    },
    async emptyTrash(viewer, idempotencyKey) {
      const count = await files.emptyTrash(viewer, idempotencyKey)
      if (count > 0) record(viewer, { action: 'TRASH_EMPTIED', count })
      return count
    },
    /** A download in many ranges is recorded once; displaying a file is not recorded. */
    async open(viewer, id, options) {
      const content = await files.open(viewer, id, options)
      if (options?.toKeep && once(`${viewer.key?.id ?? viewer.sessionId} ${id}`)) {
        record(viewer, entryOf('FILE_DOWNLOADED', [content.file]))
      }
      return content
    },
    async export(viewer, id, options) {
      const document = await files.export(viewer, id, options)
      return {
        ...document,
        async read() {
          const body = await document.read()
          if (options?.toKeep && once(`${viewer.key?.id ?? viewer.sessionId} ${id}`)) {
            record(viewer, entryOf('FILE_DOWNLOADED', [document.file]))
          }
          return body
        },
      }
    },
    /** Browsers ask first whether it can be downloaded. */
    async archive(viewer, ids) {
      const archive = await files.archive(viewer, ids)
      if (!once(`${viewer.key?.id ?? viewer.sessionId} ${ids.join()}`)) return archive
      record(viewer, entryOf('FILE_DOWNLOADED', await present(files, viewer, ids).catch(() => []), together(ids)))
      return archive
    },
  }
}

/** Entries that several methods record. */
function createFileRecorder({ groupClouds, tags }: NamedServices, recordEntry: RecordEntry) {
  const record = (viewer: Viewer, entry: ActivityEntry | null): void => {
    if (entry) recordEntry(viewer, entry)
  }

  async function recordGroupCloud(
    viewer: Viewer,
    moved: readonly Named[],
    groupCloudId: string,
    more: Partial<ActivityEntry> = {},
  ): Promise<void> {
    const [found] = await groupClouds.getMany(viewer, [groupCloudId]).catch(() => [])
    const details: Readonly<Record<string, string>> = found ? { groupCloud: found.name } : {}
    record(viewer, entryOf('FILE_MOVED_TO_GROUP_CLOUD', moved, { ...more, details }))
  }

  async function recordTags(
    viewer: Viewer,
    action: Action,
    tagIds: readonly string[],
    named: readonly Named[],
    all: Pick<ActivityEntry, 'fileIds' | 'count'>,
  ): Promise<void> {
    if (tagIds.length === 0) return
    const found = await tags.getMany(viewer, tagIds).catch(() => [])
    const names = found.flatMap((tag) => tag?.name ?? []).join(', ')
    const details: Readonly<Record<string, string>> = names === '' ? {} : { tags: names }
    record(viewer, entryOf(action, named, { ...all, details }))
  }

  async function recordUpdate(viewer: Viewer, before: File, file: File): Promise<void> {
    if (file.name !== before.name) record(viewer, renamed(before, file))
    if (file.parentId !== before.parentId)
      record(viewer, entryOf('FILE_MOVED', [file], { intoFolderId: file.parentId }))
    if (file.starred !== before.starred) record(viewer, entryOf(starring(file.starred), [file]))
    const wasTrashed = before.trashedAt !== null
    if ((file.trashedAt !== null) !== wasTrashed)
      record(viewer, entryOf(wasTrashed ? 'FILE_RESTORED' : 'FILE_TRASHED', [file]))
    if (file.groupCloudId === before.groupCloudId || file.groupCloudId === null) return
    await recordGroupCloud(viewer, [file], file.groupCloudId)
  }

  async function recordEach(
    viewer: Viewer,
    action: EachAction,
    named: readonly Named[],
    all: Pick<ActivityEntry, 'fileIds' | 'count'>,
  ): Promise<void> {
    if (action.kind === 'MOVE') {
      record(viewer, entryOf('FILE_MOVED', named, { ...all, intoFolderId: action.parentId }))
      if (action.groupCloudId !== undefined) await recordGroupCloud(viewer, named, action.groupCloudId, all)
    } else if (action.kind === 'STAR') record(viewer, entryOf(starring(action.starred), named, all))
    else if (action.kind === 'TAG') {
      await recordTags(viewer, 'FILE_TAGGED', action.addIds, named, all)
      await recordTags(viewer, 'FILE_UNTAGGED', action.removeIds, named, all)
    } else if (action.kind === 'ASSIGN') {
      await recordGroupCloud(viewer, named, action.groupCloudId, all)
    } else record(viewer, entryOf(EACH[action.kind], named, all))
  }

  return { record, recordGroupCloud, recordUpdate, recordEach }
}

function renamed(before: Named, file: Named): ActivityEntry | null {
  return entryOf('FILE_RENAMED', [file], { details: { from: before.name, to: file.name } })
}

const EACH = {
  TRASH: 'FILE_TRASHED',
  RESTORE: 'FILE_RESTORED',
  REMOVE: 'FILE_DELETED',
  COLOR: 'FOLDER_COLORED',
} as const

function starring(starred: boolean): Action {
  return starred ? 'FILE_STARRED' : 'FILE_UNSTARRED'
}

/** Covers more files than those with a name in the entry. */
function together(ids: readonly string[]): Pick<ActivityEntry, 'fileIds' | 'count'> {
  const fileIds = [...new Set(ids)]
  return { fileIds, count: fileIds.length }
}

/** The files with a name in the entry. */
async function present(files: FilesService, viewer: Viewer, ids: readonly string[]): Promise<File[]> {
  const found = await files.getMany(viewer, [...new Set(ids)].slice(0, MOST_NAMES))
  return found.filter((file) => file !== null)
}
