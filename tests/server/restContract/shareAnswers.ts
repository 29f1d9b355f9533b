import { blackPng } from '../../factories/pictures.ts'
import { createBrowser } from '../../setup/browser.ts'
import { call, type Provoke, reusedKey, wrong } from './provoke.ts'
import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

const SHARES = '/api/v1/shares'
const COPY = '/api/v1/files/{fileId}/share/{uploadFileId}'

async function shareFile(world: World, settings: object = {}, headers = {}) {
  return world.browser.request('POST', SHARES, { fileId: await given.uploaded(world), ...settings }, headers)
}

async function shared(world: World, settings: object = {}): Promise<string> {
  return `${SHARES}/${(await shareFile(world, settings)).body.id}`
}

async function sharedFolder(world: World): Promise<{ at: string; inner: string }> {
  const folder = (await given.makeFolder(world)).body.id
  const inner = (await given.upload(world, 'inside.txt', '0123456789', { parentId: folder })).body.id
  const { body } = await world.browser.request('POST', SHARES, { fileId: folder })
  return { at: `${SHARES}/${body.id}`, inner }
}

/** The address of the shares of one copy. */
async function copyAt(world: World): Promise<string> {
  const { id, copies } = (await given.upload(world)).body
  return `/api/v1/files/${id}/share/${copies[0].id}`
}

const got =
  (rest: string, settings: object = {}, headers: Record<string, string> = {}): Attempt =>
  async (world) =>
    world.browser.request('GET', `${await shared(world, settings)}${rest}`, undefined, headers)
const inFolder =
  (rest: (inner: string) => string, headers: Record<string, string> = {}): Attempt =>
  async (world) => {
    const { at, inner } = await sharedFolder(world)
    return world.browser.request('GET', `${at}${rest(inner)}`, undefined, headers)
  }
/** A picture that is shared, or one in a folder that is. */
const pictured =
  (isInFolder: boolean, headers: Record<string, string> = {}, query = ''): Attempt =>
  async (world) => {
    const folder = isInFolder ? (await given.makeFolder(world)).body.id : null
    const form = given.uploadForm('black.png', new Uint8Array(blackPng(40, 30)), folder ? { parentId: folder } : {})
    const { id } = (await world.browser.request('POST', '/api/v1/files', form)).body
    const { body } = await world.browser.request('POST', SHARES, { fileId: folder ?? id })
    const at = `${SHARES}/${body.id}${folder ? `/files/${id}` : ''}/thumbnail${query}`
    return world.browser.request('GET', at, undefined, headers)
  }
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString()

/** Good ends of the calls on shares. */
export const SHARE_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  [`GET ${SHARES}`]: {
    200: ['?limit=1', '?live=true'].map((query) => async (world) => {
      await shareFile(world)
      await shareFile(world)
      const { body } = await world.browser.request('GET', `${SHARES}?limit=1`)
      return world.browser.request('GET', `${SHARES}${query}&cursor=${body.nextCursor}`)
    }),
  },
  [`POST ${SHARES}`]: {
    201: [
      (world) => shareFile(world),
      (world) => shareFile(world, { password: 'p', expiresAt: TOMORROW, maxDownloads: 1 }),
      (world) => shareFile(world, { providerLink: true }),
    ],
  },
  [`PATCH ${SHARES}/{id}`]: {
    200: [
      async (world) => world.browser.request('PATCH', await shared(world), { password: 'p', maxDownloads: 3 }),
      async (world) =>
        world.browser.request('PATCH', await shared(world, { expiresAt: TOMORROW }), { expiresAt: null }),
    ],
  },
  [`DELETE ${SHARES}/{id}`]: { 204: [async (world) => world.browser.request('DELETE', await shared(world))] },
  [`GET ${SHARES}/{id}`]: { 200: [got(''), got('', { password: 'p' }), inFolder(() => '')] },
  [`POST ${SHARES}/{id}/unlock`]: {
    200: [
      // The cookie that it sets is not the session's.
      async (world) =>
        createBrowser(world.server.url).request('POST', `${await shared(world, { password: 'p' })}/unlock`, {
          password: 'p',
        }),
    ],
  },
  [`GET ${SHARES}/{id}/files`]: { 200: [inFolder(() => '/files'), inFolder(() => '/files?limit=1')] },
  [`GET ${SHARES}/{id}/download`]: {
    200: [got('/download'), got('/download?disposition=inline'), inFolder(() => '/download')],
    206: [got('/download', {}, { range: 'bytes=2-5' })],
    304: [got('/download', {}, { 'if-none-match': '*' })],
  },
  [`GET ${SHARES}/{id}/files/{fileId}/download`]: {
    200: [inFolder((inner) => `/files/${inner}/download`)],
    206: [inFolder((inner) => `/files/${inner}/download`, { range: 'bytes=2-5' })],
    304: [inFolder((inner) => `/files/${inner}/download`, { 'if-none-match': '*' })],
  },
  [`GET ${SHARES}/{id}/thumbnail`]: {
    200: [pictured(false), pictured(false, {}, '?size=small'), pictured(false, {}, '?size=64')],
    206: [pictured(false, { range: 'bytes=2-5' })],
    304: [pictured(false, { 'if-none-match': '*' })],
  },
  [`GET ${SHARES}/{id}/files/{fileId}/thumbnail`]: {
    200: [pictured(true), pictured(true, {}, '?size=large'), pictured(true, {}, '?size=256')],
    206: [pictured(true, { range: 'bytes=2-5' })],
    304: [pictured(true, { 'if-none-match': '*' })],
  },
  [`POST ${COPY}`]: {
    201: [
      async (world) => world.browser.request('POST', await copyAt(world)),
      async (world) => world.browser.request('POST', await copyAt(world), '', { 'content-type': 'application/json' }),
      async (world) => world.browser.request('POST', await copyAt(world), { password: 'p' }),
    ],
  },
  [`DELETE ${COPY}`]: {
    204: [
      async (world) => {
        const at = await copyAt(world)
        await world.browser.request('POST', at)
        return world.browser.request('DELETE', at)
      },
    ],
  },
}

/** Ways to the codes of shares. */
export const SHARE_PROBLEMS = {
  PASSWORD_REQUIRED: [
    async (world) =>
      call(world, `GET ${SHARES}/{id}/download`, { at: `${await shared(world, { password: 'p' })}/download` }),
    async (world) => call(world, `GET ${SHARES}/{id}/files`, { at: `${await shared(world, { password: 'p' })}/files` }),
  ],
  WRONG_PASSWORD: [
    async (world) => {
      const at = `${await shared(world, { password: 'p' })}/unlock`
      return call(world, `POST ${SHARES}/{id}/unlock`, { at, body: { password: 'q' } })
    },
  ],
  INVALID_INPUT: [
    ...[
      [{ password: '' }, 'password'],
      [{ password: 'x'.repeat(1001) }, 'password'],
      [{ maxDownloads: 0 }, 'maxDownloads'],
      [{ maxDownloads: 1_000_001 }, 'maxDownloads'],
      [{ expiresAt: '2001-01-01T00:00:00Z' }, 'expiresAt'],
      [{ providerLink: true, password: 'p' }, 'providerLink'],
      [{ colour: 'red' }, 'colour'],
    ].map(
      ([settings, path]): Provoke =>
        async (world) => {
          const body = { fileId: await given.uploaded(world), ...(settings as object) }
          return { ...(await call(world, `POST ${SHARES}`, { body })), paths: [path as string] }
        },
    ),
    wrong(`GET ${SHARES}`, ['cursor'], { at: `${SHARES}?cursor=nonsense` }),
    async (world) => {
      const at = `${await shared(world, { maxDownloads: 2 })}/download?disposition=inline`
      return { ...(await call(world, `GET ${SHARES}/{id}/download`, { at })), paths: ['disposition'] }
    },
  ],
  NOT_FOUND: [async (world) => call(world, `DELETE ${COPY}`, { at: await copyAt(world) })],
  CONFLICT: [
    async (world) => {
      const fileId = await given.uploaded(world)
      await world.browser.request('PATCH', `/api/v1/files/${fileId}`, { trashed: true })
      return call(world, `POST ${SHARES}`, { body: { fileId } })
    },
  ],
  IDEMPOTENCY_KEY_REUSED: [(world) => reusedKey(`POST ${SHARES}`, (headers) => shareFile(world, {}, headers))],
  RANGE_NOT_SATISFIABLE: [
    async (world) => ({
      ...(await call(world, `GET ${SHARES}/{id}/download`, {
        at: `${await shared(world)}/download`,
        headers: { range: 'bytes=10-' },
      })),
      headers: { 'content-range': /^bytes \*\/10$/ },
    }),
  ],
} as const satisfies Readonly<Record<string, readonly Provoke[]>>
