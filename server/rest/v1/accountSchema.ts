import { z } from 'zod'
import type { Account as DomainAccount } from '../../domain/accounts/contract.ts'
import { publicId } from '../../lib/ids.ts'
import { DateTime, Quota } from '../schemas.ts'

export const Account = z
  .object({
    id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    createdAt: DateTime,
    status: z.enum(['CONNECTED', 'EXPIRED']).describe('EXPIRED: connect it again.'),
    statusReason: z.string().nullable().describe('Why it is expired, in words.'),
    unreachableSince: DateTime.nullable().describe('Since when the provider has not answered; null while it does.'),
    provider: z.string().describe('`id` of a provider, or `local` for the storage of this server.'),
    hue: z.int().describe('1 to 12; 0 is this server’s own.'),
    quota: Quota,
  })
  .meta({ id: 'Account' })

export function presentAccount(account: DomainAccount): z.infer<typeof Account> {
  const { id, createdAt, unreachableSince, ...rest } = account
  return {
    ...rest,
    id: publicId('Account', id),
    createdAt: createdAt.toISOString(),
    unreachableSince: unreachableSince?.toISOString() ?? null,
  }
}
