import { parsePublicId, publicId } from '../../../server/lib/ids.ts'
import { insertLikelyGroup } from '../../factories/duplicates.ts'
import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

const DUPLICATES = '/api/v1/duplicates'

/** Two files with the same content. */
async function equalFiles(world: World): Promise<string[]> {
  const ids = [await given.uploaded(world), await given.uploaded(world)]
  return ids.map((id) => parsePublicId(id)?.id ?? '')
}

async function compare(world: World) {
  const fileIds = await equalFiles(world)
  const owner = await world.server.pool.query('select user_id as id from files where id = $1', [fileIds[0]])
  const group = await insertLikelyGroup(world.server.pool, owner.rows[0].id, fileIds)
  return world.browser.request('POST', `${DUPLICATES}/compare`, { ids: [publicId('DuplicateGroup', group)] })
}

/** The job that moves one of two equal files to the trash. */
export async function trashDuplicates(world: World) {
  await equalFiles(world)
  return world.browser.request('POST', `${DUPLICATES}/trash`, { keep: 'oldest', home: 'pool' })
}

/** Good answers of the calls on duplicates. */
export const DUPLICATE_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  [`GET ${DUPLICATES}`]: {
    200: ['', '?certainty=certain&minSize=1&home=pool&limit=1', '?type=image,text'].map((query) => async (world) => {
      await equalFiles(world)
      return world.browser.request('GET', DUPLICATES + query)
    }),
  },
  [`GET ${DUPLICATES}/summary`]: {
    200: ['', '?keep=oldest', '?certainty=likely&keep=newest'].map((query) => async (world) => {
      await equalFiles(world)
      return world.browser.request('GET', `${DUPLICATES}/summary${query}`)
    }),
  },
  [`POST ${DUPLICATES}/trash`]: { 202: [trashDuplicates] },
  [`POST ${DUPLICATES}/compare`]: { 202: [compare] },
  [`GET ${DUPLICATES}/comparisons`]: {
    200: [
      async (world) => {
        await compare(world)
        return world.browser.request('GET', `${DUPLICATES}/comparisons`)
      },
    ],
  },
}
