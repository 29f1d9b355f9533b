import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEvents, type EventHub } from '../../../server/db/events.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'

const logger = createLogger('silent')
const changed = (...fileIds: string[]) => ({ fileIds, removedIds: [], parentIds: [null], truncated: false })

let database: TestDatabase
let here: EventHub
let there: EventHub

beforeAll(async () => {
  database = await createTestDatabase()
  const deps = { pool: database.pool, address: database.connection, logger }
  ;[here, there] = await Promise.all([createEvents(deps), createEvents(deps)])
})
afterAll(async () => {
  await Promise.all([here.close(), there.close()])
  await database.close()
})

describe('events', () => {
  it('reach subscribers of that user in every process, and nobody else', async () => {
    const [ann, bob] = [randomUUID(), randomUUID()]
    const stop = new AbortController()
    const ofAnn = here.subscribe('filesChanged', ann, stop.signal)
    const ofBob = here.subscribe('filesChanged', bob, stop.signal)
    there.publish('filesChanged', ann, changed('a'))
    expect(await ofAnn.next()).toEqual({ done: false, value: changed('a') })
    there.publish('filesChanged', bob, changed('b'))
    expect(await ofBob.next()).toEqual({ done: false, value: changed('b') })
    stop.abort()
  })

  it('of one burst arrive as one', async () => {
    const user = randomUUID()
    const stop = new AbortController()
    const events = here.subscribe('filesChanged', user, stop.signal)
    for (const id of ['a', 'b', 'a']) here.publish('filesChanged', user, changed(id))
    expect((await events.next()).value).toEqual(changed('a', 'b'))
    stop.abort()
  })

  it('that are too long for a notification ask to read again', async () => {
    const user = randomUUID()
    const stop = new AbortController()
    const events = here.subscribe('filesChanged', user, stop.signal)
    here.publish('filesChanged', user, changed(...Array.from({ length: 500 }, () => randomUUID())))
    expect((await events.next()).value).toMatchObject({ fileIds: [], truncated: true })
    stop.abort()
  })

  it('keep apart the progress of two uploads', async () => {
    const user = randomUUID()
    const stop = new AbortController()
    const events = here.subscribe('uploadProgressed', user, stop.signal)
    const progress = (uploadId: string, receivedBytes: number) => ({
      uploadId,
      receivedBytes,
      totalBytes: 9,
      fileId: null,
    })
    for (const event of [progress('x', 1), progress('y', 2), progress('x', 3)])
      there.publish('uploadProgressed', user, event)
    expect([(await events.next()).value, (await events.next()).value]).toEqual([progress('x', 3), progress('y', 2)])
    stop.abort()
  })

  it('keep apart the progress of two transfers', async () => {
    const user = randomUUID()
    const stop = new AbortController()
    const events = here.subscribe('transferProgressed', user, stop.signal)
    const progress = (transferId: string, sentBytes: number) => ({ transferId, sentBytes, bytesPerSecond: null })
    for (const event of [progress('x', 1), progress('y', 2), progress('x', 3)])
      there.publish('transferProgressed', user, event)
    expect([(await events.next()).value, (await events.next()).value]).toEqual([progress('x', 3), progress('y', 2)])
    stop.abort()
  })

  it('gather accounts that changed, and say "all" when they are too many or one event says so', async () => {
    const user = randomUUID()
    const stop = new AbortController()
    const events = here.subscribe('accountsChanged', user, stop.signal)
    for (const id of ['a', 'b', 'a']) there.publish('accountsChanged', user, { accountIds: [id] })
    expect((await events.next()).value).toEqual({ accountIds: ['a', 'b'] })
    for (const accountIds of [['a'], null]) there.publish('accountsChanged', user, { accountIds })
    expect((await events.next()).value).toEqual({ accountIds: null })
    there.publish('accountsChanged', user, { accountIds: Array.from({ length: 500 }, () => randomUUID()) })
    expect((await events.next()).value).toEqual({ accountIds: null })
    stop.abort()
  })

  it('end a waiting reader when its signal aborts', async () => {
    const stop = new AbortController()
    const next = here.subscribe('filesChanged', randomUUID(), stop.signal).next()
    stop.abort()
    expect(await next).toMatchObject({ done: true })
  })

  it('ask everybody to read again after the connection broke', async () => {
    const user = randomUUID()
    const stop = new AbortController()
    const events = here.subscribe('filesChanged', user, stop.signal)
    const access = here.subscribe('accessChanged', user, stop.signal)
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'skypool-events' and datname = current_database()`,
    )
    expect((await events.next()).value).toMatchObject({ truncated: true })
    expect((await access.next()).value).toEqual({})
    here.publish('filesChanged', user, changed('later'))
    expect((await events.next()).value).toEqual(changed('later'))
    stop.abort()
  })
})
