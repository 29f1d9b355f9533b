import { expect, vi } from 'vitest'
import { blackPng, filmHead } from '../../factories/pictures.ts'
import { createBrowser, readAnswer } from '../../setup/browser.ts'
import { ACCOUNT_ANSWERS, documentOf } from './accountAnswers.ts'
import { ACTIVITY_ANSWERS } from './activityAnswers.ts'
import { ADMINISTRATION_ANSWERS } from './administrationAnswers.ts'
import { DUPLICATE_ANSWERS } from './duplicateAnswers.ts'
import { JOB_ANSWERS, JOB_STARTS } from './jobAnswers.ts'
import { KEY_ANSWERS } from './keyAnswers.ts'
import { PEOPLE_ANSWERS } from './peopleAnswers.ts'
import { PROTECTION_ANSWERS } from './protectionAnswers.ts'
import { SHARE_ANSWERS } from './shareAnswers.ts'
import { TAG_ANSWERS } from './tagAnswers.ts'
import { TELEGRAM_ANSWERS } from './telegramAnswers.ts'
import { TRANSFER_ANSWERS } from './transferAnswers.ts'
import { UPLOAD_LINK_ANSWERS } from './uploadLinkAnswers.ts'
import { VERSION_ANSWERS } from './versionAnswers.ts'
import type { Attempt } from './world.ts'
import * as given from './world.ts'

/** By operation and status: one way to each good end that the document promises. */
type GoodAnswers = Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>>

const FILES = '/api/v1/files'
const CLOUDS = '/api/v1/group-clouds'

const auth: GoodAnswers = {
  'POST /api/v1/auth/register': { 201: [async (world) => (await given.register(world)).answer] },
  'POST /api/v1/auth/login': {
    200: [
      async (world) => {
        const { email, browser } = await given.register(world)
        return browser.request('POST', '/api/v1/auth/login', { email, password: given.PASSWORD, rememberMe: true })
      },
    ],
  },
  'POST /api/v1/auth/logout': {
    204: [
      async (world) => (await given.register(world)).browser.request('POST', '/api/v1/auth/logout'),
      ({ server }) => createBrowser(server.url).request('POST', '/api/v1/auth/logout'),
    ],
  },
  'GET /api/v1/auth/validate': { 200: [({ browser }) => browser.request('GET', '/api/v1/auth/validate')] },
  'GET /api/v1/auth/me': {
    200: [
      ({ browser }) => browser.request('GET', '/api/v1/auth/me'),
      async ({ browser, server }) => {
        const { key } = (await browser.request('POST', '/api/v1/keys', { name: given.unique('Key') })).body
        const headers = { authorization: `Bearer ${key}` }
        return readAnswer(await fetch(`${server.url}/api/v1/auth/me`, { headers }))
      },
    ],
  },
}

const groupClouds: GoodAnswers = {
  [`GET ${CLOUDS}`]: {
    200: [
      ({ browser }) => browser.request('GET', CLOUDS),
      async (world) => {
        await given.makeGroupCloud(world)
        const { body } = await world.browser.request('GET', `${CLOUDS}?limit=1`)
        return world.browser.request('GET', `${CLOUDS}?limit=1&cursor=${body.nextCursor}`)
      },
    ],
  },
  [`POST ${CLOUDS}`]: {
    201: [
      (world) => given.makeGroupCloud(world),
      ({ browser }) =>
        browser.request('POST', CLOUDS, { name: given.unique('Two'), placement: 'ROUND_ROBIN', spanning: false }),
    ],
  },
  [`PATCH ${CLOUDS}/{id}`]: {
    200: [
      async (world) => {
        const { id } = (await given.makeGroupCloud(world)).body
        return world.browser.request('PATCH', `${CLOUDS}/${id}`, { name: given.unique('New'), placement: 'IN_ORDER' })
      },
      async (world) => {
        const { id, members } = (await given.makeGroupCloud(world)).body
        const [{ accountId }] = members
        const patch = { accountIds: [accountId], keepFreeBytes: { [accountId]: 5 }, copies: 1 }
        return world.browser.request('PATCH', `${CLOUDS}/${id}`, patch)
      },
    ],
  },
  [`GET ${CLOUDS}/{id}`]: {
    200: [async (world) => world.browser.request('GET', `${CLOUDS}/${(await given.makeGroupCloud(world)).body.id}`)],
  },
  [`GET ${CLOUDS}/{id}/placement`]: {
    200: [1, 10 ** 15].map((size) => async (world) => {
      const { id } = (await given.makeGroupCloud(world)).body
      return world.browser.request('GET', `${CLOUDS}/${id}/placement?size=${size}`)
    }),
  },
  [`PATCH ${CLOUDS}/{id}/members/{accountId}`]: {
    200: [
      async (world) => {
        const { id, members } = (await given.makeGroupCloud(world)).body
        return world.browser.request('PATCH', `${CLOUDS}/${id}/members/${members[0].accountId}`, { draining: false })
      },
    ],
  },
  [`DELETE ${CLOUDS}/{id}`]: {
    204: [
      async (world) => {
        const { id } = (await given.makeGroupCloud(world)).body
        return world.browser.request('DELETE', `${CLOUDS}/${id}`)
      },
      async (world) => {
        const { id } = (await given.makeGroupCloud(world)).body
        const form = given.uploadForm(`${given.unique('kept')}.txt`, 'a', { groupCloudId: id })
        await world.browser.request('POST', FILES, form)
        const target = (await given.makeGroupCloud(world)).body.id
        await world.browser.request('DELETE', `${CLOUDS}/${id}?moveTo=${target}`)
        return world.browser.request('DELETE', `${CLOUDS}/${target}?files=trash`)
      },
    ],
  },
}

const QUERIES = [
  '',
  '?view=all&limit=1',
  '?view=drive&sort=-size',
  '?view=shared',
  '?view=starred&type=text,image',
  '?view=trash&sort=modified',
  '?q=note&provider=local',
  '?home=pool&minSize=1&maxSize=100&modifiedAfter=2020-01-01T00:00:00Z&modifiedBefore=2100-01-01T00:00:00Z',
  '?path=/',
]
const PATCHES = [{ name: 'new name.txt' }, { parentId: null }, { starred: true }, { trashed: true }, {}]

const files: GoodAnswers = {
  [`GET ${FILES}`]: {
    200: QUERIES.map((query) => async (world) => {
      await given.uploaded(world)
      return world.browser.request('GET', FILES + query)
    }),
  },
  [`POST ${FILES}`]: {
    201: [
      (world) => given.upload(world),
      (world) => given.upload(world, 'empty.txt', ''),
      async (world) => {
        const folder = (await given.makeFolder(world)).body.id
        return given.upload(world, 'replaced.txt', 'b', { parentId: folder, onConflict: 'replace' })
      },
    ],
  },
  [`GET ${FILES}/{id}`]: {
    200: [
      async (world) => world.browser.request('GET', `${FILES}/${await given.uploaded(world)}`),
      async (world) => world.browser.request('GET', `${FILES}/${(await given.makeFolder(world)).body.id}`),
    ],
  },
  [`PATCH ${FILES}/{id}`]: {
    200: PATCHES.map((patch) => async (world) => {
      return world.browser.request('PATCH', `${FILES}/${await given.uploaded(world)}`, patch)
    }),
  },
  [`DELETE ${FILES}/{id}`]: {
    204: ['', '?permanent', '?permanent=true'].map((query) => async (world) => {
      return world.browser.request('DELETE', `${FILES}/${await given.uploaded(world)}${query}`)
    }),
  },
  [`POST ${FILES}/folders`]: {
    201: [
      (world) => given.makeFolder(world),
      async (world) => given.makeFolder(world, 'Inside', { parentId: (await given.makeFolder(world)).body.id }),
    ],
  },
}

/** One that can be changed, and one that is not there. */
async function many(world: given.World, act: string, more: object = {}) {
  const ids = [await given.uploaded(world), `file_${given.UNKNOWN}`]
  return world.browser.request('POST', `${FILES}/${act}`, { ids, ...more })
}

const copies: GoodAnswers = {
  [`POST ${FILES}/copy`]: {
    201: [
      async (world) => given.copy(world, [await given.uploaded(world)]),
      async (world) => {
        const folder = (await given.makeFolder(world)).body.id
        await given.upload(world, 'inside.txt', 'a', { parentId: folder })
        return given.copy(world, [folder, await given.uploaded(world)])
      },
    ],
    202: [JOB_STARTS.copy],
  },
  'POST /api/v1/copies/{id}/keep': {
    201: [
      async (world) => {
        const { copies } = (await given.upload(world)).body
        const changed = `update pieces set changed_at = now() where 'copy_' || replace(copy_id::text, '-', '') = $1`
        await world.server.pool.query(changed, [copies[0].id])
        return world.browser.request('POST', `/api/v1/copies/${copies[0].id}/keep`)
      },
    ],
  },
  [`POST ${FILES}/move`]: { 200: [(world) => many(world, 'move', { parentId: null })], 202: [JOB_STARTS.move] },
  [`POST ${FILES}/star`]: { 200: [(world) => many(world, 'star', { starred: true })] },
  [`POST ${FILES}/trash`]: { 200: [(world) => many(world, 'trash')], 202: [JOB_STARTS.trash] },
  [`POST ${FILES}/restore`]: { 200: [(world) => many(world, 'restore')], 202: [JOB_STARTS.restore] },
  [`POST ${FILES}/delete`]: { 200: [(world) => many(world, 'delete')], 202: [JOB_STARTS.delete] },
  [`POST ${FILES}/trash/empty`]: { 200: [({ browser }) => browser.request('POST', `${FILES}/trash/empty`)] },
  [`GET ${FILES}/content-matches`]: {
    200: [
      async (world) => {
        await given.upload(world, undefined, 'lantern at the quay')
        return vi.waitFor(
          async () => {
            const answer = await world.browser.request('GET', `${FILES}/content-matches?q=lantern&view=drive&limit=1`)
            expect(answer.body.items).toHaveLength(1)
            return answer
          },
          { timeout: 20_000, interval: 100 },
        )
      },
      (world) => world.browser.request('GET', `${FILES}/content-matches?q=unknownword`),
    ],
  },
  [`GET ${FILES}/by-path`]: {
    200: [
      async (world) => {
        const { name } = (await given.makeFolder(world)).body
        return world.browser.request('GET', `${FILES}/by-path?path=/${encodeURIComponent(name)}`)
      },
    ],
  },
}

const downloaded =
  (headers: Record<string, string>, query = ''): Attempt =>
  async (world) =>
    world.browser.request('GET', `${FILES}/${await given.uploaded(world)}/download${query}`, undefined, headers)

const pictured =
  (headers: Record<string, string>, query = ''): Attempt =>
  async (world) => {
    const form = given.uploadForm('black.png', new Uint8Array(blackPng(40, 30)))
    const { id } = (await world.browser.request('POST', FILES, form)).body
    return world.browser.request('GET', `${FILES}/${id}/thumbnail${query}`, undefined, headers)
  }

const film: Attempt = async (world) => {
  const form = given.uploadForm('film.mp4', new Uint8Array(filmHead()))
  const { id, size } = (await world.browser.request('POST', FILES, form)).body
  const frame = new Uint8Array(blackPng(40, 30))
  const headers = { 'content-type': 'image/png' }
  return world.browser.request('PUT', `${FILES}/${id}/thumbnail?size=${size}&durationMs=1500`, frame, headers)
}

const downloads: GoodAnswers = {
  [`GET ${FILES}/{id}/download`]: {
    200: [
      downloaded({}),
      downloaded({}, '?disposition=inline'),
      async (world) => world.browser.request('GET', `${FILES}/${(await given.makeFolder(world)).body.id}/download`),
    ],
    206: [downloaded({ range: 'bytes=2-5' })],
    304: [downloaded({ 'if-none-match': '*' })],
  },
  [`GET ${FILES}/{id}/export`]: {
    200: ['', '?type=pdf', '?type=pdf&disposition=inline'].map((query) => async (world) => {
      return world.browser.request('GET', `${FILES}/${await documentOf(world)}/export${query}`)
    }),
  },
  [`GET ${FILES}/{id}/thumbnail`]: {
    200: [pictured({}), pictured({}, '?size=small'), pictured({}, '?size=large'), pictured({}, '?size=1024')],
    206: [pictured({ range: 'bytes=2-5' })],
    304: [pictured({ 'if-none-match': '*' })],
  },
  [`PUT ${FILES}/{id}/thumbnail`]: { 204: [film] },
  [`GET ${FILES}/archive`]: {
    200: [
      async (world) =>
        world.browser.request(
          'GET',
          `${FILES}/archive?ids=${await given.uploaded(world)},${await given.uploaded(world)}`,
        ),
    ],
  },
}

const uploads: GoodAnswers = {
  'OPTIONS /api/v1/uploads': { 204: [({ browser }) => browser.request('OPTIONS', '/api/v1/uploads')] },
  'POST /api/v1/uploads': {
    201: [
      (world) => given.begin(world),
      (world) => given.begin(world, 0),
      ({ browser }) => {
        const headers = { ...given.TUS_BYTES, 'upload-length': '4', 'upload-metadata': 'filename YS50eHQ=' }
        return browser.request('POST', '/api/v1/uploads', Buffer.from('abcd'), headers)
      },
    ],
  },
  'GET /api/v1/uploads/{id}': {
    200: [
      async (world) => world.browser.request('GET', await given.begun(world)),
      async (world) => {
        const location = await given.begun(world, 4)
        await given.append(world, location, 'abcd')
        return world.browser.request('GET', location)
      },
    ],
  },
  'HEAD /api/v1/uploads/{id}': {
    200: [async (world) => world.browser.request('HEAD', await given.begun(world), undefined, given.TUS)],
  },
  'PATCH /api/v1/uploads/{id}': {
    204: [
      async (world) => given.append(world, await given.begun(world, 4), 'ab'),
      async (world) => given.append(world, await given.begun(world, 4), 'abcd'),
    ],
  },
  'DELETE /api/v1/uploads/{id}': {
    204: [async (world) => world.browser.request('DELETE', await given.begun(world), undefined, given.TUS)],
  },
}

export const GOOD_ANSWERS: GoodAnswers = {
  ...auth,
  ...groupClouds,
  ...files,
  ...copies,
  ...downloads,
  ...uploads,
  ...ACCOUNT_ANSWERS,
  ...ACTIVITY_ANSWERS,
  ...KEY_ANSWERS,
  ...PEOPLE_ANSWERS,
  ...ADMINISTRATION_ANSWERS,
  ...TELEGRAM_ANSWERS,
  ...JOB_ANSWERS,
  ...PROTECTION_ANSWERS,
  ...VERSION_ANSWERS,
  ...DUPLICATE_ANSWERS,
  ...TRANSFER_ANSWERS,
  ...SHARE_ANSWERS,
  ...UPLOAD_LINK_ANSWERS,
  ...TAG_ANSWERS,
}
