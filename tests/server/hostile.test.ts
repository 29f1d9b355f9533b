import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { attack } from '../tools/hostile/attack.ts'
import { tryNames } from '../tools/hostile/names.ts'
import { ODD_NAMES } from '../tools/hostile/naughty.ts'
import { watchHealth } from '../tools/hostile/probe.ts'
import { attackRaw } from '../tools/hostile/raw.ts'

/** `npm run hostile` in small: the same makers of requests, some of the names. */
let server: TestServer
beforeAll(async () => {
  // nginx would answer what is malformed itself.
  const config = { trustProxy: true, localQuotaBytes: null, acceptAnyType: true, rateLimit: 0 }
  server = await startTestServer(config, { single: true })
})
afterAll(() => server?.close())

const ownFaults = () => server.logs.filter((line) => line.includes('"level":"error"'))

it('malformed requests over both doors are refused, and nothing else suffers', async () => {
  const health = watchHealth(server.url)
  const { statuses, findings } = await attack({ url: server.url, count: 400, seed: 20_261_121 })
  expect(findings).toEqual([])
  expect(Object.values(statuses).reduce((sum, count) => sum + count)).toBe(400)
  // Requests that all fail for one reason would prove nothing.
  expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '400', '401', '403', '404', '405', '415']))
  expect(statuses['401'] ?? 0).toBeLessThan(130)
  expect(await health.stop()).toMatchObject({ failed: 0 })
  expect(ownFaults()).toEqual([])
})

it('what is not even HTTP ends its own connection alone', async () => {
  expect((await attackRaw(server.url)).findings).toEqual([])
  expect((await fetch(`${server.url}/ready`)).status).toBe(200)
  expect(ownFaults()).toEqual([])
})

it('odd names come back as they were', async () => {
  const some = ODD_NAMES.filter((_, index) => index % 20 === 0)
  expect(await tryNames(server.url, some)).toEqual({ tried: expect.any(Number), findings: [] })
  expect(ownFaults()).toEqual([])
})

it('a GET with half of its variables is the asker’s fault', async () => {
  const response = await fetch(`${server.url}/graphql?query=%7B__typename%7D&variables=%7B%22a`)
  expect([response.status, await response.json()]).toEqual([
    400,
    { errors: [{ message: 'The variables in the address are not JSON.', extensions: { code: 'BAD_REQUEST' } }] },
  ])
})
