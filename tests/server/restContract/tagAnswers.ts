import type { Provoke } from './provoke.ts'
import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

const TAGS = '/api/v1/tags'
const FILES = '/api/v1/files'

const makeTag = ({ browser }: World, name = given.unique('Tag'), headers = {}) =>
  browser.request('POST', TAGS, { name, color: 'BLUE' }, headers)

async function tagged(world: World) {
  const [id, tag] = [await given.uploaded(world), (await makeTag(world)).body.id]
  return { id, tag, answer: await world.browser.request('POST', `${FILES}/tags`, { ids: [id], add: [tag] }) }
}

/** Good answers of the calls on tags and colours. */
export const TAG_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  [`GET ${TAGS}`]: {
    200: [
      async (world) => {
        await tagged(world)
        await makeTag(world)
        const { body } = await world.browser.request('GET', `${TAGS}?limit=1`)
        return world.browser.request('GET', `${TAGS}?limit=1&cursor=${body.nextCursor}`)
      },
    ],
  },
  [`POST ${TAGS}`]: { 201: [(world) => makeTag(world)] },
  [`PATCH ${TAGS}/{id}`]: {
    200: [
      async (world) =>
        world.browser.request('PATCH', `${TAGS}/${(await makeTag(world)).body.id}`, {
          name: given.unique('Renamed'),
          color: 'RED',
        }),
    ],
  },
  [`DELETE ${TAGS}/{id}`]: {
    204: [async (world) => world.browser.request('DELETE', `${TAGS}/${(await makeTag(world)).body.id}`)],
  },
  [`POST ${FILES}/tags`]: {
    200: [
      async (world) => (await tagged(world)).answer,
      async (world) => {
        const { id, tag } = await tagged(world)
        return world.browser.request('POST', `${FILES}/tags`, { ids: [id], remove: [tag] })
      },
    ],
  },
  [`POST ${FILES}/color`]: {
    200: [
      async (world) =>
        world.browser.request('POST', `${FILES}/color`, {
          ids: [(await given.makeFolder(world)).body.id],
          color: 'GREEN',
        }),
    ],
  },
}

export const TAG_NAMES_TAKEN: readonly Provoke[] = [
  async (world) => {
    const { name } = (await makeTag(world)).body
    return { operation: `POST ${TAGS}`, answer: await makeTag(world, name.toUpperCase()) }
  },
  async (world) => {
    const [one, two] = [(await makeTag(world)).body, (await makeTag(world)).body]
    const answer = await world.browser.request('PATCH', `${TAGS}/${two.id}`, { name: one.name })
    return { operation: `PATCH ${TAGS}/{id}`, answer }
  },
]

/** One tag too many, for a user of their own. */
export const TAG_CONFLICT: Provoke = async (world) => {
  const { browser } = await given.register(world)
  const own = { ...world, browser }
  for (let number = 0; number < 100; number += 1) await makeTag(own)
  return { operation: `POST ${TAGS}`, answer: await makeTag(own) }
}

export const TAG_KEY_REUSED: Provoke = async (world) => {
  const headers = { 'idempotency-key': given.unique('key') }
  await makeTag(world, undefined, headers)
  return { operation: `POST ${TAGS}`, answer: await makeTag(world, undefined, headers) }
}
