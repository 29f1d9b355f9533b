import { z } from 'zod'
import { InvalidInputError, NotFoundError } from '../../domain/errors.ts'
import type {
  FilesOfDeleted,
  GroupCloud,
  GroupCloudPatch,
  PlacementPreview,
} from '../../domain/groupClouds/contract.ts'
import { publicId } from '../../lib/ids.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, requireViewer } from '../request.ts'
import { Bytes, DateTime, idParams, listOf, noContent, pageOf, pageQuery, Quota } from '../schemas.ts'

const id = z.string().max(200)
const Rule = z.enum(['MOST_FREE', 'IN_ORDER', 'ROUND_ROBIN'])

const GroupCloudSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    defaultUploadGroup: z.boolean().describe('Takes uploads that name no group cloud. One per user.'),
    placement: Rule,
    copies: z.int(),
    spanning: z.boolean().describe('Whether a file too large for any single account is split over several.'),
    members: z.array(
      z.object({
        accountId: z.string(),
        position: z.int(),
        keepFreeBytes: Bytes,
        draining: z.boolean().describe('Takes no new files; its files move to the other members, then it is removed.'),
        allowOnlyCopy: z
          .boolean()
          .describe('It may hold the only copy of a file, although `poolUse` of its provider is EXTRA_COPIES.'),
      }),
    ),
    quota: Quota,
    createdAt: DateTime,
  })
  .meta({ id: 'GroupCloud' })

const PlacementSchema = z
  .object({
    placed: z.boolean().describe('false if there is no space for one copy.'),
    why: z.string().describe('The reason, as text.'),
    copies: z.array(
      z.object({ pieces: z.array(z.object({ accountId: z.string(), size: Bytes })) }).describe('Bytes per account.'),
    ),
  })
  .meta({ id: 'Placement' })

const settings = {
  accountIds: z.array(id).max(100).optional().describe('In order of use. Default: all accounts.'),
  placement: Rule.optional(),
  copies: z.int().min(1).max(3).optional().describe('Each copy on a different account.'),
  spanning: z.boolean().optional(),
  defaultUploadGroup: z.boolean().optional(),
  allowOnlyCopy: z
    .array(id)
    .max(100)
    .optional()
    .describe(
      'Members that may hold the only copy of a file although `poolUse` of their provider is EXTRA_COPIES; replaces the list. Default: none.',
    ),
}
const CreateBody = z.strictObject({ name: z.string(), ...settings })
const UpdateBody = z.strictObject({
  name: z.string().optional(),
  ...settings,
  accountIds: settings.accountIds.describe(
    'The members in their new order. Members that hold files cannot be left out.',
  ),
  keepFreeBytes: z
    .record(id, z.int().min(0))
    .optional()
    .describe('Bytes to keep free, by account id; other members are unchanged.'),
})
const MemberBody = z.strictObject({ draining: z.boolean() })
const memberParams = z.object({ id, accountId: id })
const DeleteQuery = z.strictObject({
  files: z.enum(['trash']).optional().describe('Moves its files to the trash.'),
  moveTo: id.optional().describe('Id of the group cloud that its files move to.'),
})
const PlacementQuery = z.strictObject({ size: z.coerce.number().int().min(0).describe('Size of the file in bytes.') })

/** List, create, change and delete group clouds. */
export const groupCloudsRoutes: RestPlugin = async (app, { services: { groupClouds } }) => {
  const tags = ['group-clouds']

  app.get(
    '/group-clouds',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List group clouds, the default first',
        querystring: pageQuery,
        response: { 200: listOf(GroupCloudSchema) },
      },
    },
    async (request) => {
      const all = (await groupClouds.list(requireViewer(request))).map(presentGroupCloud)
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
      schema: { tags, summary: 'Create a group cloud', body: CreateBody, response: { 201: GroupCloudSchema } },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const created = await groupClouds.create(viewer, inputOf(request.body), idempotencyKeyOf(request))
      return reply.code(201).send(presentGroupCloud(created))
    },
  )

  app.patch(
    '/group-clouds/:id',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND', 'NAME_TAKEN', 'CONFLICT'] },
      schema: {
        tags,
        summary: 'Change a group cloud, or make it the default',
        params: idParams,
        body: UpdateBody,
        response: { 200: GroupCloudSchema },
      },
    },
    async (request) => {
      const id = databaseId('GroupCloud', request.params.id)
      return presentGroupCloud(await groupClouds.update(requireViewer(request), id, inputOf(request.body)))
    },
  )

  app.delete(
    '/group-clouds/:id',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT'] },
      schema: {
        tags,
        summary: 'Delete a group cloud; its files move to another one or to the trash',
        params: idParams,
        querystring: DeleteQuery,
        response: { 204: noContent },
      },
    },
    async (request, reply) => {
      const id = databaseId('GroupCloud', request.params.id)
      await groupClouds.remove(requireViewer(request), id, filesOf(request.query))
      return reply.code(204).send(null)
    },
  )
}

/** One group cloud: its data, the placement of its next file, and its members. */
export const groupCloudRoutes: RestPlugin = async (app, { services: { groupClouds } }) => {
  const tags = ['group-clouds']

  app.get(
    '/group-clouds/:id',
    {
      config: { problems: ['NOT_FOUND'] },
      schema: { tags, summary: 'Read a group cloud', params: idParams, response: { 200: GroupCloudSchema } },
    },
    async (request) => {
      const [found] = await groupClouds.getMany(requireViewer(request), [databaseId('GroupCloud', request.params.id)])
      if (!found) throw new NotFoundError()
      return presentGroupCloud(found)
    },
  )

  app.get(
    '/group-clouds/:id/placement',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND'] },
      schema: {
        tags,
        summary: 'Where a file of this size would be stored now, and why',
        params: idParams,
        querystring: PlacementQuery,
        response: { 200: PlacementSchema },
      },
    },
    async (request) => {
      const id = databaseId('GroupCloud', request.params.id)
      return presentPlacement(await groupClouds.previewPlacement(requireViewer(request), id, request.query.size))
    },
  )

  app.patch(
    '/group-clouds/:id/members/:accountId',
    {
      config: { problems: ['INVALID_INPUT', 'NOT_FOUND', 'CONFLICT'] },
      schema: {
        tags,
        summary: 'Move the files of a member to the others, or stop that',
        params: memberParams,
        body: MemberBody,
        response: { 200: GroupCloudSchema },
      },
    },
    async (request) => {
      const { id, accountId } = request.params
      const [groupCloud, account] = [databaseId('GroupCloud', id), databaseId('Account', accountId)]
      const { draining } = request.body
      return presentGroupCloud(await groupClouds.drain(requireViewer(request), groupCloud, account, draining))
    },
  )
}

/** The body with database ids. @throws NotFoundError */
function inputOf<Body extends GroupCloudPatch>({ accountIds, keepFreeBytes, allowOnlyCopy, ...body }: Body) {
  const kept = Object.entries(keepFreeBytes ?? {}).map(([key, bytes]) => [databaseId('Account', key), bytes] as const)
  return {
    ...body,
    ...(accountIds && { accountIds: accountIds.map((account) => databaseId('Account', account)) }),
    ...(allowOnlyCopy && { allowOnlyCopy: allowOnlyCopy.map((account) => databaseId('Account', account)) }),
    ...(keepFreeBytes && { keepFreeBytes: Object.fromEntries(kept) }),
  }
}

/** @throws InvalidInputError, NotFoundError */
function filesOf({ files, moveTo }: z.infer<typeof DeleteQuery>): FilesOfDeleted | undefined {
  if (moveTo === undefined) return files && 'TRASH'
  if (files === undefined) return { moveTo: databaseId('GroupCloud', moveTo) }
  throw new InvalidInputError([
    { path: 'moveTo', message: 'Files can move to another group cloud or to the trash, not both.' },
  ])
}

function presentGroupCloud(groupCloud: GroupCloud): z.infer<typeof GroupCloudSchema> {
  return {
    ...groupCloud,
    id: publicId('GroupCloud', groupCloud.id),
    members: groupCloud.members.map((member) => ({ ...member, accountId: publicId('Account', member.accountId) })),
    createdAt: groupCloud.createdAt.toISOString(),
  }
}

function presentPlacement({ placed, why, copies }: PlacementPreview): z.infer<typeof PlacementSchema> {
  return {
    placed,
    why,
    copies: copies.map(({ pieces }) => ({
      pieces: pieces.map(({ accountId, size }) => ({ accountId: publicId('Account', accountId), size })),
    })),
  }
}
