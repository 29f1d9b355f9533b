import { FolderCycleError, InvalidInputError, NameTakenError, NotFoundError } from '../../domain/errors.ts'
import type { EachAction } from '../../domain/files/contract.ts'
import { builder } from '../builder.ts'
import { FileFailure } from '../changeMany.ts'
import { requireViewer } from '../context.ts'
import { databaseIdOf, globalIdOf, optionalIdOf } from '../ids.ts'
import { OnConflict } from '../types/enums.ts'
import { FileSelection, selectionOf } from '../types/FilesSummary.ts'

const FilesAction = builder.enumType('FilesAction', {
  description: 'What to do with every entry of a selection.',
  values: {
    TRASH: { description: 'Put it into the trash.' },
    RESTORE: { description: 'Take it out of the trash.' },
    DELETE: { description: 'Delete it permanently.' },
    MOVE: { description: 'Move it into the folder `parentId`; null is the root.' },
    STAR: { description: 'Give it a star.' },
    UNSTAR: { description: 'Take its star away.' },
    MOVE_TO_GROUP_CLOUD: { description: 'Let it belong to `groupCloudId`.' },
  } as const,
})

type Input = {
  readonly action: typeof FilesAction.$inferType
  readonly parentId?: string | null | undefined
  readonly groupCloudId?: string | null | undefined
  readonly onConflict?: typeof OnConflict.$inferType | null | undefined
}

/** @throws InvalidInputError, NotFoundError */
function actionOf({ action, parentId, groupCloudId, onConflict }: Input): EachAction {
  if (action === 'DELETE') return { kind: 'REMOVE' }
  if (action === 'STAR' || action === 'UNSTAR') return { kind: 'STAR', starred: action === 'STAR' }
  if (action === 'MOVE') {
    return { kind: 'MOVE', parentId: optionalIdOf('File', parentId) ?? null, onConflict: onConflict ?? undefined }
  }
  if (action !== 'MOVE_TO_GROUP_CLOUD') return { kind: action }
  if (groupCloudId == null) {
    throw new InvalidInputError([{ path: 'groupCloudId', message: 'Please say which group cloud.' }])
  }
  return { kind: 'ASSIGN', groupCloudId: databaseIdOf('GroupCloud', groupCloudId) }
}

builder.relayMutationField(
  'changeFiles',
  {
    description:
      'Changes everything that a list shows, up to 5,000 entries per call: repeat it with `next` as `after` until `next` is null. Each entry by itself: one that cannot be changed does not stop the others.',
    inputFields: (t) => ({
      selection: t.field({
        type: FileSelection,
        required: true,
        description: 'Which; with `asOf`, what was counted then.',
      }),
      action: t.field({ type: FilesAction, required: true, description: 'What to do.' }),
      parentId: t.id({ description: 'MOVE: the folder; null is the root.' }),
      onConflict: t.field({ type: OnConflict, description: 'MOVE: when a name is taken. Default: RENAME.' }),
      groupCloudId: t.id({ description: 'MOVE_TO_GROUP_CLOUD: which.' }),
      after: t.string({ description: '`next` of the call before.' }),
    }),
  },
  {
    description: 'Changes everything that a list shows, a part per call.',
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError, FolderCycleError] },
    resolve: (_root, { input }, context) =>
      context.services.files.changeSelection(requireViewer(context), {
        list: selectionOf(input.selection),
        action: actionOf(input),
        after: input.after ?? undefined,
      }),
  },
  {
    outputFields: (t) => ({
      changedCount: t.exposeInt('changedCount', { description: 'How many were changed.' }),
      failedCount: t.exposeInt('failedCount', { description: 'How many could not be changed.' }),
      failures: t.field({
        type: [FileFailure],
        description: 'The first 100 of those that could not be changed.',
        resolve: ({ failures }) =>
          failures.map(({ file, error }) => ({ id: globalIdOf('File', file.id), name: file.name, error })),
      }),
      next: t.exposeString('next', { nullable: true, description: 'Set while there is more.' }),
      from: t.expose('from', { type: 'DateTime', description: 'When this call began.' }),
      until: t.expose('until', {
        type: 'DateTime',
        description: 'When it ended. What it put into the trash is what went there from `from` until then.',
      }),
    }),
  },
)
