import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getFiles } from '../../server/domain/files/tree/entries.ts'
import type { EntryRef } from '../../server/providers/driver.ts'
import { startWalkedAccount, type WalkedAccount } from '../setup/walkedAccount.ts'

// Folders that are opened, in an account of a service that reports no changes: each is listed alone, at once.

let account: WalkedAccount

beforeEach(async () => {
  account = await startWalkedAccount()
})
afterEach(() => account.close())

describe('a folder that is opened', () => {
  it('is listed alone, and says what has changed', async () => {
    const photos = account.addFolder('Photos')
    const image = account.add('a.jpg', photos)
    account.add('b.jpg', photos)
    account.addFolder('Other')
    await account.showEverything()
    const before = await account.shown()
    account.tree().remove(image)
    account.world.cloud.overwrite(
      'drive',
      [...account.tree().children(photos)][0]?.ref as EntryRef,
      Buffer.from('other'),
    )
    account.add('inside.txt', account.addFolder('New', photos))
    account.add('unseen.txt')
    account.calls.clear()
    account.world.told.length = 0
    await account.open('/Photos')
    expect(await account.paths()).toEqual(['/Other', '/Photos', '/Photos/New', '/Photos/b.jpg'])
    // The list, and a question about what it does not contain.
    expect(Object.fromEntries(account.calls)).toEqual({ list: 1, stat: 1 })
    expect((await account.shown()).get('/Photos/b.jpg')).toBe(before.get('/Photos/b.jpg'))
    expect(account.world.told.map(({ topic }) => topic)).toContain('filesChanged')
    const entries = await getFiles(account.world.pool, account.world.viewer, [...(await account.shown()).values()])
    const asOf = (path: string) =>
      entries.find((entry) => entry?.id === before.get(path))?.inPlace?.asOf?.getTime() ?? 0
    expect(asOf('/Photos')).toBeGreaterThan(asOf('/Other'))
    expect(asOf('/Photos/b.jpg')).toBe(0)
    // A folder that has appeared is listed with the next poll.
    await account.feed.tick()
    expect(await account.paths()).toContain('/Photos/New/inside.txt')
    expect(await account.wrongCounts()).toEqual([])
  })

  it('is listed once in a while, however often it is opened', async () => {
    account.addFolder('Photos')
    await account.showEverything()
    await account.open('/Photos')
    account.calls.clear()
    const folderId = (await account.shown()).get('/Photos') ?? ''
    for (let times = 0; times < 5; times += 1) account.looks.opened({ userId: account.world.viewer.userId, folderId })
    await account.looks.whenIdle()
    expect([...account.calls]).toEqual([])
  })

  it('shows in the end what appeared just after it was listed, although it is opened too early to be listed at once', async () => {
    const photos = account.addFolder('Photos')
    await account.showEverything()
    await account.open('/Photos')
    account.add('late.jpg', photos)
    await account.world.pool.query(`update account_entries set looked_at = now() - interval '9 seconds'`)
    const folderId = (await account.shown()).get('/Photos') ?? ''
    account.looks.opened({ userId: account.world.viewer.userId, folderId })
    await vi.waitFor(async () => expect(await account.paths()).toContain('/Photos/late.jpg'), 120_000)
  })

  it('is listed again as soon as its account answers again', async () => {
    const photos = account.addFolder('Photos')
    await account.showEverything()
    const { rows } = await account.world.pool.query<{ accountId: string }>(
      `update accounts set unreachable_since = now() where id in (select account_id from account_indexes)
       returning id as "accountId"`,
    )
    const folder = { userId: account.world.viewer.userId, folderId: (await account.shown()).get('/Photos') ?? '' }
    account.looks.opened({ ...folder, ...rows[0] })
    await account.looks.whenIdle()
    account.add('late.jpg', photos)
    await account.world.pool.query('update accounts set unreachable_since = null')
    account.looks.opened({ ...folder, ...rows[0] })
    await account.looks.whenIdle()
    expect(await account.paths()).toContain('/Photos/late.jpg')
  })

  it('shows the account as it was when it cannot be listed', async () => {
    account.add('a.jpg', account.addFolder('Photos'))
    await account.showEverything()
    account.world.cloud.fault = () => ({ kind: 'refused', code: 'Transient', status: 503 })
    await account.open('/Photos')
    await account.open('')
    expect(await account.paths()).toEqual(['/Photos', '/Photos/a.jpg'])
  })

  it('disappears when the account no longer has it', async () => {
    const photos = account.addFolder('Photos')
    account.add('a.jpg', photos)
    await account.showEverything()
    account.tree().remove(photos)
    await account.open('/Photos')
    expect(await account.paths()).toEqual([])
    expect((await account.index())?.entries).toBe(0)
  })

  it('holds back what is gone at once, if it is more than half of the account', async () => {
    const photos = account.addFolder('Photos')
    const refs = Array.from({ length: 130 }, (_, number) => account.add(`${number}.jpg`, photos))
    await account.showEverything()
    for (const ref of refs) account.tree().remove(ref)
    await account.open('/Photos')
    expect(await account.index()).toMatchObject({ phase: 'HELD' })
    expect(await account.paths()).toHaveLength(131)
  })

  it('keeps what the user changes while it is being listed', async () => {
    const photos = account.addFolder('Photos')
    account.add('a.jpg', photos)
    await account.showEverything()
    const id = (await account.shown()).get('/Photos/a.jpg') ?? ''
    let isFirst = true
    account.replace((driver) => ({
      async list(...args) {
        const page = await driver.list(...args)
        if (isFirst) {
          isFirst = false
          await account.change({ kind: 'RENAME', id, name: 'b.jpg' })
        }
        return page
      },
    }))
    await account.open('/Photos')
    expect(await account.paths()).toEqual(['/Photos', '/Photos/b.jpg'])
    expect((await account.shown()).get('/Photos/b.jpg')).toBe(id)
  })
})
