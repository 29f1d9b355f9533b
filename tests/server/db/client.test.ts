import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { createDb, type Db } from '../../../server/db/client.ts'
import { newId } from '../../../server/lib/ids.ts'
import { createTestDatabase, type TestDatabase } from '../../setup/database.ts'

let database: TestDatabase
let db: Db

beforeAll(async () => {
  database = await createTestDatabase()
  db = createDb(database.pool)
})
afterEach(() => void vi.useRealTimers())
afterAll(() => database.close())

const WAITING = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`

async function untilOneWaits(): Promise<void> {
  while ((await database.pool.query(WAITING)).rowCount === 0) await new Promise(setImmediate)
}

it('a transaction that waits for half a minute is neither ended nor continued outside itself', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const user = { id: newId(), fullName: 'Maren', email: 'maren@post.example', emailKey: 'maren@post.example' }
  const other = await database.pool.connect()
  await other.query('begin')
  await other.query('lock table group_clouds in access exclusive mode')
  const creating = db.$transaction(async (tx) => {
    await tx.user.create({ data: { ...user, passwordHash: '' } })
    const account = { id: newId(), userId: user.id, provider: 'local', name: 'This server', hue: 0 }
    await tx.account.create({ data: { ...account, quotaState: 'UNLIMITED' } })
    const members = { create: { accountId: account.id, position: 0 } }
    return tx.groupCloud.create({ data: { id: newId(), userId: user.id, name: 'My Cloud', members } })
  })
  await untilOneWaits()
  await vi.advanceTimersByTimeAsync(30_000)
  await other.query('commit')
  other.release()
  const { id } = await creating
  expect(await db.groupCloudMember.count({ where: { groupCloudId: id } })).toBe(1)
})
