import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AccountFeed, createAccountFeed } from '../../server/domain/feed/feed.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

let world: TransfersWorld
let drive: string
let feed: AccountFeed

beforeEach(async () => {
  world = await startTransfersWorld()
  drive = await world.account('drive')
  feed = open()
})
afterEach(async () => {
  await feed.close()
  expect(world.errors).toEqual([])
  await world.close()
})

function open(everyMs = 0): AccountFeed {
  const { pool, events, enqueue, drivers, report } = world
  const openDriver = async (id: string) => drivers.get(id) as Driver
  const onError = (error: unknown) => void world.errors.push(error)
  return createAccountFeed({ pool, events, enqueue, leases: pool, openDriver, report, onError, everyMs })
}

/** Stored on the one account. @returns its id, and the object there */
async function stored() {
  const { fileId: id } = await world.receive(await world.groupCloud([drive]), randomBytes(500))
  await world.settleDown()
  const { rows } = await world.pool.query(
    'select p.object_ref as ref from pieces p join copies c on c.id = p.copy_id where c.file_id = $1',
    [id],
  )
  return { id, ref: rows[0].ref as EntryRef }
}

it('follows an account from its first object, however rarely it was read while it held nothing', async () => {
  await feed.close()
  feed = open(30_000)
  await feed.tick()
  const { id, ref } = await stored()
  remove(ref)
  await feed.tick()
  await vi.waitFor(async () => expect(await stateOf(id)).toBe('AT_RISK'))
})

it('does not read an account earlier than its provider asks because it gets an object', async () => {
  await feed.close()
  feed = open(30_000)
  await feed.tick()
  const wait = `update account_feeds set read_at = null, next_at = date_trunc('milliseconds', now()) + interval '5 minutes' returning next_at`
  const { rows } = await world.pool.query(wait)
  await stored()
  expect((await world.pool.query('select next_at from account_feeds')).rows).toEqual(rows)
})

const stateOf = async (id: string) => (await world.file(id)).state
const remove = (ref: EntryRef) => world.cloud.tree('drive').remove(ref)

/** The account's driver with other methods, until the end of the test. */
function replace(methods: Partial<Driver>): void {
  world.drivers.set(drive, { ...(world.drivers.get(drive) as Driver), ...methods })
}

function countCalls(): Record<string, number> {
  const calls: Record<string, number> = {}
  world.cloud.fault = (operation) => {
    calls[operation] = (calls[operation] ?? 0) + 1
    return null
  }
  return calls
}

const refuse = async (): Promise<never> => {
  throw new ProviderError('Transient', { provider: 'memory', operation: 'list' }, { message: 'It breaks.' })
}

describe('an account that becomes due between two polls', () => {
  /** `before`: how long ago the transaction that requests it began (ms). */
  const dueNow = (before = 0) =>
    world.pool.query(
      `update account_feeds set next_at = date_trunc('milliseconds', now() - make_interval(secs => $2::float8 / 1000)) where account_id = $1`,
      [drive, before],
    )

  /** Only `wake` can read it: polls come after the end of the test. */
  async function startAsleep(): Promise<void> {
    await feed.close()
    feed = open(600_000)
    await feed.tick()
    feed.start()
  }

  it('is read at once when the feed is woken up', async () => {
    const { id, ref } = await stored()
    await startAsleep()
    remove(ref)
    await dueNow()
    feed.wake()
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('AT_RISK'), 120_000)
  })

  it.each([
    ['was being read at that moment', 0],
    ['began to be read before the request was committed', 1_000],
  ])('is read again when it %s', async (_name, before) => {
    const { id, ref } = await stored()
    await startAsleep()
    const { changes } = world.drivers.get(drive) as Required<Driver>
    let reads = 0
    replace({
      async changes(call, cursor) {
        const page = await changes(call, cursor)
        reads += 1
        if (reads > 1) return page
        remove(ref)
        await dueNow(before)
        feed.wake()
        return page
      },
    })
    await dueNow()
    feed.wake()
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('AT_RISK'), 120_000)
  })

  /** The driver calls `act` before it returns the first page of changes. */
  function beforeFirstPage(act: () => Promise<unknown>): void {
    const { changes } = world.drivers.get(drive) as Required<Driver>
    let isFirst = true
    replace({
      async changes(call, cursor) {
        const page = await changes(call, cursor)
        if (isFirst) {
          isFirst = false
          await act()
        }
        return page
      },
    })
  }

  it('is read again when that fails', async () => {
    const { id, ref } = await stored()
    await startAsleep()
    beforeFirstPage(async () => {
      remove(ref)
      await dueNow()
      feed.wake()
      await refuse()
    })
    await dueNow()
    feed.wake()
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('AT_RISK'), 120_000)
  })

  it('is read again when that began to be saved before, and the request is committed first', async () => {
    const { id, ref } = await stored()
    await startAsleep()
    const SAVING = `select from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into account_feeds%'
      and xact_start < date_trunc('milliseconds', clock_timestamp())`
    const client = await world.pool.connect()
    let requested: Promise<unknown> = Promise.resolve()
    beforeFirstPage(async () => {
      await client.query('begin')
      await client.query('select from account_feeds where account_id = $1 for update', [drive])
      remove(ref)
      requested = vi
        .waitFor(async () => expect((await world.pool.query(SAVING)).rowCount).toBe(1), 120_000)
        .then(() => {
          const text = `update account_feeds set next_at = date_trunc('milliseconds', clock_timestamp()) where account_id = $1`
          return client.query(text, [drive])
        })
        .finally(() => client.query('commit'))
        .finally(() => client.release())
      feed.wake()
    })
    await dueNow()
    feed.wake()
    await vi.waitFor(async () => expect(await stateOf(id)).toBe('AT_RISK'), 120_000)
    await requested
  })
})

describe('what is not known yet', () => {
  it('is found in an account that was connected before there were feeds', async () => {
    const { id, ref } = await stored()
    remove(ref)
    await feed.tick()
    expect(await stateOf(id)).toBe('AT_RISK')
  })

  it('is found after the position in the feed is refused', async () => {
    const { id, ref } = await stored()
    await feed.tick()
    remove(ref)
    world.cloud.resetChanges('drive')
    await feed.tick()
    expect(await stateOf(id)).toBe('AT_RISK')
  })

  it('is found where the service has no feed', async () => {
    const { id, ref } = await stored()
    const { changes: _none, ...without } = world.drivers.get(drive) as Driver
    world.drivers.set(drive, without)
    remove(ref)
    await feed.tick()
    expect(await stateOf(id)).toBe('AT_RISK')
  })

  it('is looked for once a week, though the feed says nothing', async () => {
    const { id, ref } = await stored()
    await feed.tick()
    remove(ref)
    replace({ changes: async (_call, cursor) => ({ changes: [], cursor: cursor ?? '0', hasMore: false }) })
    await feed.tick()
    expect(await stateOf(id)).toBe('STORED')
    await world.pool.query("update account_feeds set checked_at = now() - interval '7 days'")
    await feed.tick()
    expect(await stateOf(id)).toBe('AT_RISK')
  })
})

describe('nothing vanishes by mistake', () => {
  it.each<[string, Partial<Driver>]>([
    ['a list that is empty', { list: async () => ({ items: [], cursor: null }) }],
    ['a list that fails', { list: refuse }],
    ['questions that fail', { stat: refuse, list: async () => ({ items: [], cursor: null }) }],
    ['changes that fail', { changes: refuse }],
  ])('for %s', async (_what, methods) => {
    const { id } = await stored()
    const healthy = world.drivers.get(drive) as Driver
    replace(methods)
    await feed.tick()
    await feed.tick()
    expect(await stateOf(id)).toBe('STORED')
    world.drivers.set(drive, healthy)
    await feed.tick()
    const { rows } = await world.pool.query('select checked_at from account_feeds')
    expect(rows[0].checked_at).not.toBeNull()
    expect(await stateOf(id)).toBe('STORED')
  })

  it('and a page that is lost is read again', async () => {
    const { id, ref } = await stored()
    await feed.tick()
    remove(ref)
    world.cloud.fault = (operation) => (operation === 'changes' ? { kind: 'lostReply' } : null)
    await feed.tick()
    expect(await stateOf(id)).toBe('STORED')
    world.cloud.fault = null
    await feed.tick()
    expect(await stateOf(id)).toBe('AT_RISK')
  })
})

it('own writes that echo back change nothing and tell nobody', async () => {
  await feed.tick()
  const { id } = await stored()
  world.told.length = 0
  await feed.tick()
  expect(world.told).toEqual([])
  expect(await stateOf(id)).toBe('STORED')
})

it('costs an idle account one call per interval, and one that holds nothing less', async () => {
  await stored()
  await world.account('empty')
  await feed.tick()
  await feed.close()
  feed = open(30_000)
  const calls = countCalls()
  await feed.tick()
  await feed.tick()
  await feed.tick()
  expect(calls).toEqual({ changes: 2 })
  const { rows } = await world.pool.query(
    `select round(extract(epoch from f.next_at - now()) / 30) as intervals from account_feeds f
     join accounts a on a.id = f.account_id order by a.name`,
  )
  expect(rows.map(({ intervals }) => Number(intervals))).toEqual([1, 20])
})

it('reads an account again as soon as it is due, not with the next regular tick', async () => {
  await stored()
  // Regular ticks use setInterval: the first one comes after five seconds.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  try {
    await feed.close()
    feed = open(600_000)
    feed.start()
    const calls = countCalls()
    await feed.tick()
    await world.pool.query("update account_feeds set next_at = now() - interval '1 second'")
    vi.advanceTimersByTime(601_000)
    await expect.poll(() => calls.changes).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})

describe('when an account was last read is known', () => {
  const isKnown = async () => {
    const { rows } = await world.pool.query('select read_at is not null as known from account_feeds')
    return rows.map(({ known }) => known)
  }

  it('until it fails', async () => {
    await stored()
    await feed.tick()
    expect(await isKnown()).toEqual([true])
    replace({ changes: refuse })
    await feed.tick()
    expect(await isKnown()).toEqual([false])
  })

  it('only where it was asked', async () => {
    const { changes: _none, ...without } = world.drivers.get(drive) as Driver
    world.drivers.set(drive, without)
    await feed.tick()
    expect(await isKnown()).toEqual([false])
  })
})

it('a tick that comes while an account is being read still finds what happened before it', async () => {
  const { id, ref } = await stored()
  await feed.tick()
  const { changes } = world.drivers.get(drive) as Required<Driver>
  let later: Promise<unknown> | null = null
  replace({
    async changes(call, cursor) {
      const page = await changes(call, cursor)
      if (later) return page
      remove(ref)
      later = feed.tick()
      // By then the later tick has usually found that this read is in progress.
      for (let turns = 0; turns < 10; turns += 1) await world.pool.query('select')
      return page
    },
  })
  await feed.tick()
  await later
  expect(await stateOf(id)).toBe('AT_RISK')
})

it('is read by one server at a time', async () => {
  await stored()
  await feed.tick()
  let isReading = 0
  let most = 0
  const { changes } = world.drivers.get(drive) as Driver
  replace({
    async changes(call, cursor) {
      isReading += 1
      most = Math.max(most, isReading)
      await new Promise((resolve) => setImmediate(resolve))
      const page = await changes?.(call, cursor)
      isReading -= 1
      if (!page) throw new Error('There are no changes.')
      return page
    },
  })
  const other = open()
  await Promise.all([feed.tick(), other.tick(), feed.tick(), other.tick()])
  await other.close()
  expect(most).toBe(1)
})

it('a tick says of which accounts everything is recorded: not of one that fails, nor of one that another server reads', async () => {
  await stored()
  expect([...(await feed.tick())]).toEqual([drive])
  const { changes } = world.drivers.get(drive) as Required<Driver>
  replace({ changes: refuse })
  expect([...(await feed.tick())]).toEqual([])
  const other = open()
  let readByOther: ReadonlySet<string> | null = null
  replace({
    async changes(call, cursor) {
      readByOther = await other.tick()
      return changes(call, cursor)
    },
  })
  expect([...(await feed.tick())]).toEqual([drive])
  expect(readByOther).toEqual(new Set())
  await other.close()
})

it('a service that asks to wait is left alone for so long', async () => {
  await stored()
  await feed.tick()
  world.cloud.fault = (operation) =>
    operation === 'changes' ? { kind: 'refused', code: 'RateLimited', retryAfterMs: 120_000 } : null
  await feed.tick()
  const calls = countCalls()
  await feed.tick()
  expect(calls).toEqual({})
})

it('is read at the usual interval though the clock was set back', async () => {
  await stored()
  await feed.tick()
  await feed.close()
  feed = open(30_000)
  // What was the next half a minute before the clock was set back by a day.
  await world.pool.query("update account_feeds set next_at = now() + interval '1 day 30 seconds'")
  const calls = countCalls()
  await feed.tick()
  await feed.tick()
  expect(calls).toEqual({ changes: 1 })
  const { rows } = await world.pool.query(
    'select round(extract(epoch from next_at - now()) / 30) as intervals from account_feeds',
  )
  expect(rows.map(({ intervals }) => Number(intervals))).toEqual([1])
})
