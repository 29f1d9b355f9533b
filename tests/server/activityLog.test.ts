import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Actor } from '../../server/domain/activity/contract.ts'
import { createActivityLog } from '../../server/domain/activity/log.ts'
import { newId } from '../../server/lib/ids.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'

let database: TestDatabase
let userId: string
beforeAll(async () => {
  database = await createTestDatabase()
  userId = await createUser()
})
afterAll(() => database.close())

const unheard = (error: unknown) => {
  throw error
}

async function createUser(): Promise<string> {
  const id = newId()
  await database.pool.query(
    `insert into users (id, full_name, email, email_key, password_hash) values ($1, 'Ada', $2, $2, 'x')`,
    [id, `${id}@example.org`],
  )
  return id
}

async function createSession(owner: string, userAgent: string): Promise<Actor> {
  const id = newId()
  await database.pool.query(
    `insert into sessions (id, user_id, token_hash, user_agent, address, expires_at)
     values ($1, $2::uuid, decode(md5($2::text || $3), 'hex'), $3, '192.0.2.7', now() + interval '1 day')`,
    [id, owner, userAgent],
  )
  return { kind: 'VIEWER', viewer: { userId: owner, sessionId: id } }
}

async function rowsOf(owner: string) {
  const { rows } = await database.pool.query(
    'select * from activities where user_id = $1 order by count desc, action',
    [owner],
  )
  return rows
}

const CHROME = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

it('writes what was recorded with the name and address of who did it', async () => {
  const log = createActivityLog({ pool: database.pool, onError: unheard })
  const actor = await createSession(userId, CHROME)
  const fileId = newId()
  log.record(actor, {
    action: 'FILE_RENAMED',
    subject: { type: 'File', id: fileId, name: 'Çay.txt' },
    details: { from: 'tea.txt', to: 'Çay.txt' },
  })
  log.record({ kind: 'VISITOR', userId, address: '192.0.2.9', userAgent: 'curl/8.5.0' }, { action: 'SHARE_OPENED' })
  log.record({ kind: 'SYSTEM', userId }, { action: 'ACCOUNT_EXPIRED', count: 3 })
  await log.flush()
  expect(await rowsOf(userId)).toMatchObject([
    { actor_kind: 'SYSTEM', actor_name: 'Skypool', count: 3 },
    {
      actor_kind: 'SESSION',
      actor_name: 'Chrome on Linux',
      address: '192.0.2.7',
      action: 'FILE_RENAMED',
      subject_type: 'File',
      subject_id: fileId,
      subject_name: 'Çay.txt',
      count: 1,
      details: { from: 'tea.txt', to: 'Çay.txt' },
    },
    { actor_kind: 'VISITOR', actor_name: 'A visitor (curl)', address: '192.0.2.9', actor_id: null },
  ])
})

it('makes one entry of uploads into one folder, and finds each by name', async () => {
  const owner = await createUser()
  const log = createActivityLog({ pool: database.pool, onError: unheard })
  const actor = await createSession(owner, CHROME)
  const upload = (name: string, intoFolderId: string | null) =>
    log.record(actor, { action: 'FILE_UPLOADED', subject: { type: 'File', id: newId(), name }, intoFolderId })
  for (let number = 0; number < 1000; number += 1) upload(`img${number}.png`, null)
  upload('elsewhere.txt', newId())
  await log.flush()
  const rows = await rowsOf(owner)
  expect(rows).toMatchObject([
    { subject_name: 'img0.png', count: 1000, file_ids: expect.objectContaining({ length: 1000 }) },
    { subject_name: 'elsewhere.txt', count: 1 },
  ])
  expect(rows[0].search_key).toContain('img42.png')
})

it('takes any text, and leaves out users who are gone', async () => {
  const owner = await createUser()
  const log = createActivityLog({ pool: database.pool, onError: unheard })
  const odd = 'a\u0000b\ud800c\\"\u2028'
  log.record({ kind: 'SYSTEM', userId: newId() }, { action: 'SIGNED_IN' })
  log.record({ kind: 'SYSTEM', userId: owner }, { action: 'NAME_CHANGED', details: { to: odd.repeat(1000) } })
  await log.flush()
  const rows = await rowsOf(owner)
  expect(rows).toHaveLength(1)
  expect(rows[0].details.to.startsWith('abc\\"\u2028')).toBe(true)
})

it('gives up only what the database refuses', async () => {
  const owner = await createUser()
  const errors: unknown[] = []
  const log = createActivityLog({ pool: database.pool, onError: (error) => errors.push(error) })
  const actor: Actor = { kind: 'SYSTEM', userId: owner }
  log.record(actor, { action: 'SIGNED_IN' })
  log.record(actor, { action: 'SIGNED_OUT', subject: { type: 'User', id: 'no id', name: '' } })
  log.record(actor, { action: 'SIGNED_IN' })
  await log.flush()
  expect((await rowsOf(owner)).map(({ action }) => action)).toEqual(['SIGNED_IN', 'SIGNED_IN'])
  expect(errors.length).toBeGreaterThan(0)
})

it('keeps what cannot be written while the database is away, a bounded number of it', async () => {
  const owner = await createUser()
  const errors: Error[] = []
  let away = true
  const pool = new Proxy(database.pool, {
    get: (target, name) =>
      name === 'query' && away
        ? () => Promise.reject(new Error('The connection broke.'))
        : Reflect.get(target, name).bind(target),
  })
  const log = createActivityLog({ pool, onError: (error) => errors.push(error as Error) })
  for (let number = 0; number < 10_500; number += 1) {
    log.record({ kind: 'SYSTEM', userId: owner }, { action: 'NAME_CHANGED', details: { number: String(number) } })
  }
  await log.flush()
  expect(errors.map(({ message }) => message)).toContain('The connection broke.')
  away = false
  await log.flush()
  const rows = await rowsOf(owner)
  expect(rows).toHaveLength(9_500)
  expect(rows.some(({ details }) => details.number === '10499')).toBe(true)
})
