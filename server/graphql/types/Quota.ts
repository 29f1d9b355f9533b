import type { Quota as DomainQuota } from '../../domain/services.ts'
import { builder } from '../builder.ts'

export const Quota = builder.objectRef<DomainQuota>('Quota').implement({
  fields: (t) => ({
    usedBytes: t.exposeFloat('usedBytes'),
    totalBytes: t.exposeFloat('totalBytes', { nullable: true, description: 'Null when unlimited or unknown.' }),
    reservedBytes: t.exposeFloat('reservedBytes'),
  }),
})
