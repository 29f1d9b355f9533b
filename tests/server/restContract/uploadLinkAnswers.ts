import { createBrowser } from '../../setup/browser.ts'
import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

const LINKS = '/api/v1/upload-links'

async function linkTo(world: World, settings: object = {}) {
  const folderId = (await given.makeFolder(world)).body.id
  return world.browser.request('POST', LINKS, { folderId, title: 'Photos', ...settings })
}

async function linked(world: World, settings: object = {}): Promise<string> {
  return `${LINKS}/${(await linkTo(world, settings)).body.id}`
}

const CREATION = { ...given.TUS_BYTES, 'upload-length': '4', 'upload-metadata': 'filename YS50eHQ=' }

async function begun(world: World, bytes = 'ab'): Promise<string> {
  const answer = await world.browser.request('POST', `${await linked(world)}/uploads`, Buffer.from(bytes), CREATION)
  return answer.headers.get('location') ?? ''
}

const appended =
  (bytes: string): Attempt =>
  async (world) =>
    world.browser.request('PATCH', await begun(world), Buffer.from(bytes), {
      ...given.TUS_BYTES,
      'upload-offset': '2',
    })
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString()

/** Good ends of the calls on upload links. */
export const UPLOAD_LINK_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  [`GET ${LINKS}`]: {
    200: ['?limit=1', '?live=true'].map((query) => async (world) => {
      await linkTo(world)
      await linkTo(world)
      const { body } = await world.browser.request('GET', `${LINKS}?limit=1`)
      return world.browser.request('GET', `${LINKS}${query}&cursor=${body.nextCursor}`)
    }),
  },
  [`POST ${LINKS}`]: {
    201: [
      (world) => linkTo(world),
      (world) => {
        const limits = { maxFiles: 3, maxBytes: 3000, maxFileBytes: 1000 }
        const settings = { message: 'Please.', password: 'p', expiresAt: TOMORROW, asksName: true, notifies: true }
        return linkTo(world, { ...limits, ...settings })
      },
    ],
  },
  [`PATCH ${LINKS}/{id}`]: {
    200: [async (world) => world.browser.request('PATCH', await linked(world), { title: 'Plans', maxFiles: 3 })],
  },
  [`DELETE ${LINKS}/{id}`]: { 204: [async (world) => world.browser.request('DELETE', await linked(world))] },
  [`GET ${LINKS}/{id}`]: {
    200: [
      async (world) => world.browser.request('GET', await linked(world, { expiresAt: TOMORROW })),
      async (world) => world.browser.request('GET', await linked(world, { password: 'p' })),
    ],
  },
  [`POST ${LINKS}/{id}/unlock`]: {
    200: [
      // The cookie that it sets is not the session's.
      async (world) =>
        createBrowser(world.server.url).request('POST', `${await linked(world, { password: 'p' })}/unlock`, {
          password: 'p',
        }),
    ],
  },
  [`POST ${LINKS}/{id}/files`]: {
    201: [
      async (world) => world.browser.request('POST', `${await linked(world)}/files`, given.uploadForm('a.txt', 'abcd')),
    ],
  },
  [`POST ${LINKS}/{id}/uploads`]: {
    201: ['ab', 'abcd'].map((bytes) => async (world) => {
      return world.browser.request('POST', `${await linked(world)}/uploads`, Buffer.from(bytes), CREATION)
    }),
  },
  [`GET ${LINKS}/{id}/uploads/{uploadId}`]: {
    200: ['ab', 'abcd'].map((bytes) => async (world) => world.browser.request('GET', await begun(world, bytes))),
  },
  [`HEAD ${LINKS}/{id}/uploads/{uploadId}`]: {
    200: [async (world) => world.browser.request('HEAD', await begun(world), undefined, given.TUS)],
  },
  [`PATCH ${LINKS}/{id}/uploads/{uploadId}`]: { 204: [appended('c'), appended('cd')] },
  [`DELETE ${LINKS}/{id}/uploads/{uploadId}`]: {
    204: [async (world) => world.browser.request('DELETE', await begun(world), undefined, given.TUS)],
  },
}
