import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../server/lib/ids.ts'
import { createOwner } from '../factories/files.ts'
import { createBox } from '../fakes/box/box.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type RefreshReport, runRefreshes } from '../tools/refreshTest/run.ts'

/** `REFRESHES=1000` for the long run. */
const REFRESHES = Number(process.env.REFRESHES ?? 60)
const USER = 'ada@example.com'
const box = createBox()
let database: TestDatabase
let emulators: Emulators

beforeAll(async () => {
  database = await createTestDatabase()
  emulators = await startEmulators({ services: [box] })
  box.commands.addUser({ email: USER, quotaBytes: null })
})
afterAll(async () => {
  await emulators?.close()
  await database?.close()
})

async function refresh(seed: number): Promise<RefreshReport> {
  const { viewer } = await createOwner(database.pool)
  const accountId = newId()
  await database.pool.query(
    `insert into accounts (id, user_id, provider, name, provider_account_id) values ($1, $2, 'box', 'Box', 'ada')`,
    [accountId, viewer.userId],
  )
  emulators.resetLog()
  const { pool, connection } = database
  const run = { pool, connection, accountId, emulators, box: box.commands, user: USER, seed }
  const report = await runRefreshes({ ...run, refreshes: REFRESHES, processes: 4 })
  console.info(JSON.stringify(report))
  expect(emulators.log().filter(({ bug }) => bug)).toEqual([])
  return report
}

it('an account of Box lives through refreshes by four processes, where a lost response can be asked for again', async () => {
  box.commands.refreshGrace({ on: true })
  const report = await refresh(1)
  expect(report).toMatchObject({ expired: 0, withoutReason: 0 })
}, 600_000)

it('where each refresh token is valid once, it expires only after a response was lost or a process killed', async () => {
  box.commands.refreshGrace({ on: false })
  const { expired, withoutReason, lostReplies, kills, reasons } = await refresh(2)
  expect(withoutReason).toBe(0)
  expect(expired).toBeLessThanOrEqual(lostReplies + kills)
  for (const reason of reasons) expect(reason).toMatch(/invalid_grant.*Please re-connect/)
}, 600_000)
