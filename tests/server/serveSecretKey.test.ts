import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readMigrations } from '../../server/db/migrate.ts'
import { WrongKeyError } from '../../server/domain/secrets/rotateKeys.ts'
import { readConfig } from '../../server/env.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { type RunningServer, serve } from '../../server/serve.ts'
import { createUser } from '../factories/user.ts'
import { connectAccount } from '../setup/connectAccount.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { createLoginProvider } from '../setup/loginProvider.ts'
import { createTestProviders } from '../setup/providers.ts'

/** A server's key over several starts on one database. */
const google = createLoginProvider()
const NEW_KEY = 'a new key that is long enough to be one'
const logs: string[] = []
let database: TestDatabase
let dataDir: string

beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = mkdtempSync(join(tmpdir(), 'skypool-key-'))
})
afterAll(async () => {
  await database.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const start = (secretKey = ''): Promise<RunningServer> =>
  serve({
    config: { ...readConfig({ PORT: '0', SECRET_KEY: secretKey }), dataDir },
    database: database.connection,
    migrations: readMigrations('prisma/migrations'),
    logger: createLogger('info', { write: (line: string) => logs.push(line) }),
    version: 'test',
    persisted: {},
    webDirectory: null,
    openProviders: ({ credentials }) => createTestProviders([google.module], credentials),
  })

it('is made at the first start, must be kept, and can be changed while calls go on', async () => {
  const first = await start()
  const file = join(dataDir, 'secret.key')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const oldKey = readFileSync(file, 'utf8').trim()
  const { viewer } = await createUser(first.services.users)
  const account = await connectAccount({ ...first, google }, viewer, 'Drive')
  await first.close()

  const refusal = await start(NEW_KEY).then(String, (error: Error) => error)
  expect(refusal).toBeInstanceOf(WrongKeyError)
  expect(String(refusal)).toMatch(/set SECRET_KEY to the new key, a comma and the old key/)
  expect(String(refusal)).not.toContain(NEW_KEY)

  const both = await start(`${NEW_KEY},${oldKey}`)
  const calls = Array.from({ length: 20 }, async () => {
    google.expireAccess()
    await both.pool.query('update accounts set quota_checked_at = null')
    return both.services.accounts.readQuotas(viewer, [account.id])
  })
  for (const [reading] of await Promise.all(calls)) expect(reading?.error).toBeNull()
  const resealed = async () => logs.some((line) => line.includes('older keys can be removed from SECRET_KEY'))
  for (let i = 0; i < 100 && !(await resealed()); i += 1) await sleep(50)
  await both.close()

  const alone = await start(NEW_KEY)
  google.expireAccess()
  await alone.pool.query('update accounts set quota_checked_at = null')
  const [reading] = await alone.services.accounts.readQuotas(viewer, [account.id])
  expect(reading?.error).toBeNull()
  await alone.close()

  await database.pool.query('delete from sealing_check')
  const forgetful = await start('yet another key because the old ones are lost')
  const statusOf = async () => (await forgetful.services.accounts.getMany(viewer, [account.id]))[0]
  for (let i = 0; i < 100 && (await statusOf())?.status !== 'EXPIRED'; i += 1) await sleep(50)
  expect(await statusOf()).toMatchObject({
    status: 'EXPIRED',
    statusReason: expect.stringContaining('secret key of this server was changed'),
  })
  await forgetful.close()
  expect(logs.join('')).not.toMatch(new RegExp(`${NEW_KEY}|${oldKey}`))
})
