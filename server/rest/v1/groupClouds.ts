import type { z } from 'zod'
import { InvalidInputError } from '../../domain/errors.ts'
import type { FilesOfDeleted } from '../../domain/groupClouds/contract.ts'
import { pageOf } from '../pageOf.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, idempotencyKeyOf, requireViewer } from '../request.ts'
import { idParams, listOf, noContent, pageQuery } from '../schemas.ts'
import {
  CreateBody,
  DeleteQuery,
  GroupCloudSchema,
  inputOf,
  presentGroupCloud,
  UpdateBody,
} from './groupCloudSchema.ts'

/** Group clouds: list, make, change, delete. */
export const groupCloudsRoutes: RestPlugin = async (app, { services: { groupClouds } }) => {
  const tags = ['group-clouds']

  app.get(
    '/group-clouds',
    {
      config: { problems: ['INVALID_INPUT'] },
      schema: {
        tags,
        summary: 'List them, the default first',
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
      schema: { tags, summary: 'Make one', body: CreateBody, response: { 201: GroupCloudSchema } },
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
        summary: 'Change one, or make it the default',
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
        summary: 'Delete one; what it holds moves or goes to Trash',
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

/** @throws InvalidInputError, NotFoundError */
function filesOf({ files, moveTo }: z.infer<typeof DeleteQuery>): FilesOfDeleted | undefined {
  if (moveTo === undefined) return files && 'TRASH'
  if (files === undefined) return { moveTo: databaseId('GroupCloud', moveTo) }
  throw new InvalidInputError([{ path: 'moveTo', message: 'Files can move or go to Trash, not both.' }])
}
