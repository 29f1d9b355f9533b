import type { CategoryUsage } from '../../domain/files/contract.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { FileCategory } from './enums.ts'
import { File } from './File.ts'

/** Most files that are named; the list of files has the others. */
const NAMED = 5

const Usage = builder.objectRef<CategoryUsage>('CategoryUsage').implement({
  description: 'What the files of one type take.',
  fields: (t) => ({
    category: t.expose('category', { type: FileCategory }),
    files: t.exposeInt('files'),
    bytes: t.expose('bytes', { type: 'BigInt' }),
  }),
})

const AtRisk = builder.objectRef<object>('AtRisk').implement({
  description: 'Files that cannot be read whole now, or have fewer copies than their group cloud asks for.',
  fields: (t) => ({
    files: t.int({
      complexity: 5,
      resolve: (_parent, _args, context) => context.services.files.countAtRisk(requireViewer(context)),
    }),
    first: t.field({
      type: [File],
      description: `The latest ${NAMED} of them.`,
      complexity: { field: 5, multiplier: NAMED },
      resolve: async (_parent, _args, context) => {
        const options = { view: 'ALL', states: ['AT_RISK'], limit: NAMED } as const
        const { items } = await context.services.files.list(requireViewer(context), options)
        return items.map(({ file }) => file)
      },
    }),
  }),
})

builder.prismaObjectField('User', 'storageByType', (t) =>
  t.field({
    type: [Usage],
    description: 'What your files take by their type, the trash included; types without files are left out.',
    complexity: { field: 20, multiplier: 10 },
    resolve: (_user, _args, context) => context.services.files.storageByType(requireViewer(context)),
  }),
)

builder.prismaObjectField('User', 'atRisk', (t) => t.field({ type: AtRisk, resolve: () => ({}) }))
