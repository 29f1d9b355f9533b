import { afterAll, beforeAll, expect, it } from 'vitest'
import { createPool } from '../../server/db/pool.ts'
import { createContentFinder } from '../../server/domain/files/content/content.ts'
import { copiesOf, getFiles } from '../../server/domain/files/tree/entries.ts'
import { listFiles } from '../../server/domain/files/tree/listing.ts'
import { findMembers } from '../../server/domain/groupClouds/members.ts'
import { newKeyText } from '../../server/domain/keys/contract.ts'
import { createKeyAuthentication } from '../../server/domain/keys/service.ts'
import { sharesOfFiles } from '../../server/domain/shares/contract.ts'
import { createSessions } from '../../server/domain/users/sessions.ts'
import { newId } from '../../server/lib/ids.ts'
import { createOwner } from '../factories/files.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

/** PostgreSQL plans the first five with their values, to see whether that is worth it. */
const TRIED = 5

let database: TestDatabase
let pool: TestDatabase['pool']
let owner: Awaited<ReturnType<typeof createOwner>>

beforeAll(async () => {
  database = await createTestDatabase()
  owner = await createOwner(database.pool)
  pool = createPool(database.connection, { max: 1 })
})
afterAll(async () => {
  await pool.end()
  await database.close()
})

/** Asks so often that PostgreSQL has decided. @returns how often it planned */
async function plannings(name: string, ask: () => Promise<unknown>): Promise<number | undefined> {
  for (let turn = 0; turn < 4 * TRIED; turn += 1) await ask()
  const { rows } = await pool.query<{ planned: number }>(
    'select custom_plans::int as planned from pg_prepared_statements where name = $1',
    [name],
  )
  return rows[0]?.planned
}

it('what every request asks is planned once', async () => {
  const sessions = createSessions(pool, { publish: () => undefined })
  const keys = createKeyAuthentication(pool, { count: () => undefined }, { take: () => null })
  const { viewer } = owner
  const findFile = createContentFinder(pool)
  const questions: Record<string, () => Promise<unknown>> = {
    'viewers-of-sessions': () => sessions.viewerOf(newId()),
    'viewers-of-keys': () => keys.viewerOf(newKeyText(), '127.0.0.1'),
    'group-clouds-find-members': () => findMembers(pool, [{ userId: viewer.userId, id: undefined }]),
    'files DRIVE/NAME/ASC root ': () => listFiles(pool, viewer, { view: 'DRIVE', parentId: null, limit: 100 }),
    'files get one': () => getFiles(pool, viewer, [newId()]),
    'files copies of one': () => copiesOf(pool, viewer, [newId()]),
    'shares of one file': () => sharesOfFiles(pool, viewer, [newId()]),
    'files open': () => findFile({ userId: viewer.userId, id: newId() }).catch(() => undefined),
  }
  for (const [name, ask] of Object.entries(questions)) {
    expect([name, await plannings(name, ask)]).toEqual([name, TRIED])
  }
})
