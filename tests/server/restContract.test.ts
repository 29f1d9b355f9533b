import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createUser } from '../factories/user.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createHarbour } from '../fakes/harbour/harbour.ts'
import { createTelegram, TELEGRAM_BOT } from '../fakes/telegram/telegram.ts'
import { createBrowser } from '../setup/browser.ts'
import { type Contract, readContract } from '../setup/openapiContract.ts'
import { startTestServer } from '../setup/server.ts'
import { GOOD_ANSWERS } from './restContract/goodAnswers.ts'
import type { World } from './restContract/world.ts'

/** The whole server by HTTP alone, held to its own OpenAPI document: every operation, every good end. */
let world: World
let contract: Contract
let emulators: Emulators

beforeAll(async () => {
  const telegram = createTelegram()
  const harbour = createHarbour()
  emulators = await startEmulators({ services: [telegram] })
  const bot = { telegramBotToken: TELEGRAM_BOT.token, providerEmulatorUrl: new URL(emulators.url) }
  const server = await startTestServer(bot, { withDropbox: true, harbour })
  const browser = createBrowser(server.url, (await createUser(server.services.users)).token)
  world = { server, browser, telegram: telegram.commands, harbour }
  contract = await readContract(server.url)
})
afterAll(async () => {
  await world?.server.close()
  await emulators?.close()
})

/** Needs a bucket: tests/server/bucketServers.test.ts. */
const WITH_A_BUCKET = ['GET /api/v1/files/{id}/download 302']

it('the table knows every operation of the document and every good end of each', () => {
  const promised = [...contract.operations].flatMap(([name, { responses }]) =>
    Object.keys(responses)
      .filter((status) => status < '4')
      .map((status) => `${name} ${status}`),
  )
  const known = Object.entries(GOOD_ANSWERS).flatMap(([name, ends]) =>
    Object.keys(ends).map((status) => `${name} ${status}`),
  )
  expect([...known, ...WITH_A_BUCKET].sort()).toEqual(promised.sort())
})

const rows = Object.entries(GOOD_ANSWERS).flatMap(([operation, ends]) =>
  Object.entries(ends).map(([status, attempts]) => ({ operation, status: Number(status), attempts })),
)
it.each(rows)('$operation answers $status as documented', async ({ operation, status, attempts }) => {
  for (const attempt of attempts) {
    const answer = await attempt(world)
    expect(answer.status, JSON.stringify(answer.body)).toBe(status)
    contract.expectDocumented(operation, answer)
  }
})

describe('this test', () => {
  it('sees a field too many, a field too few, a wrong type and an undocumented status', async () => {
    const answer = await world.browser.request('GET', '/api/v1/auth/me')
    const { email, ...rest } = answer.body
    const judge = (changed: object) => () => contract.expectDocumented('GET /api/v1/auth/me', { ...answer, ...changed })
    expect(judge({})).not.toThrow()
    expect(judge({ body: rest })).toThrow('email')
    expect(judge({ body: { ...answer.body, passwordHash: 'x' } })).toThrow('passwordHash')
    expect(judge({ body: { ...answer.body, createdAt: 'yesterday' } })).toThrow('date-time')
    expect(judge({ headers: new Headers({ 'content-type': 'text/html' }) })).toThrow('not documented')
    expect(judge({ status: 418 })).toThrow('Not documented')
    expect(email).toContain('@')
  })
})
