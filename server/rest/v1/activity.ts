import { z } from 'zod'
import { ACTIONS, type Activity as DomainActivity } from '../../domain/activity/contract.ts'
import { parsePublicId, publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { requireViewer } from '../request.ts'
import { DateTime, listOf, pageQuery } from '../schemas.ts'
import { asCursorError } from './filesQuery.ts'

const Activity = z
  .object({
    id: z.string(),
    at: DateTime,
    actorKind: z.enum(['SESSION', 'KEY', 'VISITOR', 'SYSTEM']),
    actorName: z.string().describe('As it was then: "Chrome on Linux", the name of a key.'),
    address: z.string().describe('Where a session or visitor came from; empty for all others.'),
    action: z.enum(ACTIONS),
    subjectType: z.string().nullable(),
    subjectId: z.string().nullable().describe('What it was done to, which may be gone by now.'),
    subjectName: z.string().describe('Its name then.'),
    count: z.int().describe('How many things, when one entry stands for several.'),
    sentence: z.string().describe('All of it in words.'),
  })
  .meta({ id: 'Activity' })

const actions = z
  .string()
  .max(1000)
  .transform((text) => text.toUpperCase().split(','))
  .pipe(z.array(z.enum(ACTIONS)))

const activityQuery = pageQuery.extend({
  q: z.string().max(255).optional().describe('Part of a name or an actor, in any case, accents or not.'),
  action: actions.optional().describe('Only these, with commas between.'),
  subjectId: z.string().max(200).optional().describe('Only what was done to this one thing.'),
  fileId: z
    .string()
    .max(200)
    .optional()
    .describe('Only what this file or folder was part of: also among others, or by its links.'),
})

/** What was done, and by whom. */
export const activityRoutes: RestPlugin = async (app, { services }) => {
  app.get(
    '/activity',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags: ['activity'],
        summary: 'List what was done to your data, and by whom; newest first',
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
      const page = await services.activity.list(requireViewer(request), options).catch(asCursorError)
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
