import type { Quota as DomainQuota } from '../../domain/accounts/contract.ts'
import { builder } from '../builder.ts'

const QuotaState = builder.enumType('QuotaState', {
  description: 'Without a total, an account is unlimited or its provider does not say.',
  values: ['KNOWN', 'UNLIMITED', 'UNKNOWN'] as const,
})

export const Quota = builder.objectRef<DomainQuota>('Quota').implement({
  fields: (t) => ({
    state: t.expose('state', { type: QuotaState }),
    usedBytes: t.expose('usedBytes', { type: 'BigInt' }),
    totalBytes: t.expose('totalBytes', {
      type: 'BigInt',
      nullable: true,
      description: 'Null when unlimited or unknown.',
    }),
    reservedBytes: t.expose('reservedBytes', { type: 'BigInt' }),
    freeBytes: t.field({
      type: 'BigInt',
      nullable: true,
      description:
        'Bytes of new files that have room now: an account, one copy each; a group cloud, as many copies as it keeps, no two\n' +
        'on one account; a user, the sum over the group clouds. Null when no limit is known.',
      resolve: ({ freeBytes, totalBytes, usedBytes, reservedBytes }) => {
        if (freeBytes !== undefined) return freeBytes
        return totalBytes === null ? null : Math.max(0, totalBytes - usedBytes - reservedBytes)
      },
    }),
  }),
})
