import { afterAll, beforeAll, expect, it } from 'vitest'
import { transaction } from '../../server/db/pool.ts'
import { IdempotencyKeyReusedError, InvalidInputError } from '../../server/domain/errors.ts'
import { claimKey, fingerprintOf, forgetKeys, type KeyClaim } from '../../server/domain/idempotency/keys.ts'
import { newId } from '../../server/lib/ids.ts'
import { createOwner } from '../factories/files.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

let database: TestDatabase
let userId: string
beforeAll(async () => {
  database = await createTestDatabase()
  userId = (await createOwner(database.pool)).viewer.userId
})
afterAll(() => database.close())

function claim(overrides: Partial<KeyClaim>): Promise<string | null> {
  const whole = {
    userId,
    key: 'k',
    operation: 'createFolder',
    fingerprint: fingerprintOf(['a']),
    resultId: newId(),
    ...overrides,
  }
  return transaction(database.pool, (client) =>
    claimKey(async (text, values) => (await client.query(text, [...values])).rows, whole),
  )
}

it('lets the first one through and tells all others what it made', async () => {
  const ids = Array.from({ length: 8 }, () => newId())
  const results = await Promise.all(ids.map((resultId) => claim({ key: 'race', resultId })))
  const winner = ids[results.indexOf(null)]
  expect(results.filter((result) => result === null)).toHaveLength(1)
  expect(results.filter((result) => result === winner)).toHaveLength(7)
})

it('refuses the key for another content or operation, but not for another user', async () => {
  await claim({ key: 'once' })
  await expect(claim({ key: 'once', fingerprint: fingerprintOf(['b']) })).rejects.toThrow(IdempotencyKeyReusedError)
  await expect(claim({ key: 'once', operation: 'createFile' })).rejects.toThrow(IdempotencyKeyReusedError)
  const other = await createOwner(database.pool)
  expect(await claim({ key: 'once', userId: other.viewer.userId })).toBeNull()
})

it('counts for 24 hours and is then forgotten', async () => {
  await claim({ key: 'old' })
  await database.pool.query(`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'old'`)
  expect(await claim({ key: 'old', fingerprint: fingerprintOf(['new']) })).toBeNull()
  await database.pool.query(`update idempotency_keys set created_at = now() - interval '25 hours' where key = 'old'`)
  await forgetKeys(database.pool)
  expect(await database.db.idempotencyKey.count({ where: { key: 'old' } })).toBe(0)
})

it('is 1 to 255 printable characters', async () => {
  for (const key of ['', 'x'.repeat(256), 'a\nb', 'ключ'])
    await expect(claim({ key })).rejects.toThrow(InvalidInputError)
})
