import type {
  ProtectionCounts as DomainCounts,
  EarlierVersion as DomainVersion,
  PROTECTION_STATES,
  ProtectionInfo,
  VERSION_REASONS,
} from '../../domain/protection/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { found } from '../loaders.ts'
import { File } from './File.ts'
import { GroupCloud } from './GroupCloud.ts'

const ProtectionState = builder.enumType('ProtectionState', {
  description: 'How far the protecting copies are.',
  values: {
    PROTECTED: { description: 'All copies are stored, of the newest version.' },
    CATCHING_UP: { description: 'Copies are being made.' },
    AT_RISK: { description: 'A copy is missing or could not be made.' },
    SKIPPED: { description: 'A document or shortcut of the provider, which has no bytes to copy.' },
  } satisfies Record<(typeof PROTECTION_STATES)[number], { description: string }>,
})

const VersionReason = builder.enumType('VersionReason', {
  description: 'Why a version is an earlier one.',
  values: {
    CHANGED: { description: 'The file was changed in its account.' },
    DELETED: { description: 'The file was deleted in its account.' },
    MOVED: { description: 'The file was moved out of what is protected.' },
  } satisfies Record<(typeof VERSION_REASONS)[number], { description: string }>,
})

/** Counts over everything that is protected with a folder. */
const COUNTED_COST = 20
/** Reads at most 200 rows. */
const VERSIONS_COST = { field: 5, multiplier: 10 }

const ProtectionCounts = builder.objectRef<DomainCounts>('ProtectionCounts').implement({
  description: 'What is protected with a folder, in numbers.',
  fields: (t) => ({
    files: t.exposeInt('files', { description: 'All files, without documents that have no bytes.' }),
    bytes: t.expose('bytes', { type: 'BigInt', description: 'Their size.' }),
    protectedFiles: t.exposeInt('protectedFiles', {
      description: 'Files of which the newest version has all its copies.',
    }),
    atRiskFiles: t.exposeInt('atRiskFiles', { description: 'Files that lack a copy or could not be copied.' }),
    skippedFiles: t.exposeInt('skippedFiles', {
      description: 'Documents and shortcuts of the provider, and files that it does not allow to download.',
    }),
    earlierVersions: t.exposeInt('earlierVersions', { description: 'Earlier versions that are kept.' }),
    earlierBytes: t.expose('earlierBytes', { type: 'BigInt', description: 'The size of the earlier versions.' }),
  }),
})

const Protection = builder.objectRef<ProtectionInfo>('Protection').implement({
  description: 'Copies of what is in an account, kept in a group cloud.',
  fields: (t) => ({
    folder: t.field({
      type: File,
      description: 'The protected folder: the entry itself, or a folder above it.',
      resolve: async ({ folderId }, _args, context) => found(await context.load().file(folderId)),
    }),
    groupCloud: t.field({
      type: GroupCloud,
      nullable: true,
      description: 'Where the copies are.',
      resolve: ({ groupCloudId }, _args, context) => context.load().groupCloud(groupCloudId),
    }),
    copies: t.exposeInt('copies', { description: 'Number of copies in the group cloud.' }),
    keepVersionsDays: t.exposeInt('keepVersionsDays', { description: 'Days for which earlier versions are kept.' }),
    state: t.expose('state', {
      type: ProtectionState,
      description: 'Of a file: its own. Of a folder: of everything that is protected with it.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Message: why it is at risk or skipped.' }),
    counts: t.field({
      type: ProtectionCounts,
      description: 'Counts everything that is protected with the folder; too expensive for lists.',
      complexity: COUNTED_COST,
      resolve: ({ folderId }, _args, context) => context.services.protection.count(requireViewer(context), folderId),
    }),
  }),
})

const EarlierVersion = builder.objectRef<DomainVersion>('EarlierVersion').implement({
  description: 'A version of a protected file that is kept for a time after it was changed or deleted in its account.',
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('EarlierVersion', id) }),
    name: t.exposeString('name', { description: 'The name that the file had last.' }),
    path: t.exposeStringList('path', { description: 'Names of the folders above it in its account.' }),
    size: t.expose('size', { type: 'BigInt' }),
    modifiedAt: t.expose('modifiedAt', {
      type: 'DateTime',
      description: 'When this version was last changed, as the account reported it.',
    }),
    endedAt: t.expose('endedAt', { type: 'DateTime', description: 'Since when it is an earlier version.' }),
    keptUntil: t.expose('keptUntil', { type: 'DateTime', description: 'It is removed after this time.' }),
    reason: t.expose('reason', { type: VersionReason, description: 'Why it is an earlier version.' }),
  }),
})

builder.objectFields(File, (t) => ({
  protection: t.field({
    type: Protection,
    nullable: true,
    description: 'How it is protected; null for what is not in an account or not protected.',
    complexity: { field: 1, multiplier: 1 },
    resolve: ({ id, inPlace }, _args, context) => (inPlace?.mayBeProtected ? context.load().protection(id) : null),
  }),
  earlierVersions: t.field({
    type: [EarlierVersion],
    description:
      'Earlier versions of a protected file, or those of files that were deleted from this folder; of a protected folder, from all folders\nbelow it. Newest first, at most 200.',
    complexity: VERSIONS_COST,
    resolve: ({ id }, _args, context) => context.services.protection.earlierVersions(requireViewer(context), id),
  }),
}))
