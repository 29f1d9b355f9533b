import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lastNight } from '../../server/domain/inPlace/pass.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { startWalkedAccount, type WalkedAccount } from '../setup/walkedAccount.ts'

// Everything in an account of a service that reports no changes and names entries by their paths.

let account: WalkedAccount

beforeEach(async () => {
  account = await startWalkedAccount()
})
afterEach(() => account.close())

it('is due once a night, at a time of its own', () => {
  const at = (text: string) => lastNight('01985c1c-0000-7000-8000-0000000000ff', new Date(text)).getTime()
  const [early, noon, next] = ['2026-03-05T00:30:00', '2026-03-05T12:00:00', '2026-03-06T04:59:59'].map(at)
  expect(new Date(noon ?? 0).getDate()).toBe(5)
  expect([1, 2, 3, 4]).toContain(new Date(noon ?? 0).getHours())
  expect(new Date(early ?? 0).getDate()).toBe(4)
  expect(at('2026-03-05T23:59:59')).toBe(noon)
  expect((next ?? 0) - (noon ?? 0)).toBe(86_400_000)
  const other = lastNight('01985c1c-0000-7000-8000-000000000010', new Date('2026-03-05T12:00:00')).getTime()
  expect(other).not.toBe(noon)
})

describe('listing', () => {
  it('shows everything, and says that it is listed again instead of followed', async () => {
    const photos = account.addFolder('Photos')
    for (let number = 0; number < 8; number += 1)
      account.add(`img${number}.jpg`, account.addFolder(`Trip ${number}`, photos))
    await account.showEverything()
    expect(await account.paths()).toHaveLength(17)
    expect(await account.index()).toMatchObject({ phase: 'WALK', entries: 17, problem: null })
    expect((await account.index())?.asOf).toBeInstanceOf(Date)
  })

  it('calls nothing while nothing is due', async () => {
    account.add('a.txt')
    await account.showEverything()
    account.calls.clear()
    for (let times = 0; times < 3; times += 1) await account.feed.tick()
    expect([...account.calls]).toEqual([])
  })

  it('finds each night what was changed, and when it is asked to look again', async () => {
    const photos = account.addFolder('Photos')
    const image = account.add('a.jpg', photos)
    const note = account.add('note.txt')
    await account.showEverything()
    const before = await account.shown()
    account.move(image, { name: 'b.jpg' })
    account.tree().remove(note)
    account.add('new.txt')
    await account.feed.tick()
    expect(await account.paths()).toEqual(['/Photos', '/Photos/a.jpg', '/note.txt'])
    await account.nextNight()
    expect(await account.paths()).toEqual(['/Photos', '/Photos/b.jpg', '/new.txt'])
    expect((await account.shown()).get('/Photos')).toBe(before.get('/Photos'))
    account.add('later.txt', photos)
    await account.refresh()
    await account.feed.tick()
    expect(await account.paths()).toEqual(['/Photos', '/Photos/b.jpg', '/Photos/later.txt', '/new.txt'])
    expect((await account.index())?.entries).toBe(4)
  })

  it("does not show Skypool's own folder, and keeps no rows of what it contains", async () => {
    const own = account.addFolder('Skypool')
    for (let number = 0; number < 10; number += 1)
      account.add(`part ${number}`, account.addFolder(`Parts ${number}`, own))
    account.add('a.txt')
    await account.setHome('Skypool')
    await account.setScope()
    let most = 0
    account.replace(({ listAll }) => ({
      async listAll(...args) {
        const { rows } = await account.world.pool.query('select count(*)::int as count from unplaced_entries')
        most = Math.max(most, rows[0].count)
        return (listAll as NonNullable<typeof listAll>)(...args)
      },
    }))
    await account.feed.tick()
    expect(await account.paths()).toEqual(['/a.txt'])
    expect(most).toBe(0)
  })
})

it("hides Skypool's own folder that was listed before it was known to be that", async () => {
  const own = account.addFolder('Skypool')
  for (let number = 0; number < 150; number += 1) account.add(`part ${number}`, own)
  account.add('a.txt')
  await account.showEverything()
  expect(await account.paths()).toHaveLength(152)
  await account.setHome('Skypool')
  await account.nextNight()
  await account.listOn()
  expect(await account.paths()).toEqual(['/a.txt'])
  expect(await account.index()).toMatchObject({ entries: 1, heldDeletions: 0 })
})

describe('nothing vanishes by mistake', () => {
  it('keeps everything while listings fail, and asks before anything is gone', async () => {
    const photos = account.addFolder('Photos')
    for (let number = 0; number < 8; number += 1) account.add(`${number}.jpg`, photos)
    await account.showEverything()
    const before = await account.shown()
    account.world.cloud.fault = (operation) =>
      operation === 'listAll' ? { kind: 'refused', code: 'Transient', status: 503 } : null
    await account.nextNight()
    await account.feed.tick()
    expect(await account.shown()).toEqual(before)
    account.world.cloud.fault = null
    account.replace((driver) => ({
      // It ends after the first page, without an error.
      listAll: async (call) => ({
        items: (await (driver.listAll as NonNullable<Driver['listAll']>)(call, null)).items,
        cursor: null,
      }),
    }))
    await account.world.pool.query('update accounts set unreachable_since = null, paused_until = null')
    await account.feed.tick()
    expect(await account.shown()).toEqual(before)
  })

  it('keeps what the server does not let the user see any more, without asking about each entry', async () => {
    const closed = account.addFolder('Closed')
    const inside = new Set([closed, ...Array.from({ length: 30 }, (_, number) => account.add(`${number}.txt`, closed))])
    const gone = account.add('gone.txt')
    await account.showEverything()
    account.tree().remove(gone)
    account.replace((driver) => ({
      listAll: async (call, cursor) => {
        const page = await (driver.listAll as NonNullable<Driver['listAll']>)(call, cursor)
        return { ...page, items: page.items.filter(({ ref }) => !ref.startsWith('Closed')) }
      },
    }))
    account.world.cloud.fault = (operation, ref) => {
      account.calls.set(operation, (account.calls.get(operation) ?? 0) + 1)
      return operation === 'stat' && inside.has(ref as EntryRef)
        ? { kind: 'refused', code: 'Forbidden', status: 403 }
        : null
    }
    account.calls.clear()
    await account.nextNight()
    expect(await account.paths()).toHaveLength(31)
    expect(await account.index()).toMatchObject({ phase: 'WALK', entries: 31, heldDeletions: 0 })
    expect(account.calls.get('stat')).toBeLessThan(5)
  })

  it('asks once about a folder that is gone with everything in it', async () => {
    const photos = account.addFolder('Photos')
    for (let number = 0; number < 40; number += 1)
      account.add(`${number}.jpg`, account.addFolder(`Trip ${number}`, photos))
    for (let number = 0; number < 90; number += 1) account.add(`${number}.txt`)
    await account.showEverything()
    account.tree().remove(photos)
    account.calls.clear()
    await account.nextNight()
    await account.listOn()
    expect(await account.paths()).toHaveLength(90)
    expect(account.calls.get('stat')).toBe(1)
  })
})
