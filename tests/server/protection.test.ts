import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { removeGroupCloud } from '../../server/domain/groupClouds/write.ts'
import { attachContent, findTarget } from '../../server/domain/protection/follow.ts'
import { type ProtectionWorld, ROOT, startProtectionWorld } from '../setup/protectionWorld.ts'

/** Keeping copies of what is in accounts. */
let at: ProtectionWorld

beforeEach(async () => {
  at = await startProtectionWorld()
})
afterEach(async () => {
  await at.close()
})

describe('a protected folder', () => {
  it('is not called protected before its files have been listed', async () => {
    const { world, pool, protection, add, addFolder, read, settle, idOf, stateOf } = at
    const folder = addFolder('Photos')
    add('a.txt', folder, 'first')
    await read()
    const id = await idOf(folder)
    const info = await protection.protect(world.viewer, id, { groupCloudId: pool, copies: 1 })
    expect([info.state, await stateOf(id)]).toEqual(['CATCHING_UP', 'CATCHING_UP'])
    await settle()
    expect(await stateOf(id)).toBe('PROTECTED')
  })

  it('has a copy of every file on another account, in no list, and none on the account itself', async () => {
    const { world, drive, files, add, addFolder, read, idOf, rootOf, stateOf, copies, protect } = at
    const folder = addFolder('Photos')
    add('a.txt', folder, 'first')
    const inner = addFolder('2024', folder)
    const b = add('b.txt', inner, 'second')
    add('large.bin', folder, randomBytes(150_000))
    add('outside.txt')
    await read()
    await protect(await idOf(folder), { copies: 2 })
    const found = await copies()
    expect(found.map((one) => one.replace(/: .* on /s, ' on '))).toEqual([
      'a.txt on other and third',
      'b.txt on other and third',
      'large.bin on other and third',
    ])
    expect(found[0]).toBe('a.txt: first on other and third')
    expect([await stateOf(await idOf(b)), await stateOf(await idOf(inner)), await stateOf(await idOf(folder))]).toEqual(
      ['PROTECTED', 'PROTECTED', 'PROTECTED'],
    )
    const { items } = await files.list(world.viewer, { view: 'ALL', query: 'a.txt', limit: 10 })
    expect(items.map(({ file }) => file.accountId)).toEqual([drive])
    const root = await files.list(world.viewer, { view: 'DRIVE', parentId: null, limit: 10 })
    expect(root.items.map(({ file }) => file.id)).toEqual([await rootOf()])
    expect((await files.list(world.viewer, { view: 'TRASH', limit: 10 })).items).toEqual([])
    expect(world.names('other').sort()).toEqual(['a.txt', 'b.txt', 'large.bin'])
    expect(world.cloud.objects('drive').filter(({ kind }) => kind === 'file')).toHaveLength(4)
  })

  it('is refused where its copies would be lost with the account, and for folders of Skypool', async () => {
    const { world, drive, other, pool, files, protection, addFolder, read, idOf } = at
    const folder = addFolder('Photos')
    await read()
    const id = await idOf(folder)
    const alone = await world.groupCloud([drive])
    const input = { groupCloudId: alone, copies: 1 }
    await expect(protection.protect(world.viewer, id, input)).rejects.toThrow('would be lost with it')
    const two = await world.groupCloud([drive, other])
    await expect(protection.protect(world.viewer, id, { groupCloudId: two, copies: 2 })).rejects.toThrow(
      'but has 1. Please choose fewer copies or another group cloud.',
    )
    await expect(protection.protect(world.viewer, id, { groupCloudId: two, copies: 3 })).rejects.toThrow()
    const own = await files.createFolder(world.viewer, { name: 'Mine', parentId: null })
    await expect(protection.protect(world.viewer, own.id, { groupCloudId: pool, copies: 1 })).rejects.toThrow()
    await expect(protection.unprotect(world.viewer, id)).rejects.toThrow('This folder is not protected.')
  })

  it('follows what is added, edited, moved in and out; renames and moves within cost nothing', async () => {
    const { world, drive, add, addFolder, move, read, readAndSettle, idOf, stateOf, copies, protect, earlier } = at
    const folder = addFolder('Photos')
    const inner = addFolder('2024', folder)
    const a = add('a.txt', folder, 'first')
    const outside = add('c.txt', ROOT, 'third')
    await read()
    await protect(await idOf(folder))
    add('b.txt', folder, 'second')
    move(outside, inner, 'c.txt')
    await readAndSettle()
    expect((await copies()).map((one) => one.split(' on ')[0])).toEqual([
      'a.txt: first',
      'b.txt: second',
      'c.txt: third',
    ])

    let reads = 0
    at.before = (id, operation) => {
      if (id === drive && operation === 'get') reads += 1
    }
    move(a, inner, 'renamed.txt')
    await readAndSettle()
    expect([reads, await stateOf(await idOf(a))]).toEqual([0, 'PROTECTED'])

    world.cloud.overwrite('drive', a, Buffer.from('edited'))
    await readAndSettle()
    expect([reads, await earlier(await idOf(a))]).toEqual([1, ['renamed.txt CHANGED']])
    expect((await copies()).map((one) => one.split(' on ')[0])).toContain('renamed.txt: edited')

    move(outside, ROOT, 'c.txt')
    await readAndSettle()
    expect(await stateOf(await idOf(outside))).toBeUndefined()
    expect(await earlier(await idOf(outside))).toEqual(['c.txt MOVED'])
    // It returns as it was: its copy is used again.
    move(outside, folder, 'c.txt')
    await readAndSettle()
    expect([reads, await stateOf(await idOf(outside)), await earlier(await idOf(outside))]).toEqual([
      1,
      'PROTECTED',
      [],
    ])
  })

  it('notes what was read, where the file has become another one before the index reported it', async () => {
    const { world, files, contents, deps, add, addFolder, read, idOf, protect } = at
    const a = add('a.txt', addFolder('Photos'), 'first')
    await read()
    const fileId = await idOf(a)
    await protect((await files.get(world.viewer, fileId)).parentId ?? '')
    const { rows } = await world.pool.query<{ containerId: string; contentId: string; version: string }>(
      `select p.container_id as "containerId", v.content_id as "contentId", v.version from protections p
       join protected_versions v on v.protection_id = p.id`,
    )
    const [{ containerId, contentId, version } = { containerId: '', contentId: '', version: '' }] = rows
    const target = await findTarget(world.pool, containerId)
    const opened = await contents.openVersion(world.viewer, fileId)
    expect([opened.hash, opened.revision]).toEqual([expect.anything(), expect.anything()])
    const noted = async (other: Partial<typeof opened>) => {
      await world.pool.query('update protected_versions set content_id = null, version = $1', [version])
      const stored = { fileId, contentId, opened: { ...opened, ...other } }
      if (target) await attachContent(deps, world.viewer.userId, target, stored)
      const now = await world.pool.query<{ version: string }>('select version from protected_versions')
      return now.rows[0]?.version
    }
    const wasRead = `read ${opened.version}`
    expect(await noted({})).toBe(version)
    expect(await noted({ hash: { algorithm: opened.hash?.algorithm ?? 'sha256', digest: '00' } })).toBe(wasRead)
    expect(await noted({ revision: 'another one' })).toBe(wasRead)
    await world.pool.query('update files set size = size + 1 where id = $1', [fileId])
    expect(await noted({ hash: null, revision: null })).toBe(wasRead)
  })

  it('does not copy documents and says so', async () => {
    const { world, protection, tree, add, addFolder, read, idOf, stateOf, protect } = at
    const folder = addFolder('Photos')
    const doc = { parent: folder, name: 'Plan', kind: 'file', bytes: Buffer.alloc(0), mimeType: null } as const
    const plan = tree().add({ ...doc, nativeKind: 'DOCUMENT' }).ref
    add('a.txt', folder)
    await read()
    await protect(await idOf(folder))
    expect(await stateOf(await idOf(plan))).toBe('SKIPPED')
    expect(await protection.count(world.viewer, await idOf(folder))).toMatchObject({
      ...{ files: 1, protectedFiles: 1, atRiskFiles: 0, skippedFiles: 1, earlierVersions: 0 },
    })
  })
})

describe('ending it', () => {
  it('removes copies, versions and bytes', async () => {
    const { world, protection, add, addFolder, read, settle, readAndSettle, idOf, text, protect } = at
    const folder = addFolder('Photos')
    const a = add('a.txt', folder, 'first')
    await read()
    await protect(await idOf(folder))
    world.cloud.overwrite('drive', a, Buffer.from('second'))
    await readAndSettle()
    await protection.unprotect(world.viewer, await idOf(folder))
    await settle()
    expect([...world.names('other'), ...world.names('third')]).toEqual([])
    const { rows } = await world.pool.query(
      `select (select count(*)::int from protected_versions) as versions, (select count(*)::int from files where account_id is null) as files`,
    )
    expect(rows).toEqual([{ versions: 0, files: 0 }])
    expect(await text(await idOf(a))).toBe('second')
    expect((await world.audit()).filter((one) => !one.startsWith('drive: an object'))).toEqual([])
  })
})

describe('the group cloud of the copies', () => {
  it('moves them with its files, and is not deleted before', async () => {
    const { world, pool, add, addFolder, read, settle, idOf, copies, protect } = at
    const folder = addFolder('Photos')
    add('a.txt', folder, 'first')
    await read()
    await protect(await idOf(folder))
    const target = await world.groupCloud([world.localId])
    const remove = (to: Parameters<typeof removeGroupCloud>[3]) =>
      removeGroupCloud({ pool: world.pool, events: world.events, enqueue: world.enqueue }, world.viewer, pool, to)
    await expect(remove('TRASH')).rejects.toThrow('keeps the copies that protect “Photos”')
    await remove({ moveTo: target })
    await settle()
    expect(await copies()).toEqual(['a.txt: first on This server'])
    expect(world.names('other')).toEqual([])
  })
})
