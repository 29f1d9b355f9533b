import { call, type Provoke, reusedKey, wrong } from './provoke.ts'
import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

const KEYS = '/api/v1/keys'

const make = ({ browser }: World, more: object = {}, headers = {}) =>
  browser.request('POST', KEYS, { name: given.unique('Key'), ...more }, headers)
const made = async (world: World): Promise<{ id: string; key: string }> => (await make(world)).body

/** One way to each good end of the calls on API keys. */
export const KEY_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  [`GET ${KEYS}`]: {
    200: [
      async (world) => {
        await made(world)
        return world.browser.request('GET', KEYS)
      },
      async (world) => {
        await Promise.all([made(world), made(world)])
        const { body } = await world.browser.request('GET', `${KEYS}?limit=1`)
        return world.browser.request('GET', `${KEYS}?limit=1&cursor=${body.nextCursor}`)
      },
    ],
  },
  [`POST ${KEYS}`]: {
    201: [
      (world) => make(world),
      (world) => make(world, { scopes: ['SHARE'], expiresAt: '2100-01-01T00:00:00Z' }),
      (world) => make(world, { expiresAt: null }),
    ],
  },
  [`POST ${KEYS}/{id}/regenerate`]: {
    200: [async (world) => world.browser.request('POST', `${KEYS}/${(await made(world)).id}/regenerate`)],
  },
  [`DELETE ${KEYS}/{id}`]: {
    204: [
      async (world) => world.browser.request('DELETE', `${KEYS}/${(await made(world)).id}`),
      async (world) => {
        const { id } = await made(world)
        await world.browser.request('DELETE', `${KEYS}/${id}`)
        return world.browser.request('DELETE', `${KEYS}/${id}`)
      },
    ],
  },
  [`GET ${KEYS}/{id}/usage`]: {
    200: [
      async (world) => {
        const { id, key } = await made(world)
        await fetch(`${world.server.url}/api/v1/files`, { headers: { authorization: `Bearer ${key}` } })
        return world.browser.request('GET', `${KEYS}/${id}/usage`)
      },
    ],
  },
}

const byKey = (operation: string, scopes: readonly string[]): Provoke => {
  return async (world) => {
    const { key } = (await make(world, { scopes })).body
    return call(world, operation, { body: { name: 'x' }, headers: { authorization: `Bearer ${key}` } })
  }
}

/** Ways to the problems that calls with keys, and on them, have. */
export const KEY_PROBLEMS = {
  KEY_REFUSED: [byKey(`POST ${KEYS}`, ['WRITE', 'SHARE']), byKey('POST /api/v1/group-clouds', ['SHARE'])],
  INVALID_INPUT: [
    wrong(`POST ${KEYS}`, ['name'], { body: { name: ' ' } }),
    wrong(`POST ${KEYS}`, ['scopes.0'], { body: { name: 'x', scopes: ['ADMIN'] } }),
    wrong(`POST ${KEYS}`, ['expiresAt'], { body: { name: 'x', expiresAt: '2001-01-01T00:00:00Z' } }),
  ],
  CONFLICT: [
    async (world) => {
      const { id } = await made(world)
      await world.browser.request('DELETE', `${KEYS}/${id}`)
      return call(world, `POST ${KEYS}/{id}/regenerate`, { at: `${KEYS}/${id}/regenerate` })
    },
  ],
  IDEMPOTENCY_KEY_REUSED: [(world) => reusedKey(`POST ${KEYS}`, (headers) => make(world, {}, headers))],
  UNAUTHENTICATED: [
    async (world) => ({
      ...(await call(world, 'GET /api/v1/files', { headers: { authorization: 'Bearer sky_live_x' } })),
      headers: { 'www-authenticate': /^Bearer$/ },
    }),
  ],
} as const satisfies Readonly<Record<string, readonly Provoke[]>>
