import type { ApiKey as DomainApiKey } from '../../domain/keys/contract.ts'
import { SCOPES } from '../../domain/viewer.ts'
import { builder } from '../builder.ts'
import { globalIdOf } from '../ids.ts'

const ApiKeyStatus = builder.enumType('ApiKeyStatus', { values: ['ACTIVE', 'REVOKED', 'EXPIRED'] as const })

export const ApiKeyScope = builder.enumType('ApiKeyScope', {
  description: 'READ: look and download. WRITE: upload, change, delete. SHARE: make and end public links.',
  values: SCOPES,
})

const ApiKeyUsage = builder.objectRef<{ readonly day: Date; readonly calls: number }>('ApiKeyUsage').implement({
  fields: (t) => ({
    day: t.string({ description: 'YYYY-MM-DD, UTC.', resolve: ({ day }) => day.toISOString().slice(0, 10) }),
    calls: t.exposeInt('calls'),
  }),
})

/** At most one a day for 30 days. */
const USAGE_COST = { field: 1, multiplier: 30 }

export const ApiKey = builder.objectRef<DomainApiKey>('ApiKey').implement({
  description: 'A key for programs: `Authorization: Bearer <key>`.',
  interfaces: [builder.nodeInterfaceRef()],
  fields: (t) => ({
    id: t.id({ resolve: ({ id }) => globalIdOf('ApiKey', id) }),
    name: t.exposeString('name'),
    key: t.exposeString('key', { description: 'Whole; masked once it is revoked.' }),
    status: t.expose('status', { type: ApiKeyStatus }),
    scopes: t.field({ type: [ApiKeyScope], resolve: ({ scopes }) => [...scopes] }),
    expiresAt: t.expose('expiresAt', { type: 'DateTime', nullable: true }),
    lastUsedAt: t.expose('lastUsedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'To the minute; null: never.',
    }),
    revokedAt: t.expose('revokedAt', { type: 'DateTime', nullable: true }),
    createdAt: t.expose('createdAt', { type: 'DateTime' }),
    usage: t.field({
      type: [ApiKeyUsage],
      description: 'Calls of the last 30 days, the oldest day first; days without any are left out.',
      complexity: USAGE_COST,
      resolve: async ({ id }, _args, context) => [...(await context.load().keyUsage(id))],
    }),
  }),
})
