import { createUser } from '../../factories/user.ts'
import { createBrowser } from '../../setup/browser.ts'
import { startTestServer } from '../../setup/server.ts'
import { call, type Provoke } from './provoke.ts'
import type { Attempt, World } from './world.ts'
import * as given from './world.ts'

const INVITATIONS = '/api/v1/invitations'

/** A browser of the first user of the server, who is its administrator. */
async function administrator({ server }: World) {
  const browser = createBrowser(server.url)
  const { rows } = await server.pool.query(`select email from users where role = 'ADMINISTRATOR'`)
  await browser.request('POST', '/api/v1/auth/login', { email: rows[0].email, password: given.PASSWORD })
  return browser
}

async function invited(world: World) {
  const browser = await administrator(world)
  return { browser, invitation: (await browser.request('POST', INVITATIONS, { expiresInDays: 1 })).body }
}

/** Good answers of what concerns the server as a whole. */
export const ADMINISTRATION_ANSWERS: Readonly<Record<string, Readonly<Record<number, readonly Attempt[]>>>> = {
  'GET /api/v1/auth/registration': { 200: [({ browser }) => browser.request('GET', '/api/v1/auth/registration')] },
  'GET /api/v1/administration': {
    200: [async (world) => (await administrator(world)).request('GET', '/api/v1/administration')],
  },
  [`GET ${INVITATIONS}`]: {
    200: [async (world) => (await invited(world)).browser.request('GET', `${INVITATIONS}?limit=1`)],
  },
  [`POST ${INVITATIONS}`]: {
    201: [
      async (world) => (await administrator(world)).request('POST', INVITATIONS, { email: 'b@example.org' }),
      async (world) => (await administrator(world)).request('POST', INVITATIONS, {}),
    ],
  },
  [`DELETE ${INVITATIONS}/{id}`]: {
    204: [
      async (world) => {
        const { browser, invitation } = await invited(world)
        return browser.request('DELETE', `${INVITATIONS}/${invitation.id}`)
      },
    ],
  },
}

const member: Provoke = async (world) => {
  const { browser } = await given.register(world)
  return call({ ...world, browser }, `GET ${INVITATIONS}`)
}

const closed: Provoke = async () => {
  const server = await startTestServer({ registration: 'CLOSED' })
  try {
    await createUser(server.services.users)
    const { answer } = await given.register({ server, browser: createBrowser(server.url) })
    return { operation: 'POST /api/v1/auth/register', answer }
  } finally {
    await server.close()
  }
}

export const ADMINISTRATION_PROBLEMS = {
  NOT_ADMINISTRATOR: [member],
  REGISTRATION_CLOSED: [closed],
} as const satisfies Readonly<Record<string, readonly Provoke[]>>
