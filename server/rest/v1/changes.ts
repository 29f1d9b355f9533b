import { z } from 'zod'
import { type Change as DomainChange, NOW } from '../../domain/changes/service.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { requireViewer } from '../request.ts'
import { DateTime } from '../schemas.ts'

const Change = z
  .object({
    position: z.string().describe('Position of this change in the order of all changes.'),
    kind: z
      .enum(['FILES', 'ACCOUNTS', 'ACCESS', 'TAGS'])
      .describe('What it is about: files, accounts and group clouds, keys and sessions, or tags.'),
    fileIds: z
      .array(z.string())
      .describe('New or changed files and folders. Those that now return 404 were deleted since.'),
    removedIds: z.array(z.string()).describe('Deleted files and folders.'),
    parentIds: z.array(z.string().nullable()).describe('Folders whose list changed; null is the root.'),
    accountIds: z.array(z.string()).describe('Changed accounts; if empty, group clouds changed.'),
    truncated: z.boolean().describe('More changed than is listed here: reload what you show.'),
    at: DateTime.describe('When it was recorded.'),
  })
  .meta({ id: 'Change' })

const ChangesSince = z
  .object({
    items: z.array(Change).describe('Oldest first.'),
    position: z.string().describe('Pass it as `since` next time.'),
    hasMore: z.boolean().describe('There are more changes: request them at once.'),
    reset: z
      .boolean()
      .describe(
        '`since` is older than the kept changes (7 days), or changes may have been lost: reload everything, then continue from `position`.',
      ),
  })
  .meta({ id: 'ChangesSince' })

const changesQuery = z.strictObject({
  since: z
    .string()
    .max(40)
    .default(NOW)
    .describe('A position from an earlier response. `now`: no changes, and the current position.'),
  limit: z.coerce.number().int().min(1).max(500).default(100).describe('Maximum number of changes.'),
})

/** Changes since a position, for programs that synchronise with the files. */
export const changesRoutes: RestPlugin = async (app, { services }) => {
  app.get(
    '/changes',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags: ['changes'],
        summary: 'List changes since a position, as ids, oldest first',
        querystring: changesQuery,
        response: { 200: ChangesSince },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const { since, limit } = request.query
      const { changes, ...rest } = await services.changes.since(viewer, since, limit)
      return { items: changes.map(present), ...rest }
    },
  )
}

function present(change: DomainChange): z.infer<typeof Change> {
  const fileId = (id: string) => publicId('File', id)
  const { position } = change
  const nothing = { fileIds: [], removedIds: [], parentIds: [], accountIds: [], truncated: false }
  const common = { ...nothing, position, at: change.at.toISOString() }
  if (change.topic === 'accessChanged') return { ...common, kind: 'ACCESS' }
  if (change.topic === 'tagsChanged') return { ...common, kind: 'TAGS' }
  if (change.topic === 'accountsChanged') {
    const { accountIds } = change.event
    const ids = (accountIds ?? []).map((id) => publicId('Account', id))
    return { ...common, kind: 'ACCOUNTS', accountIds: ids, truncated: accountIds === null }
  }
  const { fileIds, removedIds, parentIds, truncated } = change.event
  return {
    ...common,
    kind: 'FILES',
    fileIds: fileIds.map(fileId),
    removedIds: removedIds.map(fileId),
    parentIds: parentIds.map((id) => id && fileId(id)),
    truncated,
  }
}
