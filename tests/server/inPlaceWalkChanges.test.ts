import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Step } from '../../server/domain/files/tree/step.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { startWalkedAccount, type WalkedAccount } from '../setup/walkedAccount.ts'

// What the user changes in an account of a service that reports no changes and names entries by their paths.

let account: WalkedAccount

beforeEach(async () => {
  account = await startWalkedAccount()
})
afterEach(() => account.close())

it("refuses changes of Skypool's own folder that is still shown, and hides it with the next list", async () => {
  const own = account.addFolder('Skypool')
  account.add('part 0', own)
  account.add('a.txt')
  await account.showEverything()
  const ids = await account.shown()
  const idOf = (path: string) => ids.get(path) as string
  await account.setHome('Skypool')
  const onConflict = 'RENAME'
  const steps: readonly Step[] = [
    { kind: 'TRASH', id: idOf('/Skypool') },
    { kind: 'TRASH', id: idOf('/Skypool/part 0') },
    { kind: 'RENAME', id: idOf('/Skypool'), name: 'Other' },
    { kind: 'MOVE', id: idOf('/a.txt'), parentId: idOf('/Skypool'), onConflict },
  ]
  for (const step of steps)
    await expect(account.change(step)).rejects.toThrow('Skypool stores files in this folder of “drive”')
  expect([...account.tree().children(own)].map(({ name }) => name)).toEqual(['part 0'])
  await account.open('/')
  expect(await account.paths()).toEqual(['/a.txt'])
})

describe('changes', () => {
  let photos = ''
  let image = ''

  beforeEach(async () => {
    const folder = account.addFolder('Photos')
    const trip = account.addFolder('Trip', folder)
    account.add('a.jpg', trip)
    account.add('b.jpg', folder)
    account.addFolder('Other')
    await account.showEverything()
    const all = await account.shown()
    photos = all.get('/Photos') ?? ''
    image = all.get('/Photos/Trip/a.jpg') ?? ''
    await account.world.pool.query('update files set starred = true where id = $1', [image])
  })

  /** The account and the index say the same, and a complete listing changes nothing. */
  async function expectTrue(all: readonly string[]): Promise<void> {
    const own = (path: string) => path === '/Skypool' || path.startsWith('/Skypool/')
    expect(account.held().filter((path) => !own(path))).toEqual(all)
    const before = await account.shown()
    expect([...before.keys()].sort()).toEqual(all)
    await account.refresh()
    await account.feed.tick()
    expect(await account.shown()).toEqual(before)
    expect(await account.wrongCounts()).toEqual([])
    expect((await account.index())?.entries).toBe(all.length)
  }

  it('rename and move folders with everything in them, which stays the same', async () => {
    await account.change({ kind: 'RENAME', id: photos, name: 'Pictures' })
    await expectTrue(['/Other', '/Pictures', '/Pictures/Trip', '/Pictures/Trip/a.jpg', '/Pictures/b.jpg'])
    expect((await account.shown()).get('/Pictures/Trip/a.jpg')).toBe(image)
    const other = (await account.shown()).get('/Other') ?? ''
    await account.change({ kind: 'MOVE', id: photos, parentId: other, onConflict: 'FAIL' })
    const all = ['/Other', '/Other/Pictures', '/Other/Pictures/Trip', '/Other/Pictures/Trip/a.jpg']
    await expectTrue([...all, '/Other/Pictures/b.jpg'])
    const renamed = await account.change({ kind: 'RENAME', id: image, name: 'c.jpg' })
    expect(renamed).toMatchObject({ id: image, name: 'c.jpg', starred: true })
  })

  it('move to the trash, restore and delete', async () => {
    await account.change({ kind: 'TRASH', id: photos })
    await expectTrue(['/Other'])
    expect(account.held().filter((path) => path.startsWith('/Skypool/Trash/Photos'))).toHaveLength(4)
    const restored = await account.change({ kind: 'RESTORE', id: photos })
    expect(restored).toMatchObject({ id: photos, trashedAt: null })
    const all = ['/Other', '/Photos', '/Photos/Trip', '/Photos/Trip/a.jpg', '/Photos/b.jpg']
    await account.feed.tick()
    await expectTrue(all)
    expect((await account.shown()).get('/Photos/Trip/a.jpg')).toBe(image)
    await account.change({ kind: 'REMOVE', id: photos })
    await expectTrue(['/Other'])
    await account.change({
      kind: 'CREATE',
      id: '01985c1c-0000-7000-8000-000000000001',
      name: 'New',
      parentId: await root(),
    })
    await expectTrue(['/New', '/Other'])
  })

  async function root(): Promise<string> {
    const { rows } = await account.world.pool.query('select root_file_id as id from account_indexes')
    return rows[0].id
  }

  it('ask where an entry is now when the response is lost', async () => {
    let isLost = true
    account.world.cloud.fault = (operation) => (operation === 'move' && isLost ? { kind: 'lostReply' } : null)
    await account.change({ kind: 'RENAME', id: photos, name: 'Pictures' })
    await account.change({ kind: 'TRASH', id: photos })
    isLost = false
    await expectTrue(['/Other'])
    await account.change({ kind: 'RESTORE', id: photos })
    await account.feed.tick()
    await expectTrue(['/Other', '/Pictures', '/Pictures/Trip', '/Pictures/Trip/a.jpg', '/Pictures/b.jpg'])
  })

  it('never delete a file that has taken the place of another one in the meantime', async () => {
    const file = account.world.cloud.objects('drive').find(({ name }) => name === 'b.jpg')
    const id = (await account.shown()).get('/Photos/b.jpg') ?? ''
    for (const kind of ['REMOVE', 'TRASH'] as const) {
      account.world.cloud.overwrite('drive', file?.ref as EntryRef, Buffer.from(`content of ${kind}`))
      await expect(account.change({ kind, id })).rejects.toThrow('changed or replaced')
      expect(account.held()).toContain('/Photos/b.jpg')
    }
    // The user sees it now, and can decide again.
    await account.change({ kind: 'TRASH', id })
    expect(account.held()).not.toContain('/Photos/b.jpg')
  })

  /** Done once, by the next call of `move`, before the service is asked. */
  function beforeMove(work: () => Promise<unknown>): void {
    let isFirst = true
    account.replace((driver) => ({
      move: async (...args) => {
        const isNow = isFirst
        isFirst = false
        if (isNow) await work()
        return (driver.move as NonNullable<Driver['move']>)(...args)
      },
    }))
  }

  it('of two requests to restore the same, the later one finds it restored', async () => {
    await account.change({ kind: 'TRASH', id: photos })
    beforeMove(() => account.change({ kind: 'RESTORE', id: photos }))
    expect(await account.change({ kind: 'RESTORE', id: photos })).toMatchObject({ id: photos, trashedAt: null })
    await account.feed.tick()
    await expectTrue(['/Other', '/Photos', '/Photos/Trip', '/Photos/Trip/a.jpg', '/Photos/b.jpg'])
  })

  it('what is restored while it is being deleted permanently stays', async () => {
    await account.change({ kind: 'TRASH', id: photos })
    account.replace((driver) => ({
      delete: async (call, ref) => {
        await account.change({ kind: 'RESTORE', id: photos })
        return driver.delete(call, ref)
      },
    }))
    await expect(account.change({ kind: 'REMOVE', id: photos })).rejects.toThrow('was restored')
    await account.feed.tick()
    await expectTrue(['/Other', '/Photos', '/Photos/Trip', '/Photos/Trip/a.jpg', '/Photos/b.jpg'])
  })

  it('a deletion whose answer was lost is not repeated', async () => {
    await account.change({ kind: 'TRASH', id: photos })
    account.world.cloud.fault = (operation) => (operation === 'delete' ? { kind: 'lostReply' } : null)
    await account.change({ kind: 'REMOVE', id: photos }).catch(() => null)
    const deletions: string[] = []
    account.replace((driver) => ({
      delete: async (call, ref) => {
        deletions.push(ref)
        return driver.delete(call, ref)
      },
    }))
    account.world.cloud.fault = () => null
    await account.change({ kind: 'REMOVE', id: photos }).catch(() => null)
    expect(deletions).toEqual([])
    await expectTrue(['/Other'])
  })

  it('never concern a folder that has taken the place of a file in the meantime', async () => {
    const file = account.world.cloud.objects('drive').find(({ name }) => name === 'b.jpg')
    const id = (await account.shown()).get('/Photos/b.jpg') ?? ''
    account.tree().remove(file?.ref as EntryRef)
    account.add('kept.txt', account.addFolder('b.jpg', file?.parent as EntryRef))
    for (const kind of ['REMOVE', 'TRASH'] as const) {
      await expect(account.change({ kind, id })).rejects.toThrow('replaced by a folder')
      // As the index knew it until now.
      await account.world.pool.query("update files set kind = 'FILE' where id = $1", [id])
    }
    await expect(account.change({ kind: 'RENAME', id, name: 'c.jpg' })).rejects.toThrow('replaced by a folder')
    expect(account.held()).toContain('/Photos/b.jpg/kept.txt')
  })

  it('do not come back with a page of a listing that was read before', async () => {
    account.replace((driver) => ({
      async listAll(call, cursor) {
        const page = await (driver.listAll as NonNullable<Driver['listAll']>)(call, cursor)
        if (page.items.some(({ name }) => name === 'Photos')) {
          await account.change({ kind: 'RENAME', id: photos, name: 'Pictures' })
        }
        return page
      },
    }))
    await account.refresh()
    await account.feed.tick()
    expect(await account.paths()).toEqual([
      '/Other',
      '/Pictures',
      '/Pictures/Trip',
      '/Pictures/Trip/a.jpg',
      '/Pictures/b.jpg',
    ])
    expect((await account.shown()).get('/Pictures/Trip/a.jpg')).toBe(image)
    expect(await account.wrongCounts()).toEqual([])
  })

  it('are one entry with what a listing has found at the new place already', async () => {
    account.replace((driver) => ({
      async move(call, ref, to) {
        const made = await (driver.move as NonNullable<Driver['move']>)(call, ref, to)
        account.add(
          'new.txt',
          account.world.cloud.objects('drive').find(({ name }) => name === 'Trip')?.ref as EntryRef,
        )
        await account.refresh()
        await account.feed.tick()
        return made
      },
    }))
    await account.change({ kind: 'RENAME', id: photos, name: 'Pictures' })
    const all = ['/Other', '/Pictures', '/Pictures/Trip', '/Pictures/Trip/a.jpg', '/Pictures/Trip/new.txt']
    expect(await account.paths()).toEqual([...all, '/Pictures/b.jpg'])
    expect((await account.shown()).get('/Pictures')).toBe(photos)
    expect((await account.shown()).get('/Pictures/Trip/a.jpg')).toBe(image)
    await expectTrue([...all, '/Pictures/b.jpg'])
  })
})
