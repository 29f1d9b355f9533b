import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { listen } from '../../../server/db/listener.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'
import { openDatabaseWay } from '../../setup/way.ts'

const logger = createLogger('silent')
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.close())

const notify = (payload: string) => database.pool.query('select pg_notify($1, $2)', ['words', payload])
it('notices that the database has vanished without a word, and says that something may be lost', async () => {
  const way = await openDatabaseWay(database.connection)
  const heard: string[] = []
  let reconnected = 0
  const listener = await listen({
    ...{ address: way.address, name: 'vanishing', channel: 'words', logger, askMs: 50 },
    onPayload: (payload) => heard.push(payload),
    onReconnected: () => {
      reconnected += 1
    },
  })
  await notify('before')
  await expect.poll(() => heard).toEqual(['before'])
  way.silence()
  await notify('lost')
  await expect.poll(() => reconnected).toBeGreaterThan(0)
  await notify('after')
  await expect.poll(() => heard.at(-1)).toBe('after')
  expect(heard).not.toContain('lost')
  await listener.close()
  way.close()
})

it('leaves no connection that was being made when it was closed', async () => {
  const { host, port } = database.connection
  let holds = false
  const held: Socket[] = []
  const pass = (near: Socket) => {
    const far = connect({ path: `${host}/.s.PGSQL.${port}` })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one
        .on('error', () => undefined)
        .on('close', () => other.destroy())
        .pipe(other)
  }
  const gate = createServer((near) => (holds ? held.push(near) : pass(near)))
  gate.listen(0, '127.0.0.1')
  await once(gate, 'listening')
  const address = { ...database.connection, host: '127.0.0.1', port: (gate.address() as AddressInfo).port }
  const listener = await listen({
    ...{ address, name: 'closing', channel: 'words', logger },
    onPayload: () => undefined,
    onReconnected: () => undefined,
  })
  holds = true
  const end = 'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1'
  expect((await database.pool.query(end, ['closing'])).rowCount).toBe(1)
  await expect.poll(() => held.length).toBe(1)
  await listener.close()
  for (const near of held) pass(near)
  await expect.poll(() => held.every((near) => near.destroyed)).toBe(true)
  gate.close()
})
