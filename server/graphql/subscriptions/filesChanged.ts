import type { FilesChanged } from '../../domain/events.ts'
import type { File as DomainFile } from '../../domain/files/contract.ts'
import { builder } from '../builder.ts'
import { type Context, requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { File } from '../types/File.ts'
import { coalesce, liveEvents } from './live.ts'

const WINDOW_MS = 100
const MAX_FILES = 100

type Change = {
  readonly files: readonly DomainFile[]
  readonly removedIds: readonly string[]
  readonly parentIds: readonly (string | null)[]
  readonly truncated: boolean
}

export const FilesChangedEvent = builder.objectRef<Change>('FilesChangedEvent').implement({
  description: "Changes of the viewer's files within a short time.",
  fields: (t) => ({
    files: t.field({
      type: [File],
      description:
        'New or changed entries in their current state (at most 100; `truncated` is true when there were more).',
      resolve: ({ files }) => [...files],
    }),
    removedIds: t.idList({
      description: 'Entries that were deleted permanently or are no longer visible to the viewer.',
      resolve: ({ removedIds }) => removedIds.map((id) => globalIdOf('File', id)),
    }),
    parentIds: t.idList({
      nullable: { list: false, items: true },
      description: 'Folders whose listing changed; null is the root.',
      resolve: ({ parentIds }) => parentIds.map((id) => id && globalIdOf('File', id)),
    }),
    truncated: t.exposeBoolean('truncated'),
  }),
})

builder.subscriptionField('filesChanged', (t) =>
  t.field({
    type: FilesChangedEvent,
    subscribe: async (_root, _args, context) =>
      coalesce(await liveEvents(context, 'filesChanged'), WINDOW_MS, mergeFilesChanged),
    resolve: (event, _args, context) => readAgain(event, context),
  }),
)

export function mergeFilesChanged(older: FilesChanged, newer: FilesChanged): FilesChanged {
  return {
    fileIds: union(older.fileIds, newer.fileIds),
    removedIds: union(older.removedIds, newer.removedIds),
    parentIds: union(older.parentIds, newer.parentIds),
    truncated: older.truncated || newer.truncated,
  }
}

function union<Id>(left: readonly Id[], right: readonly Id[]): Id[] {
  return [...new Set([...left, ...right])]
}

/** Rereads the entries with access checks: those no longer visible to the viewer count as removed. */
export async function readAgain(event: FilesChanged, context: Context): Promise<Change> {
  const ids = event.fileIds.slice(0, MAX_FILES)
  const files = ids.length > 0 ? await context.services.files.getMany(requireViewer(context), ids) : []
  return {
    files: files.filter((file) => file !== null),
    removedIds: union(
      event.removedIds,
      ids.filter((_id, index) => files[index] === null),
    ),
    parentIds: event.parentIds,
    truncated: event.truncated || event.fileIds.length > MAX_FILES,
  }
}
