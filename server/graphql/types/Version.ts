import type { VersionSource as DomainSource } from '../../domain/files/content/versions.ts'
import type { FileVersion as DomainVersion, VersionLimits, VersionsUsage } from '../../domain/versions/service.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { File } from './File.ts'

const VersionSource = builder.enumType('VersionSource', {
  description: 'How a version came about.',
  values: {
    UPLOAD: { description: 'By an upload.' },
    EDITOR: { description: 'From the editor.' },
    RESTORE: { description: 'By restoring an earlier version.' },
  } satisfies Record<DomainSource, { description: string }>,
})

/** As many rows as the owner keeps. */
const VERSIONS_COST = { field: 5, multiplier: 10 }
/** Sums the pieces of all versions. */
const USAGE_COST = 20

const FileVersion = builder.objectRef<DomainVersion>('FileVersion').implement({
  description: 'A content that a file has, or had.',
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('FileVersion', id) }),
    isCurrent: t.exposeBoolean('isCurrent', {
      description: 'It is what the file has now; it cannot be restored or deleted.',
    }),
    size: t.expose('size', { type: 'BigInt' }),
    sha256: t.exposeString('sha256', { description: 'Of the content, in lower-case hex.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Since when it was the content of the file.' }),
    endedAt: t.expose('endedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Until when it was; null for the current one.',
    }),
    keptUntil: t.expose('keptUntil', {
      type: 'DateTime',
      nullable: true,
      description: 'An earlier version is removed after this time.',
    }),
    source: t.expose('source', { type: VersionSource, description: 'How it came about.' }),
    by: t.exposeString('by', { description: 'Who made it: the name of the API key, otherwise the owner.' }),
    byKey: t.exposeBoolean('byKey', { description: 'An API key made it.' }),
    restoredFrom: t.expose('restoredFrom', {
      type: 'DateTime',
      nullable: true,
      description: 'RESTORE: since when the restored version was the content of the file.',
    }),
    downloadUrl: t.string({
      description: 'Path of its bytes.',
      resolve: ({ id }) => `/api/v1/versions/${globalIdOf('FileVersion', id)}/download`,
    }),
  }),
})

builder.objectField(File, 'versions', (t) =>
  t.field({
    type: [FileVersion],
    description:
      'Its versions, newest first, beginning with the current one. Empty for folders, and for files in accounts: see earlierVersions.',
    complexity: VERSIONS_COST,
    resolve: ({ id, kind, accountId }, _args, context) =>
      kind === 'FOLDER' || accountId !== null ? [] : context.services.versions.list(requireViewer(context), id),
  }),
)

const VersionSettings = builder.objectRef<VersionLimits & VersionsUsage>('VersionSettings').implement({
  description: 'How long earlier versions of files are kept, and what they take.',
  fields: (t) => ({
    days: t.exposeInt('days', { description: 'They are kept for so many days after they were replaced.' }),
    most: t.exposeInt('most', { description: 'At most so many of a file are kept.' }),
    versions: t.exposeInt('versions', { description: 'Number of earlier versions of all files.' }),
    bytes: t.expose('bytes', {
      type: 'BigInt',
      description: 'Their size, once for versions with the same content, and without further copies.',
    }),
  }),
})

builder.prismaObjectField('User', 'versionSettings', (t) =>
  t.field({
    type: VersionSettings,
    description: 'How long earlier versions of files are kept, and what they take.',
    complexity: USAGE_COST,
    resolve: async (_user, _args, context) => {
      const viewer = requireViewer(context)
      const { versions } = context.services
      return { ...(await versions.limits(viewer)), ...(await versions.usage(viewer)) }
    },
  }),
)
