import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRegister } from '../../server/db/servers.ts'
import { ConfigError, readConfig } from '../../server/env.ts'
import { attemptsOf } from '../../server/jobs/allTasks.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { createEnqueue } from '../../server/queue/enqueue.ts'
import type { Role } from '../../server/settingTypes.ts'
import { createUser } from '../factories/user.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

const only = (role: Role) => ({ roles: new Set([role]), databasePool: 10, acceptAnyType: true })

let web: TestServer
beforeAll(async () => {
  web = await startTestServer(only('web'), { shared: true })
})
afterAll(() => web?.close())

it('ROLES names web, worker or both; one alone needs a database that others can use', () => {
  const DATABASE_URL = 'postgres://localhost/skypool'
  expect(readConfig({ ROLES: 'worker , web' }).roles).toEqual(new Set(['web', 'worker']))
  expect(readConfig({ DATABASE_URL, ROLES: 'worker' }).roles).toEqual(new Set(['worker']))
  expect(() => readConfig({ ROLES: 'web' })).toThrow(
    new ConfigError('ROLES=web needs DATABASE_URL: the embedded database has only one server.'),
  )
  expect(() => readConfig({ ROLES: 'web,cron' })).toThrow('ROLES must be web, worker, or both separated by a comma.')
})

it('without a worker, jobs wait; it starts them as soon as it is there', async () => {
  const enqueue = createEnqueue(attemptsOf)
  const jobs = async () =>
    (await web.pool.query("select from graphile_worker.jobs where task_identifier = 'purgeFiles'")).rowCount
  const listeners = `select from pg_stat_activity where datname = current_database() and query like 'LISTEN "jobs%'`
  await enqueue(web.pool as never, 'purgeFiles', { userId: crypto.randomUUID() })
  expect((await web.pool.query('select worker from servers')).rows).toEqual([{ worker: null }])
  // Nothing of it listens for jobs or has taken one.
  expect((await web.database.pool.query(listeners)).rowCount).toBe(0)
  expect((await web.pool.query('select from graphile_worker.jobs where locked_by is not null')).rowCount).toBe(0)
  expect(await jobs()).toBe(1)
  const worker = await startTestServer(only('worker'), { beside: web })
  await expect.poll(jobs).toBe(0)
  await enqueue(web.pool as never, 'purgeFiles', { userId: crypto.randomUUID() })
  await expect.poll(jobs).toBe(0)
  await worker.close()
})

it('a worker answers only whether it is there', async () => {
  const worker = await startTestServer(only('worker'), { beside: web })
  const statusOf = async (path: string, method = 'GET') => (await fetch(worker.url + path, { method })).status
  expect([await statusOf('/health'), await statusOf('/ready')]).toEqual([200, 200])
  const others = ['/', '/api/v1/auth/me', '/api/v1/files', '/avatars/x', '/assets/x.js']
  for (const path of others) expect(await statusOf(path), path).toBe(404)
  expect(await statusOf('/graphql', 'POST')).toBe(404)
  const refused = await (await fetch(`${worker.url}/api/v1/auth/me`)).json()
  expect(refused).toMatchObject({ code: 'NOT_FOUND', detail: expect.stringContaining('ROLES=worker') })
  await worker.close()
})

it('a server without heartbeats does not count as current, whoever else it could ask', async () => {
  const register = createRegister({
    address: web.database.connection,
    logger: createLogger('silent'),
    alone: false,
    receiving: () => [],
    unlock: async () => {},
    unlockUnregistered: async () => {},
    onDeclaredDead: async () => {},
    times: { beat: 3_600_000, silence: 1_000 },
  })
  await register.start()
  await expect.poll(() => register.isCurrent()).toBe(false)
  await register.close()
})

it('what a request starts at a web-only server is begun by a worker without waiting for its next look', async () => {
  const worker = await startTestServer(only('worker'), { beside: web })
  const { viewer } = await createUser(web.services.users)
  const woken: string[] = []
  const client = await web.database.pool.connect()
  client.on('notification', ({ payload = '' }) => woken.push(payload))
  await client.query('listen skypool_events')
  const { id } = await web.services.files.createFolder(viewer, { name: 'Folder', parentId: null })
  const job = await web.services.fileJobs.start(viewer, { kind: 'TRASH', ids: [id], parentId: null })
  await expect.poll(() => woken.filter((payload) => payload.includes('"duty":"fileJobs"')).length).toBeGreaterThan(0)
  const state = async () => (await web.services.fileJobs.getMany(viewer, [job.id]))[0]?.state
  await expect.poll(state).toBe('DONE')
  client.release(true)
  await worker.close()
})
