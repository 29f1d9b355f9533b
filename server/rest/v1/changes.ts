import { z } from 'zod'
import type { Change as DomainChange } from '../../domain/changes/service.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { requireViewer } from '../request.ts'
import { DateTime } from '../schemas.ts'

const Change = z
  .object({
    position: z.string().describe('Where this change stands in the order of all changes.'),
    kind: z
      .enum(['FILES', 'ACCOUNTS', 'ACCESS'])
      .describe('What it is about: files, accounts and group clouds, or keys and sessions.'),
    fileIds: z
      .array(z.string())
      .describe('Files and folders that are new or changed. Those that answer 404 by now are gone.'),
    removedIds: z.array(z.string()).describe('Files and folders that are gone.'),
    parentIds: z.array(z.string().nullable()).describe('Folders whose list changed; null is the root.'),
    accountIds: z.array(z.string()).describe('Accounts that changed; with none named, the group clouds did.'),
    truncated: z.boolean().describe('More changed than is named here: read again what you show.'),
    at: DateTime.describe('When it was written down.'),
  })
  .meta({ id: 'Change' })

const ChangesSince = z
  .object({
    items: z.array(Change).describe('Oldest first.'),
    position: z.string().describe('Pass it as `since` next time.'),
    hasMore: z.boolean().describe('There are more: ask again at once.'),
    reset: z
      .boolean()
      .describe(
        '`since` is older than what is kept (7 days), or changes may have been lost: read everything again, then go on from `position`.',
      ),
  })
  .meta({ id: 'ChangesSince' })

const changesQuery = z.object({
  since: z
    .string()
    .max(40)
    .optional()
    .describe('A position from an earlier answer. Without it the answer is the present position.'),
  limit: z.coerce.number().int().min(1).max(500).default(100).describe('At most so many changes.'),
})

/** What changed since a position: for programs that keep something in step with the files. */
export const changesRoutes: RestPlugin = async (app, { services }) => {
  app.get(
    '/changes',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags: ['changes'],
        summary: 'List what changed since a position, as ids, oldest first',
        querystring: changesQuery,
        response: { 200: ChangesSince },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const { since, limit } = request.query
      if (since === undefined)
        return { items: [], position: await services.changes.position(), hasMore: false, reset: false }
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
