import {
  ConflictError,
  type DomainError,
  FolderCycleError,
  InvalidInputError,
  NameTakenError,
  NotFoundError,
} from '../../domain/errors.ts'
import type { FileJob, TransportKind } from '../../domain/fileJobs/contract.ts'
import type { File as DomainFile, OnConflict as DomainOnConflict, EachAction } from '../../domain/files/contract.ts'
import { parsePublicId } from '../../lib/ids.ts'
import { builder } from '../builder.ts'
import { type Context, requireViewer } from '../context.ts'
import { databaseIdOf, databaseIdsOf, globalIdOf, optionalIdOf } from '../ids.ts'
import { MAX_IDS } from '../limits.ts'
import { File, OnConflict } from '../types/File.ts'
import { FileSelection, selectionOf } from '../types/FilesSummary.ts'
import { Job } from '../types/Job.ts'

builder.relayMutationField(
  'trashFiles',
  { inputFields: (t) => ({ ids: t.idList({ required: true }) }) },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: (_root, { input: { ids } }, context) => changeMany(context, ids, { kind: 'TRASH' }),
  },
  {
    outputFields: (t) => ({
      files: t.expose('files', { type: [File], description: 'The changed entries.' }),
      failures: t.expose('failures', { type: [FileFailure], description: FAILURES }),
    }),
  },
)

builder.relayMutationField(
  'restoreFiles',
  {
    description:
      'Restores entries to their old folder, or to the nearest one that still exists; a name that is taken now gets a number.',
    inputFields: (t) => ({ ids: t.idList({ required: true }) }),
  },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: (_root, { input: { ids } }, context) => changeMany(context, ids, { kind: 'RESTORE' }),
  },
  {
    outputFields: (t) => ({
      files: t.expose('files', { type: [File], description: 'The changed entries.' }),
      failures: t.expose('failures', { type: [FileFailure], description: FAILURES }),
    }),
  },
)

builder.relayMutationField(
  'starFiles',
  { inputFields: (t) => ({ ids: t.idList({ required: true }), starred: t.boolean({ required: true }) }) },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: (_root, { input: { ids, starred } }, context) => changeMany(context, ids, { kind: 'STAR', starred }),
  },
  {
    outputFields: (t) => ({
      files: t.expose('files', { type: [File], description: 'The changed entries.' }),
      failures: t.expose('failures', { type: [FileFailure], description: FAILURES }),
    }),
  },
)

builder.relayMutationField(
  'moveFiles',
  {
    description:
      'A name that is taken in the target gets a number unless `onConflict` says otherwise. Each entry succeeds or fails separately. Between accounts and group clouds the content is moved in the background: then there is a `job`.',
    inputFields: (t) => ({
      ids: t.idList({ required: true }),
      parentId: t.id({ description: 'The target folder, which can be in an account; the root by default.' }),
      groupCloudId: t.id({
        description:
          'Group cloud of the files at the target. Default: that of each file; for files from an account, the default one.',
      }),
      onConflict: t.field({ type: OnConflict }),
    }),
  },
  {
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError, FolderCycleError, ConflictError] },
    resolve: async (_root, { input: { ids, parentId, groupCloudId, onConflict } }, context) => {
      const rule = onConflict ?? undefined
      const job = await startJob(context, 'MOVE', { ids, parentId, groupCloudId, onConflict: rule })
      if (job) return { files: [], failures: [], doneIds: [], job }
      const changed = await changeMany(context, ids, {
        kind: 'MOVE',
        parentId: optionalIdOf('File', parentId) ?? null,
        onConflict: rule,
        groupCloudId: optionalIdOf('GroupCloud', groupCloudId),
      })
      return { ...changed, job: null }
    },
  },
  {
    outputFields: (t) => ({
      files: t.expose('files', { type: [File], description: 'The changed entries.' }),
      failures: t.expose('failures', { type: [FileFailure], description: FAILURES }),
      job: t.expose('job', { type: Job, nullable: true, description: JOB }),
    }),
  },
)

builder.relayMutationField(
  'deleteFiles',
  { inputFields: (t) => ({ ids: t.idList({ required: true }) }) },
  {
    errors: { types: [NotFoundError, InvalidInputError] },
    resolve: (_root, { input: { ids } }, context) => changeMany(context, ids, { kind: 'REMOVE' }),
  },
  {
    outputFields: (t) => ({
      deletedIds: t.idList({ description: 'The deleted entries.', resolve: ({ doneIds }) => doneIds }),
      failures: t.expose('failures', { type: [FileFailure], description: FAILURES }),
    }),
  },
)

type Failure = { readonly id: string; readonly name: string | null; readonly error: DomainError }

export const FileFailure = builder.objectRef<Failure>('FileFailure').implement({
  description: 'An entry that could not be changed and is as it was.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'As in the request.' }),
    name: t.exposeString('name', { nullable: true, description: 'Null when the request named the entry by id.' }),
    code: t.string({
      description: 'Machine-readable reason; docs/api.md lists the codes.',
      resolve: ({ error }) => error.code,
    }),
    message: t.string({ description: 'Human-readable reason.', resolve: ({ error }) => error.message }),
  }),
})

export const JOB =
  'Set when content has to be stored in another place, because entries or the target are in an account. It continues in the background.'

export const FAILURES =
  'Entries that could not be changed; the others are changed. If all of them fail, the mutation returns an error.'

type AskedJob = {
  readonly ids: readonly string[]
  readonly parentId?: string | null | undefined
  readonly groupCloudId?: string | null | undefined
  readonly onConflict?: DomainOnConflict | undefined
}

/** Starts a job if one is needed; otherwise null. All of what is copied must exist, of the rest those that do not are left out. */
export async function startJob(
  context: Context,
  kind: TransportKind,
  { ids, parentId, groupCloudId, onConflict }: AskedJob,
): Promise<FileJob | null> {
  const viewer = requireViewer(context)
  const { fileJobs } = context.services
  const databaseIds = ids.flatMap((id) => {
    const parsed = parsePublicId(id)
    return parsed?.type === 'File' ? [parsed.id] : []
  })
  const asked = { kind, ids: databaseIds, parentId: optionalIdOf('File', parentId) ?? null }
  if ((kind === 'COPY' && databaseIds.length < ids.length) || !(await fileJobs.isNeeded(viewer, asked))) return null
  const input = { ...asked, groupCloudId: optionalIdOf('GroupCloud', groupCloudId), onConflict }
  return fileJobs.start(viewer, input, context.idempotencyKey)
}

type ChangedMany = { readonly files: DomainFile[]; readonly doneIds: string[]; readonly failures: Failure[] }

/** Each entry succeeds or fails separately. @throws InvalidInputError, and the first entry's error when all of them fail */
export async function changeMany(
  context: Context,
  globalIds: readonly string[],
  action: EachAction,
): Promise<ChangedMany> {
  const viewer = requireViewer(context)
  if (globalIds.length > MAX_IDS) {
    throw new InvalidInputError([{ path: 'ids', message: `At most ${MAX_IDS} items can be changed at once.` }])
  }
  const requested = [...new Set(globalIds)]
  const byDatabaseId = new Map<string, string>()
  const failures: Failure[] = []
  for (const id of requested) {
    const parsed = parsePublicId(id)
    if (parsed?.type === 'File') byDatabaseId.set(parsed.id, id)
    else failures.push({ id, name: null, error: new NotFoundError() })
  }
  const outcomes = await context.services.files.changeEach(viewer, [...byDatabaseId.keys()], action)
  const files: DomainFile[] = []
  const doneIds: string[] = []
  for (const { id: databaseId, file, error } of outcomes) {
    const id = byDatabaseId.get(databaseId) ?? databaseId
    if (error) failures.push({ id, name: null, error })
    else doneIds.push(id)
    if (file) files.push(file)
  }
  const [first] = failures
  if (first && doneIds.length === 0) throw first.error
  return { files, doneIds, failures }
}

builder.relayMutationField(
  'emptyTrash',
  { inputFields: () => ({}) },
  {
    resolve: async (_root, _args, context) => ({
      deletedCount: await context.services.files.emptyTrash(requireViewer(context), context.idempotencyKey),
    }),
  },
  { outputFields: (t) => ({ deletedCount: t.exposeInt('deletedCount') }) },
)

builder.relayMutationField(
  'moveFilesToGroupCloud',
  {
    description:
      'Moves files, and all files below folders, to another group cloud. Their content is transferred in the background and stays available. Either all entries are moved or none.',
    inputFields: (t) => ({ ids: t.idList({ required: true }), groupCloudId: t.id({ required: true }) }),
  },
  {
    errors: { types: [InvalidInputError, NotFoundError] },
    resolve: async (_root, { input: { ids, groupCloudId } }, context) => {
      const viewer = requireViewer(context)
      const target = databaseIdOf('GroupCloud', groupCloudId)
      const moved = databaseIdsOf('File', ids)
      return { files: await context.services.files.moveToGroupCloud(viewer, moved, target) }
    },
  },
  { outputFields: (t) => ({ files: t.expose('files', { type: [File] }) }) },
)

const FilesAction = builder.enumType('FilesAction', {
  description: 'An action for all entries of a selection.',
  values: {
    TRASH: { description: 'Move to the trash.' },
    RESTORE: { description: 'Restore from the trash.' },
    DELETE: { description: 'Delete permanently.' },
    MOVE: { description: 'Move into the folder `parentId`; null is the root.' },
    STAR: { description: 'Add a star.' },
    UNSTAR: { description: 'Remove the star.' },
    TAG: { description: 'Put on the tag `tagId`.' },
    UNTAG: { description: 'Take off the tag `tagId`.' },
    MOVE_TO_GROUP_CLOUD: { description: 'Move to the group cloud `groupCloudId`.' },
  } as const,
})

type Input = {
  readonly action: typeof FilesAction.$inferType
  readonly parentId?: string | null | undefined
  readonly groupCloudId?: string | null | undefined
  readonly tagId?: string | null | undefined
  readonly onConflict?: typeof OnConflict.$inferType | null | undefined
}

/** @throws InvalidInputError, NotFoundError */
function actionOf({ action, parentId, groupCloudId, tagId, onConflict }: Input): EachAction {
  if (action === 'DELETE') return { kind: 'REMOVE' }
  if (action === 'STAR' || action === 'UNSTAR') return { kind: 'STAR', starred: action === 'STAR' }
  if (action === 'MOVE') {
    return { kind: 'MOVE', parentId: optionalIdOf('File', parentId) ?? null, onConflict: onConflict ?? undefined }
  }
  if (action === 'TAG' || action === 'UNTAG') return tagging(action, tagId)
  if (action !== 'MOVE_TO_GROUP_CLOUD') return { kind: action }
  if (groupCloudId == null) {
    throw new InvalidInputError([{ path: 'groupCloudId', message: 'Please choose a group cloud.' }])
  }
  return { kind: 'ASSIGN', groupCloudId: databaseIdOf('GroupCloud', groupCloudId) }
}

/** @throws InvalidInputError, NotFoundError */
function tagging(action: 'TAG' | 'UNTAG', tagId: string | null | undefined): EachAction {
  if (tagId == null) throw new InvalidInputError([{ path: 'tagId', message: 'Please choose a tag.' }])
  const ids = [databaseIdOf('Tag', tagId)]
  return { kind: 'TAG', addIds: action === 'TAG' ? ids : [], removeIds: action === 'TAG' ? [] : ids }
}

builder.relayMutationField(
  'changeFiles',
  {
    description:
      'Changes all entries of a list, up to 5,000 per call: repeat it with `next` as `after` until `next` is null. Each entry succeeds or fails separately.',
    inputFields: (t) => ({
      selection: t.field({
        type: FileSelection,
        required: true,
        description: 'The entries; with `asOf`, those that were counted then.',
      }),
      action: t.field({ type: FilesAction, required: true, description: 'The action.' }),
      parentId: t.id({ description: 'For MOVE: the target folder; null is the root.' }),
      onConflict: t.field({
        type: OnConflict,
        description: 'For MOVE: what to do when a name is taken. Default: RENAME.',
      }),
      groupCloudId: t.id({ description: 'For MOVE_TO_GROUP_CLOUD: the target.' }),
      tagId: t.id({ description: 'For TAG and UNTAG: the tag.' }),
      after: t.string({ description: '`next` of the previous call.' }),
    }),
  },
  {
    description: 'Changes all entries of a list, a batch per call.',
    errors: { types: [InvalidInputError, NotFoundError, NameTakenError, FolderCycleError] },
    resolve: (_root, { input }, context) => {
      const selection = selectionOf(input.selection)
      const asked = { list: selection, action: actionOf(input), after: input.after ?? undefined }
      return context.services.files.changeSelection(requireViewer(context), asked, context.idempotencyKey)
    },
  },
  {
    outputFields: (t) => ({
      changedCount: t.exposeInt('changedCount', { description: 'Number of changed entries.' }),
      failedCount: t.exposeInt('failedCount', { description: 'Number of entries that could not be changed.' }),
      failures: t.field({
        type: [FileFailure],
        description: 'The first 100 entries that could not be changed.',
        resolve: ({ failures }) =>
          failures.map(({ file, error }) => ({ id: globalIdOf('File', file.id), name: file.name, error })),
      }),
      next: t.exposeString('next', { nullable: true, description: 'Set while there are more entries.' }),
      from: t.expose('from', {
        type: 'DateTime',
        description: 'Start time of this call; of the first one with its Idempotency-Key.',
      }),
      until: t.expose('until', {
        type: 'DateTime',
        description: 'End time. The entries that it trashed are those trashed between `from` and `until`.',
      }),
    }),
  },
)
