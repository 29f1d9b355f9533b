import { z } from 'zod'
import { NotFoundError } from '../../domain/errors.ts'
import type { QuotaReading } from '../../domain/services.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { Bytes } from '../schemas.ts'

const MOST = 100
const PROVIDER_OF = { google: 'google-drive', dropbox: 'dropbox', local: 'local' } as const

const Body = z
  .array(z.strictObject({ id: z.string().max(200), type: z.enum(['google', 'dropbox', 'local']) }))
  .max(MOST)

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
      const asked = request.body.map(({ id, type }) => ({ id: databaseId('Account', id), provider: PROVIDER_OF[type] }))
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
