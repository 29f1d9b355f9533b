import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createProtectionHousekeeping } from '../../server/domain/protection/service.ts'
import type { EntryRef } from '../../server/providers/driver.ts'
import { NEVER, type ProtectionWorld, ROOT, startProtectionWorld } from '../setup/protectionWorld.ts'

/** Earlier versions of what is in accounts, kept as copies. */
let at: ProtectionWorld

beforeEach(async () => {
  at = await startProtectionWorld()
})
afterEach(async () => {
  await at.close()
})

describe('earlier versions', () => {
  it('are restored at their place in the account, with folders that are gone', async () => {
    const { world, protection, tree, add, addFolder, read, readAndSettle, idOf, copies, protect } = at
    const folder = addFolder('Photos')
    const inner = addFolder('2024', folder)
    const a = add('a.txt', inner, 'first')
    add('stays.txt', folder)
    await read()
    await protect(await idOf(folder))
    const folderId = await idOf(folder)
    tree().remove(inner)
    await readAndSettle()
    expect(await copies()).toHaveLength(1)
    const [version] = await protection.earlierVersions(world.viewer, folderId)
    expect(version).toMatchObject({ name: 'a.txt', path: ['Photos', '2024'], reason: 'DELETED', size: 5 })
    expect(version && version.keptUntil.getTime() - version.endedAt.getTime()).toBe(30 * 24 * 3600 * 1000)
    expect(await idOf(a)).not.toBe('')
    const restored = await protection.restore(world.viewer, version?.id ?? '')
    expect(restored).toMatchObject({ intoAccount: true, folderName: '2024' })
    await readAndSettle()
    const back = world.cloud.objects('drive').find(({ name, trashed }) => name === 'a.txt' && !trashed)
    expect(back?.bytes.toString()).toBe('first')
    expect(await copies()).toHaveLength(2)
  })

  it('are put next to the current one, and into My Drive while the account cannot be used', async () => {
    const { world, drive, files, protection, add, addFolder, read, settle, readAndSettle, idOf, protect } = at
    const folder = addFolder('Photos')
    const a = add('a.txt', folder, 'first')
    await read()
    await protect(await idOf(folder))
    world.cloud.overwrite('drive', a, Buffer.from('second'))
    await readAndSettle()
    const [version] = await protection.earlierVersions(world.viewer, await idOf(a))
    await protection.restore(world.viewer, version?.id ?? '')
    await readAndSettle()
    const now = world.cloud.objects('drive').filter(({ kind }) => kind === 'file')
    expect(now.map(({ name, bytes }) => `${name}: ${bytes}`).sort()).toEqual(['a (2).txt: first', 'a.txt: second'])

    await world.pool.query("update accounts set status = 'EXPIRED' where id = $1", [drive])
    expect(await protection.restore(world.viewer, version?.id ?? '')).toMatchObject({ intoAccount: false })
    await settle()
    const { items } = await files.list(world.viewer, { view: 'DRIVE', parentId: null, limit: 10 })
    expect(items.filter(({ file }) => file.accountId === null).map(({ file }) => file.name)).toEqual(['a.txt'])
  })

  it('are removed with their bytes after the days, but not before the version that follows is stored', async () => {
    const { world, drive, add, addFolder, read, settle, idOf, copies, protect, earlier, down } = at
    const folder = addFolder('Photos')
    const a = add('a.txt', folder, 'first')
    await read()
    await protect(await idOf(folder), { keepVersionsDays: 7 })
    const age = (days: number) =>
      world.pool.query("update protected_versions set ended_at = ended_at - $1 * interval '1 day'", [days])
    world.cloud.overwrite('drive', a, Buffer.from('second'))
    down(drive)
    await world.pool.query('select 1')
    at.before = () => {}
    await read()
    await world.runJobs()
    await age(8)
    await world.housekeeping.protection.sweep(NEVER)
    expect(await earlier(await idOf(a))).toEqual(['a.txt CHANGED'])
    await settle()
    await world.housekeeping.protection.sweep(NEVER)
    await settle()
    expect(await earlier(await idOf(a))).toEqual([])
    expect((await copies()).map((one) => one.split(' on ')[0])).toEqual(['a.txt: second'])
    expect([...world.names('other'), ...world.names('third')]).toEqual(['a.txt'])
    expect((await world.audit()).filter((one) => !one.startsWith('drive: an object'))).toEqual([])
  })
})

describe('an earlier version whose days are over', () => {
  let a: EntryRef
  let folder: EntryRef
  beforeEach(async () => {
    const { world, add, addFolder, move, read, readAndSettle, idOf, protect, earlier } = at
    folder = addFolder('Photos')
    a = add('a.txt', folder, 'first')
    await read()
    await protect(await idOf(folder), { keepVersionsDays: 7 })
    move(a, ROOT, 'a.txt')
    await readAndSettle()
    expect(await earlier(await idOf(a))).toEqual(['a.txt MOVED'])
    await world.pool.query("update protected_versions set ended_at = ended_at - interval '8 days'")
    move(a, folder, 'a.txt')
    await read()
  })
  const follow = () => at.world.housekeeping.protection.follow(at.drive, undefined)
  const current = async () =>
    (
      await at.world.pool.query(
        `select c.purged_at is null as kept from protected_versions v left join files c on c.id = v.content_id
         where v.ended_at is null and (v.content_id is null or c.id is not null)`,
      )
    ).rows

  it('does not count as the copy of a file that returns while it is being removed', async () => {
    const { world, idOf, stateOf } = at
    await world.pool.query(
      'update files set purged_at = now() where id in (select content_id from protected_versions where ended_at is not null)',
    )
    await follow()
    expect(await current()).toEqual([{ kept: true }])
    expect(await stateOf(await idOf(a))).not.toBe('PROTECTED')
  })

  it('is not removed when the file has returned since it was found', async () => {
    const { world, settle, idOf, copies, earlier } = at
    let isFound = false
    const query = async (...input: Parameters<typeof world.pool.query>) => {
      const result = await world.pool.query(...input)
      if (!isFound && String(input[0]).includes('keep_versions_days')) {
        isFound = true
        await follow()
      }
      return result
    }
    const slow = new Proxy(world.pool, {
      get: (target, name) => {
        const value = name === 'query' ? query : Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const { enqueue } = world
    await createProtectionHousekeeping({ pool: slow, events: world.events, enqueue }).sweep(NEVER)
    expect(isFound).toBe(true)
    expect(await current()).toEqual([{ kept: true }])
    await settle()
    expect((await copies()).map((one) => one.split(' on ')[0])).toEqual(['a.txt: first'])
    expect(await earlier(await idOf(a))).toEqual([])
  })
})
