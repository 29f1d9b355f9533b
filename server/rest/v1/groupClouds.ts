import { z } from 'zod'
import { InvalidInputError } from '../../domain/errors.ts'
import type { GroupCloud as DomainGroupCloud, GroupCloudPatch } from '../../domain/services.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, requireViewer } from '../request.ts'
import { DateTime, idParams, listOf, noContent, pageQuery, Quota } from '../schemas.ts'

const GroupCloud = z
  .object({
    id: z.string(),
    name: z.string(),
    defaultUploadGroup: z.boolean().describe('Where uploads go that name no group cloud. One per user.'),
    placement: z.enum(['MOST_FREE', 'IN_ORDER', 'ROUND_ROBIN']),
    copies: z.int(),
    spanning: z.boolean(),
    members: z.array(z.object({ accountId: z.string(), position: z.int(), keepFreeBytes: z.number() })),
    quota: Quota,
    createdAt: DateTime,
  })
  .meta({ id: 'GroupCloud' })

const settings = {
  accountIds: z.array(z.string().max(200)).max(100).optional().describe('In order of use. Default: all accounts.'),
  placement: z.enum(['MOST_FREE', 'IN_ORDER', 'ROUND_ROBIN']).optional(),
  copies: z.int().min(1).max(3).optional().describe('Each copy on an account of its own.'),
  spanning: z.boolean().optional(),
  defaultUploadGroup: z.boolean().optional(),
}
const CreateBody = z.strictObject({ name: z.string(), ...settings })
const UpdateBody = z.strictObject({ name: z.string().optional(), ...settings })

/** The four calls on group clouds. */
export const groupCloudsRoutes: RestPlugin = async (app, { services }) => {
  const tags = ['group-clouds']
  const { groupClouds } = services

  app.get(
    '/group-clouds',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List them, the default first',
        querystring: pageQuery,
        response: { 200: listOf(GroupCloud) },
      },
    },
    async (request) => {
      const all = (await groupClouds.list(requireViewer(request))).map(present)
      return pageOf(all, request.query)
    },
  )

  app.post(
    '/group-clouds',
    {
      config: {
        problems: ['INVALID_INPUT', 'NOT_FOUND', 'NAME_TAKEN', 'CONFLICT', 'IDEMPOTENCY_KEY_REUSED'],
        idempotent: true,
      },
      schema: { tags, summary: 'Make one', body: CreateBody, response: { 201: GroupCloud } },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const created = await groupClouds.create(viewer, inputOf(request.body), idempotencyKeyOf(request))
      return reply.code(201).send(present(created))
    },
  )

  app.patch(
    '/group-clouds/:id',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND', 'NAME_TAKEN', 'CONFLICT'] },
      schema: {
        tags,
        summary: 'Change one, or make it the default',
        params: idParams,
        body: UpdateBody,
        response: { 200: GroupCloud },
      },
    },
    async (request) => {
      const id = databaseId('GroupCloud', request.params.id)
      return present(await groupClouds.update(requireViewer(request), id, inputOf(request.body)))
    },
  )

  app.delete(
    '/group-clouds/:id',
    {
      config: { problems: ['NOT_FOUND', 'CONFLICT'] },
      schema: { tags, summary: 'Delete an empty one', params: idParams, response: { 204: noContent } },
    },
    async (request, reply) => {
      await groupClouds.remove(requireViewer(request), databaseId('GroupCloud', request.params.id))
      return reply.code(204).send(null)
    },
  )
}

/** The body with database ids. @throws NotFoundError */
function inputOf<Body extends GroupCloudPatch>(body: Body): Body {
  return body.accountIds ? { ...body, accountIds: body.accountIds.map((id) => databaseId('Account', id)) } : body
}

/** A user has at most 100 group clouds, so a page is cut from the whole list. The cursor is the last id of the page before. */
function pageOf<Item extends { id: string }>(all: readonly Item[], { limit, cursor }: z.infer<typeof pageQuery>) {
  const start = cursor === undefined ? 0 : all.findIndex((item) => item.id === cursor) + 1
  if (cursor !== undefined && start === 0) {
    throw new InvalidInputError([
      { path: 'cursor', message: 'This cursor is not of this list. Please start again without one.' },
    ])
  }
  const items = all.slice(start, start + limit)
  return { items, nextCursor: start + limit < all.length ? (items.at(-1)?.id ?? null) : null }
}

function present(groupCloud: DomainGroupCloud): z.infer<typeof GroupCloud> {
  return {
    ...groupCloud,
    id: publicId('GroupCloud', groupCloud.id),
    members: groupCloud.members.map((member) => ({ ...member, accountId: publicId('Account', member.accountId) })),
    createdAt: groupCloud.createdAt.toISOString(),
  }
}
