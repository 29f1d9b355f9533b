import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser, type TestUser } from '../factories/user.ts'
import { type Answer, createGraphqlClient } from '../setup/graphqlClient.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

/** What the pages of keys and sessions listen to. */
const CHANGES = `subscription { changes {
  files { truncated } viewer { id } access { apiKeys { name status } sessions { name } }
} }`
const BROWSER = { address: '192.0.2.7', userAgent: 'curl/8.5.0' }

let server: TestServer
let ada: TestUser
const stop = new AbortController()

beforeAll(async () => {
  server = await startTestServer()
  ada = await createUser(server.services.users)
})
afterAll(async () => {
  stop.abort()
  await server?.close()
})

async function listen(user: TestUser) {
  // That the user has just signed in is told before.
  await sleep(300)
  const answers = createGraphqlClient(server.url, user.token).stream(CHANGES, {}, stop.signal)
  const first = answers.next()
  first.catch(() => {})
  await sleep(200)
  let next = first
  /** What it says of access; of everything else it must say nothing. */
  return async (): Promise<{ keys: string[]; sessions: number }> => {
    const { value } = await next
    next = answers.next()
    next.catch(() => {})
    const { files, viewer, access } = (value as Answer).data.changes
    expect([files, viewer]).toEqual([null, null])
    const keys = access.apiKeys.map((key: { name: string; status: string }) => `${key.name} ${key.status}`)
    return { keys, sessions: access.sessions.length }
  }
}

test('keys and sessions that are made, changed or ended are told to their owner, as they are by then', async () => {
  const { keys, people, users } = server.services
  const { viewer, email, password } = ada
  const told = await listen(ada)
  const key = await keys.create(viewer, { name: 'CI' }, 'once')
  expect(await told()).toEqual({ keys: ['CI ACTIVE'], sessions: 1 })
  await keys.create(viewer, { name: 'CI' }, 'once')
  await keys.regenerate(viewer, key.id)
  expect(await told()).toEqual({ keys: ['CI ACTIVE'], sessions: 1 })
  await keys.revoke(viewer, key.id)
  expect(await told()).toEqual({ keys: ['CI REVOKED'], sessions: 1 })

  const signIn = async () => {
    const { token } = await users.login({ email, password, rememberMe: false }, BROWSER)
    expect((await told()).sessions).toBe(2)
    const other = await users.viewerOf(token)
    if (!other) throw new Error('A new session has to be alive.')
    return other
  }
  await users.logout(await signIn())
  expect((await told()).sessions).toBe(1)
  await people.endSession(viewer, (await signIn()).sessionId ?? '')
  expect((await told()).sessions).toBe(1)
  await signIn()
  await people.endOtherSessions(viewer)
  expect((await told()).sessions).toBe(1)
  await signIn()
  await people.changePassword(viewer, { currentPassword: password, newPassword: 'another harbour house' })
  expect((await told()).sessions).toBe(1)
})

test('nobody else hears of it', async () => {
  const bob = await createUser(server.services.users)
  const told = await listen(bob)
  await server.services.keys.create(ada.viewer, { name: 'Private' })
  await server.services.keys.create(bob.viewer, { name: 'Own' })
  expect(await told()).toEqual({ keys: ['Own ACTIVE'], sessions: 1 })
})
