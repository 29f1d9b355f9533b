import type { FilesChanged } from '../../domain/events.ts'
import type { File as DomainFile } from '../../domain/files/contract.ts'
import { builder } from '../builder.ts'
import { type Context, requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { File } from '../types/File.ts'
import { coalesce } from './coalesce.ts'
import { liveEvents } from './live.ts'

const WINDOW_MS = 100
const MAX_FILES = 100

type Change = {
  readonly files: readonly DomainFile[]
  readonly removedIds: readonly string[]
  readonly parentIds: readonly (string | null)[]
  readonly truncated: boolean
}

export const FilesChangedEvent = builder.objectRef<Change>('FilesChangedEvent').implement({
  description: "Changes of the viewer's files, gathered over a short while.",
  fields: (t) => ({
    files: t.field({
      type: [File],
      description:
        'Entries that are new or changed, as they are now (at most 100; `truncated` says when there were more).',
      resolve: ({ files }) => [...files],
    }),
    removedIds: t.idList({
      description: "Entries that are gone for good or out of the viewer's sight.",
      resolve: ({ removedIds }) => removedIds.map((id) => globalIdOf('File', id)),
    }),
    parentIds: t.idList({
      nullable: { list: false, items: true },
      description: 'Folders whose listing changed; null stands for the root.',
      resolve: ({ parentIds }) => parentIds.map((id) => id && globalIdOf('File', id)),
    }),
    truncated: t.exposeBoolean('truncated'),
  }),
})

builder.subscriptionField('filesChanged', (t) =>
  t.field({
    type: FilesChangedEvent,
    subscribe: (_root, _args, context) => coalesce(liveEvents(context, 'filesChanged'), WINDOW_MS, mergeFilesChanged),
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

/** The entries as they are by now, through the policy: what the viewer cannot see any more counts as removed. */
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
