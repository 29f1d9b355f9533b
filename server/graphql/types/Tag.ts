import { LABEL_COLORS } from '../../domain/files/contract.ts'
import type { Tag as DomainTag } from '../../domain/tags/service.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { globalIdOf } from '../ids.ts'
import { File } from './File.ts'

export const LabelColor = builder.enumType('LabelColor', {
  description: 'Colours of tags and folders.',
  values: Object.fromEntries(
    LABEL_COLORS.map((color) => [color, { description: `${color[0]}${color.slice(1).toLowerCase()}.` }]),
  ) as Record<(typeof LABEL_COLORS)[number], { description: string }>,
})

/** Most tags of a user. */
const MOST_TAGS = 100
/** Counts all files with the tag. */
const COUNT_COST = 5

export const Tag = builder.objectRef<DomainTag>('Tag')

Tag.implement({
  description: 'A label of your own for files and folders. Visitors of links do not see it.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({ complexity: 0, resolve: ({ id }) => globalIdOf('Tag', id) }),
    name: t.exposeString('name', { complexity: 0, description: 'Unique among your tags, ignoring case.' }),
    color: t.expose('color', { type: LabelColor, complexity: 0, description: 'Its colour.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', complexity: 0 }),
    fileCount: t.int({
      description: 'Number of files and folders with it, without the trash.',
      complexity: COUNT_COST,
      resolve: ({ id }, _args, context) => context.load().tagCount(id),
    }),
  }),
})

builder.objectField(File, 'tags', (t) =>
  t.field({
    type: [Tag],
    description: 'Your tags on it, by name.',
    complexity: { field: 1, multiplier: 1 },
    resolve: async ({ id }, _args, context) => [...(await context.load().tagsOf(id))],
  }),
)

builder.objectField(File, 'color', (t) =>
  t.expose('color', {
    type: LabelColor,
    nullable: true,
    complexity: 0,
    description: 'For folders: your colour for it; null: the usual one.',
  }),
)

builder.prismaObjectField('User', 'tags', (t) =>
  t.field({
    type: [Tag],
    description: `All tags, by name; at most ${MOST_TAGS}.`,
    complexity: { field: 1, multiplier: MOST_TAGS },
    resolve: (_user, _args, context) => context.services.tags.list(requireViewer(context)),
  }),
)
