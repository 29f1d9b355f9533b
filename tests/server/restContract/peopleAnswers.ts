import { createBrowser } from '../../setup/browser.ts'
import { mailTo, tokenIn } from '../../setup/mails.ts'
import { call, LOGIN, type Provoke, stranger, wrong } from './provoke.ts'
import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

const AUTH = '/api/v1/auth'
const SESSIONS = '/api/v1/sessions'
const NEW_PASSWORD = 'quite another secret'

/** A link that somebody asked for. */
async function forgotten(world: World) {
  const { email } = await given.register(world)
  const answer = await createBrowser(world.server.url).request('POST', `${AUTH}/forgot-password`, { email })
  return { answer, token: tokenIn(await mailTo(world.server.dataDir, email)) }
}

const secondSession = async (world: World) => {
  const { email, browser } = await given.register(world)
  const other = createBrowser(world.server.url)
  await other.request('POST', LOGIN, { email, password: given.PASSWORD })
  return { browser, other }
}

/** Good ends of the calls on people. */
export const PEOPLE_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  [`POST ${AUTH}/forgot-password`]: {
    202: [
      async (world) => (await forgotten(world)).answer,
      ({ server }) => {
        const email = `${given.unique('nobody')}@example.org`
        return createBrowser(server.url).request('POST', `${AUTH}/forgot-password`, { email })
      },
    ],
  },
  [`POST ${AUTH}/reset-password`]: {
    204: [
      async (world) => {
        const { token } = await forgotten(world)
        const body = { token, password: NEW_PASSWORD }
        return createBrowser(world.server.url).request('POST', `${AUTH}/reset-password`, body)
      },
    ],
  },
  [`PATCH ${AUTH}/me`]: {
    200: [
      async (world) => (await given.register(world)).browser.request('PATCH', `${AUTH}/me`, { fullName: 'Ada K.' }),
    ],
  },
  [`POST ${AUTH}/password`]: {
    204: [
      async (world) => {
        const body = { currentPassword: given.PASSWORD, newPassword: NEW_PASSWORD }
        return (await given.register(world)).browser.request('POST', `${AUTH}/password`, body)
      },
    ],
  },
  [`DELETE ${AUTH}/me`]: {
    204: [
      async (world) =>
        (await given.register(world)).browser.request('DELETE', `${AUTH}/me`, {
          password: given.PASSWORD,
          deleteRemote: true,
        }),
    ],
  },
  [`GET ${SESSIONS}`]: {
    200: [
      async (world) => {
        const { browser } = await secondSession(world)
        const { nextCursor } = (await browser.request('GET', `${SESSIONS}?limit=1`)).body
        return browser.request('GET', `${SESSIONS}?cursor=${nextCursor}`)
      },
    ],
  },
  [`DELETE ${SESSIONS}`]: {
    204: [async (world) => (await secondSession(world)).browser.request('DELETE', SESSIONS)],
  },
  [`DELETE ${SESSIONS}/{id}`]: {
    204: [0, 1].map((index) => async (world: World) => {
      const { browser } = await secondSession(world)
      const { items } = (await browser.request('GET', SESSIONS)).body
      return browser.request('DELETE', `${SESSIONS}/${items[index].id}`)
    }),
  },
}

const tooManyAsked: Provoke = async (world) => {
  const email = `${given.unique('nobody')}@example.org`
  const ask = () => stranger(world, `POST ${AUTH}/forgot-password`, { body: { email } })
  await Promise.all(Array.from({ length: 5 }, ask))
  return { ...(await ask()), headers: { 'retry-after': /^[1-9]\d*$/ } }
}

/** Ways to the problems that calls on people have. */
export const PEOPLE_PROBLEMS = {
  INVALID_TOKEN: [
    (world) =>
      stranger(world, `POST ${AUTH}/reset-password`, { body: { token: 'x'.repeat(43), password: NEW_PASSWORD } }),
  ],
  INVALID_INPUT: [
    wrong(`POST ${AUTH}/forgot-password`, ['email'], { body: { email: 'nobody' } }),
    wrong(`PATCH ${AUTH}/me`, ['fullName'], { body: { fullName: ' ' } }),
    wrong(`POST ${AUTH}/password`, ['currentPassword'], {
      body: { currentPassword: 'not this one', newPassword: NEW_PASSWORD },
    }),
    wrong(`DELETE ${AUTH}/me`, ['password'], { body: { password: 'not this one' } }),
  ],
  TOO_MANY_REQUESTS: [tooManyAsked],
  NOT_FOUND: [(world) => call(world, `DELETE ${SESSIONS}/{id}`, { at: `${SESSIONS}/sess_${given.UNKNOWN}` })],
} as const satisfies Readonly<Record<string, readonly Provoke[]>>
