import { z } from 'zod'
import { pageOf } from '../pageOf.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { idParams, listOf, pageQuery } from '../schemas.ts'
import { Account, presentAccount } from './accountSchema.ts'

const AccountsQuery = pageQuery.extend({
  provider: z
    .string()
    .max(100)
    .regex(/^[a-z0-9-]+$/, 'This is no provider.')
    .optional()
    .describe('Only accounts of this provider.'),
})

const UpdateBody = z.strictObject({
  name: z.string().optional().describe('1 to 100 characters.'),
  hue: z.int().optional().describe('1 to 12.'),
})

/** Connected accounts of every provider, the storage of this server among them. */
export const accountsRoutes: RestPlugin = async (app, { services }) => {
  const tags = ['accounts']
  const { accounts } = services

  app.get(
    '/accounts',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List them, the oldest first',
        querystring: AccountsQuery,
        response: { 200: listOf(Account) },
      },
    },
    async (request) => {
      const all = await accounts.list(requireViewer(request), request.query.provider)
      return pageOf(all.map(presentAccount), request.query)
    },
  )

  app.patch(
    '/accounts/:id',
    {
      config: { scope: 'SESSION', problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Rename one, or give it another colour',
        params: idParams,
        body: UpdateBody,
        response: { 200: Account },
      },
    },
    async (request) => {
      const id = databaseId('Account', request.params.id)
      return presentAccount(await accounts.update(requireViewer(request), id, request.body))
    },
  )
}
