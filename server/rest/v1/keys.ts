import { z } from 'zod'
import { NotFoundError } from '../../domain/errors.ts'
import type { ApiKey as DomainApiKey } from '../../domain/keys/contract.ts'
import { SCOPES } from '../../domain/viewer.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, requireViewer } from '../request.ts'
import { DateTime, idParams, listOf, noContent, pageOf, pageQuery } from '../schemas.ts'

const BODY_LIMIT_BYTES = 16 * 1024

/** A key; the whole text of it only for sessions. */
export const ApiKeySchema = z
  .object({
    id: z.string(),
    name: z.string(),
    key: z.string().describe('The full key; masked after it was revoked, and for API keys.'),
    status: z.enum(['ACTIVE', 'REVOKED', 'EXPIRED']),
    scopes: z.array(z.enum(SCOPES)).describe('Its permissions.'),
    expiresAt: DateTime.nullable(),
    lastUsedAt: DateTime.nullable().describe('Accurate to the minute; null: never.'),
    revokedAt: DateTime.nullable(),
    createdAt: DateTime,
  })
  .meta({ id: 'ApiKey' })

const CreateBody = z.strictObject({
  name: z.string().describe('1 to 100 characters.'),
  scopes: z
    .array(z.enum(SCOPES))
    .max(SCOPES.length)
    .optional()
    .describe(
      '`READ`: view and download. `WRITE`: upload, change, delete. `SHARE`: create and end links. Default: all.',
    ),
  expiresAt: DateTime.nullable().optional().describe('In the future. Default: never.'),
})

const Usage = z.object({
  items: z.array(z.object({ day: z.iso.date().describe('UTC.'), calls: z.int() })).describe('Oldest day first.'),
})

/** API keys: for sessions only, so that no key can create, show or revoke keys. */
export const keysRoutes: RestPlugin = async (app, { services: { keys } }) => {
  const tags = ['keys']

  app.get(
    '/keys',
    {
      config: { scope: 'SESSION', problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List keys, newest first',
        querystring: pageQuery,
        response: { 200: listOf(ApiKeySchema) },
      },
    },
    async (request) => pageOf((await keys.list(requireViewer(request))).map(presentKey), request.query),
  )

  app.post(
    '/keys',
    {
      bodyLimit: BODY_LIMIT_BYTES,
      config: { scope: 'SESSION', problems: ['INVALID_INPUT', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'], idempotent: true },
      schema: { tags, summary: 'Create a key', body: CreateBody, response: { 201: ApiKeySchema } },
    },
    async (request, reply) => {
      const { name, scopes, expiresAt } = request.body
      const input = { name, scopes, expiresAt: expiresAt ? new Date(expiresAt) : null }
      const key = await keys.create(requireViewer(request), input, idempotencyKeyOf(request))
      return reply.code(201).send(presentKey(key))
    },
  )

  app.post(
    '/keys/:id/regenerate',
    {
      config: { scope: 'SESSION', problems: ['NOT_FOUND', 'CONFLICT'] },
      schema: {
        tags,
        summary: 'Regenerate a key; the old one stops working at once',
        params: idParams,
        response: { 200: ApiKeySchema },
      },
    },
    async (request) =>
      presentKey(await keys.regenerate(requireViewer(request), databaseId('ApiKey', request.params.id))),
  )

  app.delete(
    '/keys/:id',
    {
      config: { scope: 'SESSION', problems: ['NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Revoke a key; it stops working at once',
        params: idParams,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      await keys.revoke(requireViewer(request), databaseId('ApiKey', request.params.id))
      return reply.code(204).send(null)
    },
  )

  app.get(
    '/keys/:id/usage',
    {
      config: { scope: 'SESSION', problems: ['NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Calls of the last 30 days, per day',
        params: idParams,
        response: { 200: Usage },
      },
    },
    async (request) => {
      const id = databaseId('ApiKey', request.params.id)
      const days = (await keys.usage(requireViewer(request), [id])).get(id)
      if (!days) throw new NotFoundError()
      return { items: days.map(({ day, calls }) => ({ day: day.toISOString().slice(0, 10), calls })) }
    },
  )
}

export function presentKey(key: DomainApiKey): z.infer<typeof ApiKeySchema> {
  return {
    id: publicId('ApiKey', key.id),
    name: key.name,
    key: key.key,
    status: key.status,
    scopes: [...key.scopes],
    expiresAt: key.expiresAt?.toISOString() ?? null,
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
    createdAt: key.createdAt.toISOString(),
  }
}
