import { NotFoundError } from '../../domain/errors.ts'
import type { RestPlugin } from '../plugin.ts'
import { databaseId, requireViewer } from '../request.ts'
import { idParams } from '../schemas.ts'
import {
  GroupCloudSchema,
  MemberBody,
  memberParams,
  PlacementQuery,
  PlacementSchema,
  presentGroupCloud,
  presentPlacement,
} from './groupCloudSchema.ts'

/** One group cloud: itself, where its next file goes, and its members. */
export const groupCloudRoutes: RestPlugin = async (app, { services: { groupClouds } }) => {
  const tags = ['group-clouds']

  app.get(
    '/group-clouds/:id',
    {
      config: { problems: ['NOT_FOUND'] },
      schema: { tags, summary: 'Look at one', params: idParams, response: { 200: GroupCloudSchema } },
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
        summary: 'Where a file of that size would go now, and why',
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
        summary: 'Empty a member into the others, or stop that',
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
