import { z } from 'zod'
import type { QuotaReading } from '../../domain/accounts/contract.ts'
import { NotFoundError } from '../../domain/errors.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { Bytes } from '../schemas.ts'

const MOST = 100
const Reading = z.object({
  id: z.string(),
  quota: z.object({
    usedBytes: Bytes,
    totalBytes: Bytes.nullable().describe('null when unlimited or unknown.'),
  }),
  error: z.string().optional().describe('Why the provider could not be asked; the quota is then the last known one.'),
})

/** How full accounts are, by their providers. */
export const quotasRoutes: RestPlugin = async (app, { services }) => {
  const { accounts } = services
  const connectable = accounts.providers().filter(({ connectsBy }) => connectsBy !== null)
  const providerOf = new Map([...connectable.map(({ quotaType, id }) => [quotaType, id] as const), ['local', 'local']])
  const Body = z.array(z.strictObject({ id: z.string().max(200), type: z.enum([...providerOf.keys()]) })).max(MOST)

  app.post(
    '/quotas/by-ids-and-types',
    {
      config: { scope: 'READ', problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags: ['accounts'],
        summary: 'Ask the providers how full accounts are, each at most once a minute',
        body: Body,
        response: { 200: z.array(Reading) },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const asked = request.body.map(({ id, type }) => ({
        id: databaseId('Account', id),
        provider: providerOf.get(type),
      }))
      const ids = asked.map(({ id }) => id)
      const known = await accounts.getMany(viewer, ids)
      if (asked.some(({ provider }, index) => known[index]?.provider !== provider)) throw new NotFoundError()
      return (await accounts.readQuotas(viewer, ids)).map(present)
    },
  )
}

function present({ accountId, quota, error }: QuotaReading): z.infer<typeof Reading> {
  const { usedBytes, totalBytes } = quota
  return { id: publicId('Account', accountId), quota: { usedBytes, totalBytes }, ...(error !== null && { error }) }
}
