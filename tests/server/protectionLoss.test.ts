import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { transaction } from '../../server/db/pool.ts'
import { type DisconnectDeps, disconnectAccount, readLoss } from '../../server/domain/accounts/disconnection.ts'
import { leaveProtection } from '../../server/domain/protection/service.ts'
import type { EntryRef } from '../../server/providers/driver.ts'
import { type ProtectionWorld, startProtectionWorld } from '../setup/protectionWorld.ts'

/** What is protected, and what is lost, when an account is. */
let at: ProtectionWorld

beforeEach(async () => {
  at = await startProtectionWorld()
})
afterEach(async () => {
  await at.close()
})

describe('when the account is lost', () => {
  it('reads protected files from their copies, and not the others', async () => {
    const { world, drive, add, addFolder, read, idOf, text, protect, down } = at
    const folder = addFolder('Photos')
    const a = add('a.txt', folder, 'first')
    const outside = add('outside.txt')
    await read()
    await protect(await idOf(folder))
    down(drive)
    expect(await text(await idOf(a))).toBe('first')
    await expect(text(await idOf(outside))).rejects.toThrow('needs to be connected again')
    await world.pool.query("update accounts set status = 'EXPIRED' where id = $1", [drive])
    expect(await text(await idOf(a))).toBe('first')
  })
})

describe('losing the account', () => {
  const loss = () => readLoss(at.world.pool, at.drive)

  it('counts what would be lost and what is protected exactly, among hundreds of files', async () => {
    const { world, drive, other, third, tree, add, addFolder, read, settle, idOf, copies, protect } = at
    const kept = addFolder('Kept')
    const open = addFolder('Open')
    for (let number = 0; number < 150; number += 1) add(`kept ${number}.txt`, kept, `content ${number}`)
    for (let number = 0; number < 120; number += 1) add(`open ${number}.txt`, open, 'x'.repeat(10))
    const doc = { parent: kept, name: 'Plan', kind: 'file', bytes: Buffer.alloc(0), mimeType: null } as const
    tree().add({ ...doc, nativeKind: 'DOCUMENT' })
    await read()
    expect(await loss()).toMatchObject({ lostFiles: 0, inPlaceLost: 271, inPlaceProtected: 0 })
    await protect(await idOf(kept))
    expect(await loss()).toMatchObject({
      lostFiles: 0,
      inPlaceLost: 121,
      inPlaceLostBytes: 1200,
      inPlaceProtected: 150,
    })
    const [edited] = world.cloud.objects('drive').filter(({ name }) => name === 'kept 7.txt')
    world.cloud.overwrite('drive', edited?.ref as EntryRef, Buffer.from('newer'))
    await read()
    // The newest version is nowhere else yet.
    expect(await loss()).toMatchObject({ inPlaceLost: 122, inPlaceLostBytes: 1205, inPlaceProtected: 149 })
    await settle()
    expect(await loss()).toMatchObject({ inPlaceLost: 121, inPlaceProtected: 150 })
    // A copy on an account that cannot be used protects nothing; and losing the account of the copies loses no file.
    const [, account] = (await copies())[0]?.split(' on ') ?? []
    const id = account === 'other' ? other : third
    expect(await readLoss(world.pool, id)).toMatchObject({ lostFiles: 0 })
    await world.pool.query("update accounts set status = 'EXPIRED' where id = any($1)", [[other, third]])
    expect(await loss()).toMatchObject({ inPlaceLost: 271, inPlaceProtected: 0 })
    await world.pool.query("update accounts set status = 'CONNECTED' where id = any($1)", [[other, third]])
    await world.pool.query("update accounts set status = 'EXPIRED' where id = $1", [drive])
    const both = [(await readLoss(world.pool, other)).lostFiles, (await readLoss(world.pool, third)).lostFiles]
    expect((both[0] ?? 0) + (both[1] ?? 0)).toBe(150)
  })

  it('counts 5,000 planted files as their rows say', async () => {
    const { world, drive, other, protection, addFolder, read, idOf, protect } = at
    const folder = addFolder('Photos')
    await read()
    await protect(await idOf(folder))
    await world.pool.query(PLANT, [world.viewer.userId, drive, await idOf(folder), other])
    const numbers = { inPlaceLost: 2000, inPlaceLostBytes: 2_000_000, inPlaceProtected: 3000 }
    expect(await loss()).toMatchObject({ lostFiles: 0, ...numbers })
    expect(await protection.count(world.viewer, await idOf(folder))).toMatchObject({
      files: 4000,
      protectedFiles: 4000,
    })
  })

  it('turns what is protected into ordinary files when the account is disconnected, with stars and links', async () => {
    const { world, drive, files, add, addFolder, read, settle, idOf, protect } = at
    const folder = addFolder('Photos')
    const inner = addFolder('2024', folder)
    const a = add('a.txt', inner, 'first')
    add('same.txt', folder, 'one')
    add('same.txt', folder, 'two')
    add('1/2.txt', folder, 'half')
    add('outside.txt')
    await read()
    await protect(await idOf(folder))
    await world.pool.query('update files set starred = true where id = $1', [await idOf(a)])
    await transaction(world.pool, async (tx) => {
      await leaveProtection(tx, world.enqueue, { userId: world.viewer.userId, accountId: drive, keep: true })
    })
    await world.pool.query('update accounts set disconnected_at = now() where id = $1', [drive])
    await settle()
    const { items } = await files.list(world.viewer, { view: 'ALL', limit: 20 })
    const shown = items.filter(({ file }) => file.kind === 'FILE')
    const paths = await files.pathsTo(
      world.viewer,
      shown.flatMap(({ file }) => file.parentId ?? []),
    )
    const found = shown.map(({ file }) => {
      const above = (paths.get(file.parentId ?? '') ?? []).map(({ name }) => name).join('/')
      return `${above}/${file.name}${file.starred ? ' starred' : ''}: ${file.accountId}`
    })
    expect(found.sort()).toEqual([
      'drive/Photos/1_2.txt: null',
      'drive/Photos/2024/a.txt starred: null',
      'drive/Photos/same (2).txt: null',
      'drive/Photos/same.txt: null',
    ])
    const kept = shown.find(({ file }) => file.name === 'a.txt')?.file.id ?? ''
    expect((await world.read(kept)).toString()).toBe('first')
    const { rows } = await world.pool.query(
      `select (select count(*)::int from protections) as protections, (select count(*)::int from files where account_id is not null) as entries`,
    )
    expect(rows).toEqual([{ protections: 0, entries: 0 }])
  })

  it('keeps what was uploaded into the account and is not stored there yet, when the account is disconnected', async () => {
    const { world, drive, files, uploads, deps, add, addFolder, read, settle, idOf, protect } = at
    const folder = addFolder('Photos')
    add('a.txt', folder, 'first')
    await read()
    await protect(await idOf(folder))
    const parentId = await idOf(folder)
    const bytes = Buffer.from('only here')
    const sent = await uploads.service.receive(
      world.viewer,
      { name: 'new.txt', size: bytes.length, parentId },
      Readable.from([bytes]),
    )
    const { pool: sql, enqueue } = world
    const unused = { close: () => undefined, revoke: async () => undefined } as never
    const leaving: DisconnectDeps = {
      ...{ pool: sql, enqueue, leaveProtection, encryption: deps.encryption as never },
      ...{ providers: unused, grants: unused, onError: (error) => void world.errors.push(error) },
    }
    await disconnectAccount(leaving, world.viewer, drive, true, true)
    await settle()
    expect(await files.get(world.viewer, sent.id)).toMatchObject({ name: 'new.txt', accountId: null, parentId: null })
    expect((await world.read(sent.id)).toString()).toBe('only here')
  })

  it('ends with the index', async () => {
    const { world, drive, inPlace, add, addFolder, read, settle, idOf, protect } = at
    const folder = addFolder('Photos')
    add('a.txt', folder, 'first')
    await read()
    await protect(await idOf(folder))
    await inPlace.setScope(world.viewer, drive, 'OWN')
    await settle()
    expect([...world.names('other'), ...world.names('third')]).toEqual([])
    const { rows } = await world.pool.query('select count(*)::int as files from files')
    expect(rows).toEqual([{ files: 0 }])
  })
})

/** 5,000 files: 3,000 protected by a stored copy, 1,000 of which an older version is, and 1,000 that are not. */
const PLANT = `with file as (
    insert into files (id, user_id, account_id, parent_id, kind, name, name_key, sort_key, search_key, category, size)
    select gen_random_uuid(), $1, $2, $3, 'FILE', 'f' || n, 'f' || n, 'f' || n, 'f' || n, 'OTHER', 1000 from generate_series(1, 5000) n
    returning id, name),
  entry as (insert into account_entries (file_id, account_id, ref, hash, rights)
    select id, $2, 'planted ' || name, 'md5:' || name, 63 from file),
  content as (
    insert into files (id, user_id, parent_id, kind, name, name_key, sort_key, search_key, category, size, protected_account_id,
      trash_root_id)
    select c.id, $1, (select container_id from protections), 'FILE', file.name, c.id::text, '', '', 'OTHER', 1000, $2, c.id
    from file cross join lateral (select gen_random_uuid() as id, file.name as planted) c where substr(file.name, 2)::int <= 4000
    returning id, name),
  version as (
    insert into protected_versions (protection_id, account_id, file_id, content_id, version, size)
    select (select id from protections), $2, file.id, content.id,
      'md5:' || file.name || case when substr(file.name, 2)::int <= 3000 then ' 1000' else ' 999' end, 1000
    from file join content on content.name = file.name),
  copy as (insert into copies (id, file_id) select gen_random_uuid(), id from content returning id)
  insert into pieces (id, copy_id, account_id, size, object_ref) select gen_random_uuid(), id, $4, 1000, id::text from copy`
