import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { UnknownOutcomeError } from '../../server/db/pool.ts'
import { NameTakenError, NotFoundError, StorageFullError } from '../../server/domain/errors.ts'
import type { Services } from '../../server/domain/services.ts'
import type { UploadInput } from '../../server/domain/uploads/contract.ts'
import type { Viewer } from '../../server/domain/viewer.ts'
import { newId } from '../../server/lib/ids.ts'
import { createOwner } from '../factories/files.ts'
import { startDomain, type TestDomain } from '../setup/uploads.ts'

let domain: TestDomain
beforeAll(async () => {
  domain = await startDomain()
})
afterAll(() => domain.close())
afterEach(() => vi.restoreAllMocks())

const text = (length: number) => Buffer.alloc(length, 'All work and no play makes Jack a dull boy.\n')
const query = (sql: string, values: unknown[]) => domain.database.pool.query(sql, values)

type Send = Partial<UploadInput> & { key?: string; services?: Services; meanwhile?: () => Promise<unknown> }

/** One upload as one request; `meanwhile` runs after its first byte was received, so after it was admitted. */
function receive(viewer: Viewer, bytes: Buffer, { key, services, meanwhile, ...input }: Send = {}) {
  const body = Readable.from(
    (async function* () {
      yield bytes
      await meanwhile?.()
    })(),
  )
  const { uploads } = services ?? domain.services
  return uploads.receive(viewer, { name: 'a.png', size: bytes.length, ...input }, body, key)
}

async function filesOf({ userId }: Viewer): Promise<number> {
  return (await query("select count(*)::int as count from files where user_id = $1 and kind = 'FILE'", [userId]))
    .rows[0].count
}

async function usedOf(accountId: string): Promise<{ used: number; held: number }> {
  const { rows } = await query(
    `select used_bytes::int as used, (select coalesce(sum(size), 0)::int from pieces where account_id = a.id) as held
     from accounts a where id = $1`,
    [accountId],
  )
  return rows[0]
}

type Asked = string | { name?: string; text: string }
const nameOf = (asked: Asked) => (typeof asked === 'string' ? asked : (asked.name ?? asked.text))

/** The activity log is written up to a second after the upload that it is about: who did it, and its entries. */
const OF_ACTIVITIES: readonly string[] = ['activity-actors', 'insert-activities']

/**
 * The database queries from now on, by name or text, without what follows an earlier upload: the activity log, and transactions with no
 * statement, in which jobs are enqueued (there is no queue here).
 */
function listen(): string[] {
  const heard: string[] = []
  const began = new Set<pg.Client>()
  const real = pg.Client.prototype.query
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const name = nameOf(args[0] as Asked)
    if (name === 'begin') began.add(this)
    else if (name !== 'commit' || !began.delete(this)) {
      if (began.delete(this)) heard.push('begin')
      if (!OF_ACTIVITIES.includes(name)) heard.push(name)
    }
    return Reflect.apply(real, this, args)
  })
  return heard
}

/** One statement, by name or text, is executed, but its response is lost. */
function loseAnswerOf(name: string): void {
  const real = pg.Client.prototype.query
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const answer = Reflect.apply(real, this, args)
    if (nameOf(args[0] as Asked) !== name) return answer
    return answer.then(() => {
      throw new Error('Connection terminated unexpectedly')
    })
  })
}

describe('a file for a group cloud that is one account of this server', () => {
  it('is committed by one statement, with all that belongs to it', async () => {
    const { viewer, accountId, groupCloudId } = await createOwner(domain.database.pool)
    const heard = listen()
    const file = await receive(viewer, text(70_000))
    expect(heard).toEqual(['group-clouds-find-members', 'uploads-insert-sole'])
    expect(file).toMatchObject({
      name: 'a.png',
      parentId: null,
      size: 70_000,
      groupCloudId,
      state: 'STORED',
      stateReason: null,
    })
    expect(file.sha256).toBe(createHash('sha256').update(text(70_000)).digest('hex'))
    expect(file.copies).toMatchObject([{ state: 'STORED', pieces: [{ index: 0, offset: 0, size: 70_000, accountId }] }])
    const copies = await domain.services.files.copies(viewer, [file.id])
    expect(copies.get(file.id)).toEqual(file.copies)
    expect(await usedOf(accountId)).toEqual({ used: 70_000, held: 70_000 })
  })

  it('takes what fits when twenty come at once, and not a byte more', async () => {
    const { viewer, accountId } = await createOwner(domain.database.pool, 1200)
    const sent = Array.from({ length: 20 }, (_, index) => receive(viewer, text(100), { name: `${index}.png` }))
    const outcomes = await Promise.allSettled(sent)
    const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(refused).toHaveLength(8)
    for (const error of refused) expect(error).toBeInstanceOf(StorageFullError)
    expect(await usedOf(accountId)).toEqual({ used: 1200, held: 1200 })
  })

  it('is counted right when two servers store at once', async () => {
    const { viewer, accountId } = await createOwner(domain.database.pool)
    const { services } = await domain.restart()
    const both = [services, domain.services]
    const send = (index: number) =>
      receive(viewer, text(50), { name: `${index}.png`, services: both[index % 2] as Services })
    for (let round = 0; round < 6; round += 1) {
      await Promise.all(Array.from({ length: 16 }, (_, index) => send(round * 16 + index)))
    }
    expect(await usedOf(accountId)).toEqual({ used: 96 * 50, held: 96 * 50 })
    expect(await filesOf(viewer)).toBe(96)
  })

  it('is not overcommitted when two servers store at once', async () => {
    const { viewer, accountId } = await createOwner(domain.database.pool, 1000)
    const { services } = await domain.restart()
    const both = [services, domain.services]
    const send = (index: number) =>
      receive(viewer, text(50), { name: `${index}.png`, services: both[index % 2] as Services })
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, (_, index) => send(index)))
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
    expect(await usedOf(accountId)).toEqual({ used: 1000, held: 1000 })
  })

  it('shares its room with the other group clouds of the account', async () => {
    const { viewer, accountId } = await createOwner(domain.database.pool, 1000)
    const other = newId()
    await query("insert into group_clouds (id, user_id, name) values ($1, $2, 'Other')", [other, viewer.userId])
    await query(
      'insert into group_cloud_members (group_cloud_id, account_id, position, keep_free_bytes) values ($1, $2, 0, 400)',
      [other, accountId],
    )
    await receive(viewer, text(600), { groupCloudId: other })
    await expect(receive(viewer, text(1), { groupCloudId: other })).rejects.toBeInstanceOf(StorageFullError)
    await receive(viewer, text(400))
    expect(await usedOf(accountId)).toEqual({ used: 1000, held: 1000 })
  })
})

type World = { userId: string; accountId: string; groupCloudId: string }
const account =
  (set: string) =>
  ({ accountId }: World) =>
    query(`update accounts set ${set} where id = $1`, [accountId])

/** Changes after which the group cloud refuses files, and the error when the whole file has arrived. */
const OBSTACLES: [string, (world: World) => Promise<unknown>, new (...args: never[]) => Error][] = [
  ['its account has to be connected again', account("status = 'EXPIRED'"), StorageFullError],
  ['its account cannot be reached', account('unreachable_since = now()'), StorageFullError],
  ['its account fills up', account('used_bytes = quota_bytes - 9'), StorageFullError],
  ['room is reserved on it', account('reserved_bytes = quota_bytes - used_bytes - 9'), StorageFullError],
  ['its account is disconnected', account('disconnected_at = now()'), NotFoundError],
  [
    'its account is being emptied',
    ({ accountId }) => query('update group_cloud_members set draining = true where account_id = $1', [accountId]),
    StorageFullError,
  ],
  [
    'more is to be kept free',
    ({ accountId }) =>
      query('update group_cloud_members set keep_free_bytes = 999995 where account_id = $1', [accountId]),
    StorageFullError,
  ],
  [
    'its account leaves the group cloud',
    ({ accountId }) => query('delete from group_cloud_members where account_id = $1', [accountId]),
    NotFoundError,
  ],
]

/** Adds another account, at a provider, to the group cloud. @returns its id */
async function joinedBy({ userId, groupCloudId }: Pick<World, 'userId' | 'groupCloudId'>): Promise<string> {
  const joining = newId()
  await query(
    `insert into accounts (id, user_id, provider, name, quota_state, quota_bytes) values ($1, $2, 'memory', 'M', 'KNOWN', 5000)`,
    [joining, userId],
  )
  await query('insert into group_cloud_members (group_cloud_id, account_id, position) values ($1, $2, 1)', [
    groupCloudId,
    joining,
  ])
  return joining
}

/** Creates a group cloud of this account alone, optionally as the default one. @returns its id */
async function addGroupCloud({ userId, accountId }: Omit<World, 'groupCloudId'>, isDefault = false): Promise<string> {
  const id = newId()
  if (isDefault) await query('update group_clouds set default_upload_group = false where user_id = $1', [userId])
  await query("insert into group_clouds (id, user_id, name, default_upload_group) values ($1, $2, 'Other', $3)", [
    id,
    userId,
    isDefault,
  ])
  await query('insert into group_cloud_members (group_cloud_id, account_id, position) values ($1, $2, 0)', [
    id,
    accountId,
  ])
  return id
}

describe('while its bytes come', () => {
  it.each(OBSTACLES)('%s: it is refused, and nothing is left of it', async (_what, change, refusal) => {
    const { viewer, accountId, groupCloudId } = await createOwner(domain.database.pool, 1_000_000)
    const meanwhile = () => change({ userId: viewer.userId, accountId, groupCloudId })
    await expect(receive(viewer, text(10), { meanwhile })).rejects.toBeInstanceOf(refusal)
    expect(await filesOf(viewer)).toBe(0)
    expect((await usedOf(accountId)).held).toBe(0)
    expect(await domain.store.listStaged()).toEqual([])
  })

  it.each([
    ['account', "update accounts set status = 'EXPIRED' where id = $1", StorageFullError],
    ['membership', 'delete from group_cloud_members where account_id = $1', NotFoundError],
  ] as const)('somebody changes its %s: it waits for the end of that', async (_what, change, refusal) => {
    const { viewer, accountId } = await createOwner(domain.database.pool)
    const client = await domain.database.pool.connect()
    await client.query('begin')
    await client.query(change, [accountId])
    const refused = expect(receive(viewer, text(10))).rejects.toBeInstanceOf(refusal)
    const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    await expect.poll(async () => (await query(waiting, [])).rowCount).toBe(1)
    await client.query('commit')
    client.release()
    await refused
    expect(await filesOf(viewer)).toBe(0)
  })

  it('a second copy is asked for: that it is missing is said', async () => {
    const { viewer, groupCloudId } = await createOwner(domain.database.pool)
    const meanwhile = () => query('update group_clouds set copies = 2 where id = $1', [groupCloudId])
    expect(await receive(viewer, text(10), { meanwhile })).toMatchObject({
      state: 'AT_RISK',
      copies: [{ state: 'STORED' }],
    })
  })

  it('another account joins: it is placed among both', async () => {
    const { viewer, groupCloudId } = await createOwner(domain.database.pool, 1000)
    let joining = ''
    const meanwhile = async () => {
      joining = await joinedBy({ ...viewer, groupCloudId })
    }
    const { copies } = await receive(viewer, text(10), { meanwhile })
    expect(copies).toMatchObject([{ state: 'STORING', pieces: [{ accountId: joining }] }])
  })

  it('its name is taken: it gets a number, or is refused', async () => {
    const { viewer } = await createOwner(domain.database.pool)
    const meanwhile = () => receive(viewer, text(5))
    expect(await receive(viewer, text(10), { meanwhile })).toMatchObject({ name: 'a (2).png', size: 10 })
    const refused = receive(viewer, text(11), {
      name: 'b.png',
      onConflict: 'FAIL',
      meanwhile: () => receive(viewer, text(5), { name: 'B.png' }),
    })
    await expect(refused).rejects.toBeInstanceOf(NameTakenError)
    expect(await filesOf(viewer)).toBe(3)
  })
})

describe('just after another one', () => {
  /** A user whose group cloud stays cached for the whole test. */
  async function uploader(quotaBytes?: number): Promise<World & { viewer: Viewer }> {
    vi.spyOn(performance, 'now').mockReturnValue(0)
    const { viewer, accountId, groupCloudId } = await createOwner(domain.database.pool, quotaBytes)
    await receive(viewer, text(10), { name: 'first.png' })
    return { viewer, userId: viewer.userId, accountId, groupCloudId }
  }
  const ONE_STATEMENT = ['uploads-insert-sole']

  it('its group cloud is not looked up again', async () => {
    const { viewer, groupCloudId, accountId } = await uploader()
    const heard = listen()
    const file = await receive(viewer, text(20))
    expect(heard).toEqual(ONE_STATEMENT)
    expect(file).toMatchObject({ groupCloudId, copies: [{ state: 'STORED', pieces: [{ accountId }] }] })
  })

  it('nor when its size is not known, but how long it can be at most', async () => {
    const { viewer } = await uploader()
    const heard = listen()
    await receive(viewer, text(20), { size: null, atMostBytes: 300 })
    expect(heard).toEqual(ONE_STATEMENT)
  })

  it.each<[string, Send, number]>([
    ['of more than 1 MiB', {}, 1024 * 1024 + 1],
    ['with an idempotency key', { key: newId() }, 20],
    ['of any length', { size: null }, 20],
    ['for a group cloud that is named', { groupCloudId: 'its own' }, 20],
  ])('%s it is looked up', async (_what, more, size) => {
    const { viewer, groupCloudId } = await uploader()
    const heard = listen()
    await receive(viewer, text(size), { ...more, ...(more.groupCloudId && { groupCloudId }) })
    expect(heard).toContain('group-clouds-find-members')
  })

  it.each(OBSTACLES)('%s: it is refused, and nothing is left of it', async (_what, change) => {
    const world = await uploader(1_000_000)
    await change(world)
    await expect(receive(world.viewer, text(10))).rejects.toBeInstanceOf(StorageFullError)
    expect(await filesOf(world.viewer)).toBe(1)
    expect((await usedOf(world.accountId)).held).toBe(10)
    expect(await domain.store.listStaged()).toEqual([])
  })

  it('room that was freed counts at once', async () => {
    const { viewer, accountId } = await uploader(1000)
    await receive(viewer, text(900), { name: 'much.png' })
    await expect(receive(viewer, text(500))).rejects.toBeInstanceOf(StorageFullError)
    await query('update accounts set used_bytes = 10 where id = $1', [accountId])
    expect(await receive(viewer, text(500))).toMatchObject({ size: 500, state: 'STORED' })
  })

  it('another group cloud is the default one: it goes there', async () => {
    const world = await uploader()
    const other = await addGroupCloud(world, true)
    expect((await receive(world.viewer, text(20))).groupCloudId).toBe(other)
    expect((await receive(world.viewer, text(30))).groupCloudId).toBe(other)
  })

  it('its group cloud is gone: that is said, and the default one takes what asks for none', async () => {
    const world = await uploader()
    const other = await addGroupCloud(world)
    await receive(world.viewer, text(20), { groupCloudId: other, name: 'there.png' })
    await query('update files set group_cloud_id = $1 where group_cloud_id = $2', [world.groupCloudId, other])
    await query('delete from group_clouds where id = $1', [other])
    await expect(receive(world.viewer, text(30), { groupCloudId: other })).rejects.toBeInstanceOf(NotFoundError)
    expect((await receive(world.viewer, text(40))).groupCloudId).toBe(world.groupCloudId)
  })

  it('an account at a provider joins: it is placed among both', async () => {
    const world = await uploader(1000)
    const joining = await joinedBy(world)
    const { copies } = await receive(world.viewer, text(20))
    expect(copies).toMatchObject([{ state: 'STORING', pieces: [{ accountId: joining }] }])
  })

  it('of the same name it gets a number, takes its place, or is refused', async () => {
    const { viewer } = await uploader()
    const send = (onConflict?: UploadInput['onConflict']) =>
      receive(viewer, text(30), { name: 'first.png', onConflict })
    expect((await send()).name).toBe('first (2).png')
    expect((await send('REPLACE')).name).toBe('first.png')
    await expect(send('FAIL')).rejects.toBeInstanceOf(NameTakenError)
    expect(await domain.store.listStaged()).toEqual([])
  })
})

describe('when the database fails', () => {
  it('in doubt whether it was stored, its bytes are kept', async () => {
    const { viewer } = await createOwner(domain.database.pool)
    loseAnswerOf('uploads-insert-sole')
    await expect(receive(viewer, text(10))).rejects.toBeInstanceOf(UnknownOutcomeError)
    vi.restoreAllMocks()
    const { rows } = await query('select id from files where user_id = $1', [viewer.userId])
    const { source } = await domain.services.files.open(viewer, rows[0].id)
    expect(Buffer.concat(await source.read(0, 9).toArray())).toEqual(text(10))
  })

  it('what others of the same moment suffer takes nothing back', async () => {
    const { viewer } = await createOwner(domain.database.pool)
    const staged = await domain.store.listStaged()
    loseAnswerOf('begin')
    const sent = [
      receive(viewer, text(10), { name: 'plain.png' }),
      receive(viewer, text(20), { name: 'keyed.png', key: newId() }),
    ]
    const [plain, keyed] = await Promise.allSettled(sent)
    vi.restoreAllMocks()
    expect(keyed?.status).toBe('rejected')
    if (plain?.status !== 'fulfilled') throw new Error('It was taken back.')
    const { source } = await domain.services.files.open(viewer, plain.value.id)
    expect(Buffer.concat(await source.read(0, 9).toArray())).toEqual(text(10))
    await expect.poll(() => domain.store.listStaged()).toEqual(staged)
  })

  it('a folder that could not be synced is not synced again', async () => {
    const { viewer } = await createOwner(domain.database.pool)
    const sync = vi.spyOn(domain.store, 'syncStaging').mockRejectedValue(new Error('EIO'))
    await expect(receive(viewer, text(10))).rejects.toThrow('EIO')
    expect(sync).toHaveBeenCalledOnce()
    expect(await filesOf(viewer)).toBe(0)
  })
})
