import type { Quota as DomainQuota } from '../../domain/services.ts'
import { builder } from '../builder.ts'

const QuotaState = builder.enumType('QuotaState', {
  description: 'Without a total, an account is unlimited or its provider does not say.',
  values: ['KNOWN', 'UNLIMITED', 'UNKNOWN'] as const,
})

export const Quota = builder.objectRef<DomainQuota>('Quota').implement({
  fields: (t) => ({
    state: t.expose('state', { type: QuotaState }),
    usedBytes: t.exposeFloat('usedBytes'),
    totalBytes: t.exposeFloat('totalBytes', { nullable: true, description: 'Null when unlimited or unknown.' }),
    reservedBytes: t.exposeFloat('reservedBytes'),
  }),
})
