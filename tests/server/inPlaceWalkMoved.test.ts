import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../server/lib/ids.ts'
import type { Driver, Entry, EntryRef } from '../../server/providers/driver.ts'
import { ROOT } from '../fakes/memory/cloud.ts'
import { startWalkedAccount, type WalkedAccount } from '../setup/walkedAccount.ts'

// What others rename and move, in an account of a service that reports no changes and names entries by their paths.

let account: WalkedAccount

beforeEach(async () => {
  account = await startWalkedAccount()
})
afterEach(() => account.close())

describe('what was renamed or moved outside', () => {
  /** What hangs on an id: a star and a link. */
  async function attach(id: string): Promise<void> {
    await account.world.pool.query('update files set starred = true where id = $1', [id])
    await account.world.pool.query(
      'insert into shares (id, user_id, file_id) select $1, user_id, id from files where id = $2',
      [newId(), id],
    )
  }
  async function attached(): Promise<string[]> {
    const { rows } = await account.world.pool.query<{ name: string }>(
      `select f.name from files f where starred and purged_at is null and exists (select from shares s where s.file_id = f.id) order by name`,
    )
    return rows.map(({ name }) => name)
  }
  const content = (name: string, parent: EntryRef, text: string) =>
    account.tree().add({ parent, name, kind: 'file', bytes: Buffer.from(text), mimeType: null }).ref
  async function listAgain(): Promise<void> {
    await account.nextNight()
    await account.listOn()
    expect(await account.wrongCounts()).toEqual([])
    expect((await account.index())?.entries).toBe((await account.shown()).size)
  }
  /** As servers with files do it: the time of a file stays when it moves. */
  function carry(ref: EntryRef, to: { parent?: EntryRef; name?: string }): void {
    const object = account.world.cloud.objects('drive').find((one) => one.ref === ref)
    const modifiedAt = object?.modifiedAt
    account.move(ref, to)
    if (object && modifiedAt !== undefined) object.modifiedAt = modifiedAt
  }
  /** The hash is not reported: size, revision and time have to do. */
  function withoutHash(revisionOf: (entry: Entry) => string): void {
    const of = (entry: Entry): Entry => ({
      ...entry,
      hash: null,
      ...(entry.details && entry.kind === 'file' && { details: { ...entry.details, revision: revisionOf(entry) } }),
    })
    account.replace((driver) => ({
      capabilities: { ...driver.capabilities, hash: null },
      stat: async (...args) => of(await driver.stat(...args)),
      list: async (...args) => {
        const page = await driver.list(...args)
        return { ...page, items: page.items.map(of) }
      },
      listAll: async (...args) => {
        const page = await (driver.listAll as NonNullable<Driver['listAll']>)(...args)
        return { ...page, items: page.items.map(of) }
      },
    }))
  }

  it('keeps its id, star and links', async () => {
    const [photos, other] = [account.addFolder('Photos'), account.addFolder('Other')]
    const [renamed, carried] = [account.add('a.jpg', photos), account.add('b.jpg', photos)]
    account.add('c.jpg', photos)
    await account.showEverything()
    const before = await account.shown()
    for (const path of ['/Photos/a.jpg', '/Photos/b.jpg']) await attach(before.get(path) ?? '')
    account.move(renamed, { name: 'first.jpg' })
    account.move(carried, { parent: other, name: 'second.jpg' })
    await listAgain()
    const after = await account.shown()
    expect([...after.keys()].sort()).toEqual([
      '/Other',
      '/Other/second.jpg',
      '/Photos',
      '/Photos/c.jpg',
      '/Photos/first.jpg',
    ])
    expect(after.get('/Photos/first.jpg')).toBe(before.get('/Photos/a.jpg'))
    expect(after.get('/Other/second.jpg')).toBe(before.get('/Photos/b.jpg'))
    expect(await attached()).toEqual(['first.jpg', 'second.jpg'])
    // What is at the old name afterwards is another file.
    account.add('a.jpg', photos)
    await listAgain()
    expect((await account.shown()).get('/Photos/a.jpg')).not.toBe(before.get('/Photos/a.jpg'))
    expect(await attached()).toEqual(['first.jpg', 'second.jpg'])
  })

  it('is followed when a folder is opened, whichever of both is opened first', async () => {
    const [photos, other] = [account.addFolder('Photos'), account.addFolder('Other')]
    const refs = ['a.jpg', 'b.jpg', 'c.jpg'].map((name) => account.add(name, photos))
    await account.showEverything()
    const before = await account.shown()
    for (const id of before.values()) await attach(id)
    account.move(refs[0] as EntryRef, { name: 'renamed.jpg' })
    await account.open('/Photos')
    account.move(refs[1] as EntryRef, { parent: other })
    await account.open('/Photos')
    await account.open('/Other')
    account.move(refs[2] as EntryRef, { parent: other })
    await account.open('/Other')
    await account.open('/Photos')
    const after = await account.shown()
    expect([...after.keys()].sort()).toEqual([
      '/Other',
      '/Other/b.jpg',
      '/Other/c.jpg',
      '/Photos',
      '/Photos/renamed.jpg',
    ])
    const id = (path: string) => before.get(path)
    expect(after.get('/Photos/renamed.jpg')).toBe(id('/Photos/a.jpg'))
    expect(after.get('/Other/b.jpg')).toBe(id('/Photos/b.jpg'))
    expect(after.get('/Other/c.jpg')).toBe(id('/Photos/c.jpg'))
    expect(await attached()).toHaveLength(5)
    // What was new a moment ago is gone again, or has yet another name.
    account.tree().remove(account.add('new.jpg', photos))
    const again = account.add('again.jpg', photos)
    await account.open('/Photos')
    account.tree().remove(again)
    account.move(refs[0] as EntryRef, { name: 'renamed again.jpg' })
    await account.open('/Photos')
    expect((await account.shown()).get('/Photos/renamed again.jpg')).toBe(id('/Photos/a.jpg'))
    expect((await account.shown()).size).toBe(after.size)
    await listAgain()
    expect((await account.shown()).size).toBe(after.size)
  })

  it('is not taken for another file with the same content, nor for an empty one', async () => {
    const [one, two] = [account.addFolder('One'), account.addFolder('Two')]
    const twins = [content('a.txt', one, 'twin'), content('b.txt', one, 'twin')]
    const single = content('c.txt', one, 'single')
    const empty = content('d.txt', one, '')
    const copied = content('e.txt', one, 'copied')
    await account.showEverything()
    const before = await account.shown()
    for (const id of before.values()) await attach(id)
    // Two were there, one is here; one was there, two are here; nothing to compare; and only a copy was made.
    for (const ref of twins) account.tree().remove(ref)
    content('x.txt', two, 'twin')
    account.tree().remove(single)
    content('y.txt', two, 'single')
    content('z.txt', two, 'single')
    account.move(empty, { parent: two, name: 'empty.txt' })
    content('copy.txt', two, 'copied')
    await listAgain()
    const after = await account.shown()
    const known = new Set(before.values())
    for (const name of ['x.txt', 'y.txt', 'z.txt', 'empty.txt', 'copy.txt']) {
      expect(known.has(after.get(`/Two/${name}`) ?? ''), name).toBe(false)
    }
    expect(after.get('/One/e.txt')).toBe(before.get('/One/e.txt'))
    expect(await attached()).toEqual(['One', 'Two', 'e.txt'])
    expect(account.world.cloud.objects('drive').some(({ ref }) => ref === copied)).toBe(true)
  })

  it('is a copy as long as the account has the original, whatever a listing says', async () => {
    const photos = account.addFolder('Photos')
    content('a.txt', photos, 'the same')
    await account.showEverything()
    const before = await account.shown()
    content('b.txt', photos, 'the same')
    account.replace((driver) => ({
      listAll: async (call, cursor) => {
        const page = await (driver.listAll as NonNullable<Driver['listAll']>)(call, cursor)
        return { ...page, items: page.items.filter(({ name }) => name !== 'a.txt') }
      },
    }))
    await listAgain()
    expect((await account.shown()).get('/Photos/a.txt')).toBe(before.get('/Photos/a.txt'))
    expect(await account.paths()).toEqual(['/Photos', '/Photos/a.txt', '/Photos/b.txt'])
  })

  it('includes a folder with everything in it, also what cannot be told apart alone', async () => {
    const photos = account.addFolder('Photos')
    const trip = account.addFolder('Trip', photos)
    for (const name of ['a.txt', 'b.txt']) content(name, trip, 'twin')
    content('empty.txt', trip, '')
    for (let number = 0; number < 130; number += 1) account.add(`${number}.jpg`, photos)
    account.add('alone.txt')
    await account.showEverything()
    const before = await account.shown()
    await attach(before.get('/Photos') ?? '')
    account.calls.clear()
    account.move(photos, { name: 'Pictures' })
    await listAgain()
    // More than half of the account has other names; nothing of it is gone.
    expect(await account.index()).toMatchObject({ phase: 'WALK', heldDeletions: 0 })
    expect(account.calls.get('stat')).toBe(1)
    const renamed = (path: string) => path.replace('/Photos', '/Pictures')
    expect(await account.shown()).toEqual(new Map([...before].map(([path, id]) => [renamed(path), id])))
    expect(await attached()).toEqual(['Pictures'])
  })

  it('includes the files of a folder that was changed when it was renamed', async () => {
    const photos = account.addFolder('Photos')
    const refs = Array.from({ length: 5 }, (_, number) =>
      account.add(`${number}.jpg`, account.addFolder(`Trip ${number}`, photos)),
    )
    await account.showEverything()
    const before = await account.shown()
    account.tree().remove(refs[0] as EntryRef)
    account.add('new.jpg', photos)
    account.move(photos, { name: 'Pictures' })
    await listAgain()
    const after = await account.shown()
    for (const number of [1, 2, 3, 4]) {
      const path = `Trip ${number}/${number}.jpg`
      expect(after.get(`/Pictures/${path}`)).toBe(before.get(`/Photos/${path}`))
    }
    expect(after.get('/Pictures')).not.toBe(before.get('/Photos'))
    expect(after.has('/Pictures/new.jpg')).toBe(true)
    expect(after.size).toBe(11)
  })

  it('is recognised without a hash by size, etag and time', async () => {
    withoutHash(
      ({ details, size, name }) => `"${details?.createdAt?.getTime()}-${size}-${name.length > 3 ? 'long' : 'x'}"`,
    )
    const photos = account.addFolder('Photos')
    const renamed = account.add('a.jpg', photos)
    await account.showEverything()
    const before = await account.shown()
    carry(renamed, { name: 'renamed.jpg' })
    await listAgain()
    expect((await account.shown()).get('/Photos/renamed.jpg')).toBe(before.get('/Photos/a.jpg'))
    // The same etag, but changed later: another file, by all that is known.
    const object = account.world.cloud.objects('drive').find(({ ref }) => ref === renamed)
    if (object) object.modifiedAt += 60_000
    carry(renamed, { name: 'other.jpg' })
    await listAgain()
    expect((await account.shown()).get('/Photos/other.jpg')).not.toBe(before.get('/Photos/a.jpg'))
  })

  it('is recognised by size, time and name where a server knows nothing else', async () => {
    const time = ({ modifiedAt }: Entry) => Math.floor((modifiedAt?.getTime() ?? 0) / 1000)
    withoutHash((entry) => `${entry.size}-${time(entry)}`)
    const [photos, other] = [account.addFolder('Photos'), account.addFolder('Other')]
    const [carried, renamed, twin] = ['a.jpg', 'longer.jpg', 'twin one.jpg'].map((name) => account.add(name, photos))
    account.add('twin two.jpg', photos)
    // Of the same second, whenever this runs.
    for (const object of account.world.cloud.objects('drive')) object.modifiedAt = Date.parse('2026-05-06T07:08:09Z')
    await account.showEverything()
    const before = await account.shown()
    carry(carried as EntryRef, { parent: other })
    carry(renamed as EntryRef, { name: 'longest.jpg' })
    carry(twin as EntryRef, { parent: other })
    await listAgain()
    const after = await account.shown()
    expect(after.get('/Other/a.jpg')).toBe(before.get('/Photos/a.jpg'))
    // The name is another one, or another file looks the same: they could be any files that were made in that second.
    expect(after.get('/Photos/longest.jpg')).not.toBe(before.get('/Photos/longer.jpg'))
    expect(after.get('/Other/twin one.jpg')).not.toBe(before.get('/Photos/twin one.jpg'))
    carry(photos, { name: 'Pictures' })
    await listAgain()
    expect((await account.shown()).get('/Pictures/twin two.jpg')).toBe(before.get('/Photos/twin two.jpg'))
  })

  it('is not what the user has deleted here', async () => {
    content('a.txt', ROOT, 'the same')
    account.add('b.txt')
    await account.showEverything()
    const id = (await account.shown()).get('/a.txt') ?? ''
    await attach(id)
    await account.change({ kind: 'REMOVE', id })
    content('c.txt', ROOT, 'the same')
    await listAgain()
    expect((await account.shown()).get('/c.txt')).not.toBe(id)
    expect(await attached()).toEqual([])
  })

  it('keeps its id when a listing that has read its old place already goes on', async () => {
    const photos = account.addFolder('Photos')
    const refs = Array.from({ length: 7 }, (_, number) => account.add(`${number}.jpg`, photos))
    await account.showEverything()
    const before = await account.shown()
    let pages = 0
    account.replace((driver) => ({
      async listAll(call, cursor) {
        const page = await (driver.listAll as NonNullable<Driver['listAll']>)(call, cursor)
        pages += 1
        if (pages === 2) {
          account.move(refs[6] as EntryRef, { name: 'renamed.jpg' })
          await account.open('/Photos')
        }
        return page
      },
    }))
    await account.refresh()
    await account.listOn()
    expect((await account.shown()).get('/Photos/renamed.jpg')).toBe(before.get('/Photos/6.jpg'))
    expect(await account.paths()).toHaveLength(8)
    expect(await account.wrongCounts()).toEqual([])
  })
})
