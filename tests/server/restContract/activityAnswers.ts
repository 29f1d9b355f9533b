import type { Attempt } from './world.ts'
import * as given from './world.ts'

const ACTIVITY = '/api/v1/activity'

/** Good answers of the log of what was done. */
export const ACTIVITY_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  'GET /api/v1/changes': {
    200: [
      async (world) => world.browser.request('GET', '/api/v1/changes'),
      async (world) => {
        const { body } = await world.browser.request('GET', '/api/v1/changes')
        await given.uploaded(world)
        return world.browser.request('GET', `/api/v1/changes?since=${body.position}&limit=1`)
      },
    ],
  },
  [`GET ${ACTIVITY}`]: {
    200: [
      async (world) => {
        await given.uploaded(world)
        return world.browser.request('GET', `${ACTIVITY}?limit=1`)
      },
      async (world) => {
        const id = await given.uploaded(world)
        return world.browser.request(
          'GET',
          `${ACTIVITY}?subjectId=${id}&fileId=${id}&action=file_uploaded,file_deleted&q=a`,
        )
      },
      async (world) => {
        const { body } = await world.browser.request('GET', `${ACTIVITY}?limit=1`)
        return world.browser.request('GET', `${ACTIVITY}?cursor=${body.nextCursor}`)
      },
    ],
  },
}
