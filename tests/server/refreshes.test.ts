import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '../../server/lib/ids.ts'
import { createOwner } from '../factories/files.ts'
import { BOX_CLIENT, createBox } from '../fakes/box/box.ts'
import { type Emulators, startEmulators } from '../fakes/core/server.ts'
import { createGithub, GITHUB_APP } from '../fakes/github/github.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { type RefreshReport, type Rotating, runRefreshes } from '../tools/refreshTest/run.ts'

/** `REFRESHES=1000` for the long run. */
const REFRESHES = Number(process.env.REFRESHES ?? 60)
const USER = 'ada@example.com'
const box = createBox()
const github = createGithub()
let database: TestDatabase
let emulators: Emulators

beforeAll(async () => {
  database = await createTestDatabase()
  emulators = await startEmulators({ services: [box, github] })
  box.commands.addUser({ email: USER, quotaBytes: null })
  github.commands.addUser({ email: USER, login: 'ada' })
})
afterAll(async () => {
  await emulators?.close()
  await database?.close()
})

const BOX: Rotating = {
  provider: 'box',
  settings: { BOX_CLIENT_ID: BOX_CLIENT.id, BOX_CLIENT_SECRET: BOX_CLIENT.secret },
  operation: 'oauth2.token',
  mint() {
    const { access_token, refresh_token } = box.commands.mintToken({ user: USER })
    return { accessToken: access_token, refreshToken: refresh_token, expiresAt: null }
  },
}
const GITHUB: Rotating = {
  provider: 'github',
  settings: { GITHUB_CLIENT_ID: GITHUB_APP.id, GITHUB_CLIENT_SECRET: GITHUB_APP.secret },
  operation: 'oauth.token',
  mint() {
    const { access_token, refresh_token } = github.commands.mintToken({ user: USER })
    return { accessToken: access_token, refreshToken: refresh_token, expiresAt: null, repository: '1' }
  },
}

async function refresh(rotating: Rotating, seed: number): Promise<RefreshReport> {
  const { viewer } = await createOwner(database.pool)
  const accountId = newId()
  await database.pool.query(
    `insert into accounts (id, user_id, provider, name, provider_account_id) values ($1, $2, $3, 'Rotating', 'ada')`,
    [accountId, viewer.userId, rotating.provider],
  )
  emulators.resetLog()
  const { pool, connection } = database
  const run = { pool, connection, accountId, emulators, rotating, seed }
  const report = await runRefreshes({ ...run, refreshes: REFRESHES, processes: 4 })
  console.info(JSON.stringify(report))
  expect(emulators.log().filter(({ bug }) => bug)).toEqual([])
  return report
}

it('an account of Box lives through refreshes by four processes, where a lost response can be asked for again', async () => {
  box.commands.refreshGrace({ on: true })
  const report = await refresh(BOX, 1)
  expect(report).toMatchObject({ expired: 0, withoutReason: 0 })
}, 600_000)

it.each([
  [BOX, 2, /invalid_grant.*Please re-connect/],
  [GITHUB, 1, /bad_refresh_token.*Please re-connect/],
])(
  'where each refresh token of $provider is valid once, the account expires only after a response was lost or a process killed',
  async (rotating, seed, why) => {
    box.commands.refreshGrace({ on: false })
    const { expired, withoutReason, lostReplies, kills, reasons } = await refresh(rotating, seed)
    expect(withoutReason).toBe(0)
    expect(expired).toBeLessThanOrEqual(lostReplies + kills)
    for (const reason of reasons) expect(reason).toMatch(why)
  },
  600_000,
)
