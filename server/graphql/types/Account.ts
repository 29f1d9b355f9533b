import { visibleTo } from '../../domain/accounts/policy.ts'
import { builder } from '../builder.ts'
import { requireViewer } from '../context.ts'
import { AccountStatus } from './enums.ts'
import { Quota } from './Quota.ts'

export const Account = builder.prismaNode('Account', {
  id: { resolve: (account) => account.id },
  findUnique: (id, context) => ({ id, ...visibleTo(requireViewer(context)) }),
  fields: (t) => ({
    provider: t.exposeString('provider'),
    name: t.exposeString('name'),
    email: t.exposeString('email', { nullable: true }),
    status: t.expose('status', { type: AccountStatus }),
    hue: t.exposeInt('hue', { description: "1 to 12; 0 is this server's own." }),
    quota: t.field({
      type: Quota,
      resolve: ({ usedBytes, quotaBytes, reservedBytes }) => ({
        usedBytes: Number(usedBytes),
        totalBytes: quotaBytes === null ? null : Number(quotaBytes),
        reservedBytes: Number(reservedBytes),
      }),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
  }),
})
