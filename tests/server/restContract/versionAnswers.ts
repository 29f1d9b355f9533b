import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

const FILES = '/api/v1/files'

const write = ({ browser }: World, id: string, text: string) =>
  browser.request('PUT', `${FILES}/${id}/content`, new TextEncoder().encode(text), {
    'content-type': 'application/octet-stream',
  })

/** A file that was replaced. @returns the path of its earlier version */
async function replaced(world: World): Promise<string> {
  const id = await given.uploaded(world)
  await write(world, id, 'later')
  const { items } = (await world.browser.request('GET', `${FILES}/${id}/versions`)).body
  return `/api/v1/versions/${items[1].id}`
}

const download =
  (headers: Record<string, string>): Attempt =>
  async (world) =>
    world.browser.request('GET', `${await replaced(world)}/download`, undefined, headers)

/** Good answers of the calls on versions. */
export const VERSION_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  [`GET ${FILES}/{id}/versions`]: {
    200: ['', '?limit=1'].map((query) => async (world) => {
      const id = await given.uploaded(world)
      await write(world, id, 'later')
      return world.browser.request('GET', `${FILES}/${id}/versions${query}`)
    }),
  },
  [`PUT ${FILES}/{id}/content`]: { 200: [async (world) => write(world, await given.uploaded(world), 'later')] },
  'GET /api/v1/versions/{id}/download': {
    200: [async (world) => world.browser.request('GET', `${await replaced(world)}/download`)],
    206: [download({ range: 'bytes=2-5' })],
    304: [download({ 'if-none-match': '*' })],
  },
  'POST /api/v1/versions/{id}/restore': {
    200: [async (world) => world.browser.request('POST', `${await replaced(world)}/restore`)],
  },
  'DELETE /api/v1/versions/{id}': { 204: [async (world) => world.browser.request('DELETE', await replaced(world))] },
  'GET /api/v1/version-limits': { 200: [({ browser }) => browser.request('GET', '/api/v1/version-limits')] },
  'PATCH /api/v1/version-limits': {
    200: [({ browser }) => browser.request('PATCH', '/api/v1/version-limits', { days: 30, most: 100 })],
  },
}
