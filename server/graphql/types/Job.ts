import { InvalidInputError } from '../../domain/errors.ts'
import {
  FILE_JOB_ITEM_STATES,
  FILE_JOB_KINDS,
  FILE_JOB_STATES,
  type FileJob,
  type FileJobPreview,
  type FileJobProblem,
} from '../../domain/fileJobs/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { databaseIdsOf, globalIdOf, optionalIdOf } from '../ids.ts'
import { Account } from './Account.ts'
import { File } from './File.ts'

const JobKind = builder.enumType('JobKind', { values: FILE_JOB_KINDS })
const JobState = builder.enumType('JobState', { values: FILE_JOB_STATES })
const JobItemState = builder.enumType('JobItemState', { values: FILE_JOB_ITEM_STATES })
const FileKind = builder.enumType('JobItemKind', { values: ['FILE', 'FOLDER'] as const })

const JobItem = builder.objectRef<FileJobProblem>('JobItem').implement({
  description: 'A file or folder of a job.',
  fields: (t) => ({
    name: t.exposeString('name'),
    kind: t.expose('kind', { type: FileKind }),
    state: t.expose('state', { type: JobItemState }),
    detail: t.exposeString('detail', { description: 'Message: why it failed, waits, or stays where it is.' }),
  }),
})

export const Job = builder.objectRef<FileJob>('Job').implement({
  description: 'Copying, moving or changing many files, in the background.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('Job', id) }),
    kind: t.expose('kind', { type: JobKind }),
    state: t.expose('state', { type: JobState }),
    name: t.exposeString('name', { description: 'The name of the first entry.' }),
    folder: t.field({
      type: File,
      nullable: true,
      description: 'The target folder; null for the root. Of `PROTECT`: the protected folder.',
      resolve: ({ parentId }, _args, context) => (parentId === null ? null : context.load().file(parentId)),
    }),
    total: t.exposeInt('totalItems', { description: 'Files and folders; grows until everything is listed.' }),
    done: t.exposeInt('doneItems', { description: 'Files and folders that are at the target, or changed.' }),
    failed: t.exposeInt('failedItems', {
      description: 'Files and folders that could not be copied, moved or changed.',
    }),
    totalBytes: t.expose('totalBytes', { type: 'BigInt' }),
    doneBytes: t.expose('doneBytes', { type: 'BigInt', description: 'Bytes that are at the target.' }),
    bytesPerSecond: t.exposeFloat('bytesPerSecond', {
      nullable: true,
      description: 'Average of the last seconds, while it runs; null when unknown.',
    }),
    error: t.exposeString('error', {
      nullable: true,
      description: 'Message: what it waits for, or why it could not do everything.',
    }),
    nextTryAt: t.expose('nextTryAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    endedAt: t.expose('endedAt', { type: 'DateTime', nullable: true }),
    undone: t.exposeBoolean('undone', {
      description: '`TRASH`: another job restores, or has restored, what it has moved (`undoJob`).',
    }),
    items: t.field({
      type: [JobItem],
      description: 'The first 100 items with a message: those that failed, wait, or stay where they are.',
      complexity: { field: 1, multiplier: 1 },
      resolve: ({ id }, _args, context) => context.services.fileJobs.problems(requireViewer(context), id),
    }),
  }),
})

builder.prismaObjectField('User', 'jobs', (t) =>
  t.field({
    type: [Job],
    description: 'Unfinished jobs, and those that ended within a day; newest first, at most 200.',
    args: { open: t.arg.boolean({ description: 'true: only unfinished ones; false: only ended ones.' }) },
    complexity: { field: 5, multiplier: 10 },
    resolve: (_user, { open }, context) =>
      context.services.fileJobs.list(requireViewer(context), { open: open ?? undefined }),
  }),
)

const JobPreview = builder.objectRef<FileJobPreview>('JobPreview').implement({
  description: 'What copying or moving would do.',
  fields: (t) => ({
    files: t.exposeInt('files'),
    folders: t.exposeInt('folders', { description: 'Number of folders.' }),
    bytes: t.expose('bytes', { type: 'BigInt' }),
    skipped: t.exposeInt('skipped', {
      description: 'Documents and shortcuts of a provider, which have no content and stay where they are.',
    }),
    isMore: t.exposeBoolean('isMore', { description: 'There is more than was counted (100,000 entries).' }),
    isCarried: t.exposeBoolean('isCarried', {
      description: 'The content is read from one place and stored in another one, as a job.',
    }),
    fromAccounts: t.field({
      type: [Account],
      description: 'The accounts that the entries are in.',
      complexity: { field: 1, multiplier: 3 },
      resolve: async ({ fromAccountIds }, _args, context) => {
        const accounts = await Promise.all(fromAccountIds.map((id) => context.load().account(id)))
        return accounts.filter((account) => account !== null)
      },
    }),
    toAccount: t.field({
      type: Account,
      nullable: true,
      description: 'The account that the target is in.',
      resolve: ({ toAccountId }, _args, context) => (toAccountId === null ? null : context.load().account(toAccountId)),
    }),
  }),
})

builder.prismaObjectField('User', 'jobPreview', (t) =>
  t.field({
    type: JobPreview,
    description: 'Counts what copying or moving these entries would do; at most 100,000 entries are counted.',
    args: {
      kind: t.arg({ type: JobKind, required: true }),
      ids: t.arg.idList({ required: true }),
      parentId: t.arg.id({ description: 'The target folder; the root by default.' }),
    },
    complexity: 20,
    resolve: (_user, { kind, ids, parentId }, context) => {
      if (kind === 'PROTECT') {
        throw new InvalidInputError([{ path: 'kind', message: 'Please ask for a copy or a move.' }])
      }
      return context.services.fileJobs.preview(requireViewer(context), {
        kind,
        ids: databaseIdsOf('File', ids),
        parentId: optionalIdOf('File', parentId) ?? null,
      })
    },
  }),
)
