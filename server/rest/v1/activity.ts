import { z } from 'zod'
import { ACTIONS, type Activity as DomainActivity } from '../../domain/activity/contract.ts'
import { parsePublicId, publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { requireViewer } from '../request.ts'
import { asParameterError, DateTime, listOf, pageQuery } from '../schemas.ts'

const Activity = z
  .object({
    id: z.string(),
    at: DateTime,
    actorKind: z.enum(['SESSION', 'KEY', 'VISITOR', 'SYSTEM']),
    actorName: z.string().describe('At that time: "Chrome on Linux", the name of a key.'),
    address: z.string().describe('IP address of a session or visitor; empty for all others.'),
    action: z.enum(ACTIONS),
    subjectType: z.string().nullable(),
    subjectId: z.string().nullable().describe('What it was done to; may no longer exist.'),
    subjectName: z.string().describe('Its name at that time.'),
    count: z.int().describe('Number of items, if one entry covers several.'),
    sentence: z.string().describe('The whole entry as text.'),
  })
  .meta({ id: 'Activity' })

const actions = z
  .string()
  .max(1000)
  .transform((text) => text.toUpperCase().split(','))
  .pipe(z.array(z.enum(ACTIONS)))

const activityQuery = pageQuery.extend({
  q: z.string().max(255).optional().describe('Part of a name or an actor; case and accents are ignored.'),
  action: actions.optional().describe('Only these actions, separated by commas.'),
  subjectId: z.string().max(200).optional().describe('Only what was done to this item.'),
  fileId: z
    .string()
    .max(200)
    .optional()
    .describe('Only entries that involve this file or folder, also among others or through its links.'),
})

/** The activity log. */
export const activityRoutes: RestPlugin = async (app, { services }) => {
  app.get(
    '/activity',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags: ['activity'],
        summary: 'List activity on your data, newest first',
        querystring: activityQuery,
        response: { 200: listOf(Activity) },
      },
    },
    async (request) => {
      const { q, action, subjectId, fileId, limit, cursor } = request.query
      const subject = subjectId === undefined ? undefined : parsePublicId(subjectId)
      const file = fileId === undefined ? undefined : parsePublicId(fileId)
      if (subject === null || file === null) return { items: [], nextCursor: null }
      const options = { limit, after: cursor, query: q, actions: action, subjectId: subject?.id, fileId: file?.id }
      const page = await services.activity.list(requireViewer(request), options).catch(asParameterError)
      const nextCursor = page.hasNextPage ? (page.items.at(-1)?.cursor ?? null) : null
      return { items: page.items.map(({ activity }) => present(activity)), nextCursor }
    },
  )
}

function present({ id, at, subjectType, subjectId, ...activity }: DomainActivity): z.infer<typeof Activity> {
  return {
    ...activity,
    id: publicId('Activity', id),
    at: at.toISOString(),
    subjectType,
    subjectId: subjectType && subjectId ? publicId(subjectType, subjectId) : null,
  }
}
