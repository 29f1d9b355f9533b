import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { RoomHousekeeping } from '../../server/domain/jobs.ts'
import { createRoomHousekeeping, SMALL, sumNow } from '../../server/domain/room/read.ts'
import { createRoomService, type RoomContent, type RoomService } from '../../server/domain/room/service.ts'
import { newId } from '../../server/lib/ids.ts'
import { createFile, createFolder, createOwner } from '../factories/files.ts'
import { type FilesDomain, startFilesDomain } from '../setup/filesDomain.ts'

/** What fills an account: sums of trees that are planted as an index would leave them. */
let domain: FilesDomain
let room: RoomService
let housekeeping: RoomHousekeeping
let owner: Awaited<ReturnType<typeof createOwner>>
let drive: { readonly id: string; readonly rootId: string }

beforeAll(async () => {
  domain = await startFilesDomain()
  const { pool, deps } = domain
  room = createRoomService({ pool, enqueue: deps.enqueue })
  housekeeping = createRoomHousekeeping({ pool, events: deps.events })
})
beforeEach(async () => {
  owner = await createOwner(domain.pool)
  drive = await connectDrive(owner.viewer.userId)
})
afterAll(() => domain.close())

const query = (text: string, values: unknown[]) => domain.pool.query(text, values)

/** An account with an index. */
async function connectDrive(userId: string) {
  const [id, rootId] = [newId(), newId()]
  await query(
    `insert into accounts (id, user_id, provider, provider_account_id, name) values ($1, $2, 'google-drive', $3, 'Drive')`,
    [id, userId, id],
  )
  await query(
    `insert into files (id, user_id, account_id, kind, name, name_key, sort_key, search_key, category)
     values ($1, $2, $3, 'FOLDER', 'Drive', 'drive', 'drive', 'drive', 'FOLDER')`,
    [rootId, userId, id],
  )
  await query('insert into account_indexes (account_id, root_file_id, passed_at) values ($1, $2, now())', [id, rootId])
  return { id, rootId }
}

type Planted = {
  readonly parentId?: string
  readonly kind?: 'FILE' | 'FOLDER'
  readonly size?: number
  readonly hash?: string
  readonly native?: string
  readonly category?: string
  readonly years?: number
}

/** An entry in the account, as the index stores it. @returns its id */
async function plant(name: string, given: Planted = {}): Promise<string> {
  const { parentId = drive.rootId, kind = 'FILE', size = 0, hash = null, native = null, years = 0 } = given
  const id = newId()
  const category = given.category ?? (kind === 'FOLDER' ? 'FOLDER' : 'OTHER')
  await query(
    `insert into files (id, user_id, account_id, parent_id, kind, name, name_key, sort_key, search_key, category, size, updated_at)
     values ($1, $2, $3, $4, $5::"FileKind", $6, $6, $6, $6, $7::"FileCategory", $8, now() - $9 * interval '1 year')`,
    [id, owner.viewer.userId, drive.id, parentId, kind, name, category, size, years],
  )
  await query('insert into account_entries (file_id, account_id, ref, hash, native_kind) values ($1, $2, $3, $4, $5)', [
    id,
    drive.id,
    id,
    hash,
    native,
  ])
  await query('update files set child_count = child_count + 1 where id = $1', [parentId])
  await query('update account_indexes set entries = entries + 1 where account_id = $1', [drive.id])
  return id
}
const plantFolder = (name: string, parentId?: string) => plant(name, { kind: 'FOLDER', ...(parentId && { parentId }) })

const find = (question: Partial<Parameters<RoomService['find']>[1]> = {}) =>
  room.find(owner.viewer, { accountId: drive.id, ...question })
const contentOf = async (question: Parameters<typeof find>[0] = {}): Promise<RoomContent> => {
  const { content } = await find(question)
  if (!content) throw new Error('It is not computed.')
  return content
}
const namesOf = (entries: readonly { readonly file: { readonly name: string } }[]) =>
  entries.map(({ file }) => file.name)

/** What is named and the rest are the whole, and so are the types. */
function expectWhole(content: RoomContent): void {
  const add = (entries: readonly { readonly bytes: number; readonly files: number }[]) => ({
    bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
    files: entries.reduce((sum, { files }) => sum + files, 0),
  })
  const { bytes, files, children, others, types } = content
  expect(add([...children, others])).toEqual({ bytes, files })
  expect(add(types)).toEqual({ bytes, files })
}

describe('a small account', () => {
  it('is added up by folder, with the largest entries of each', async () => {
    const film = await plantFolder('Film')
    const rushes = await plantFolder('Rushes', film)
    await plant('day 1.mov', { parentId: rushes, size: 500, category: 'VIDEO' })
    await plant('day 2.mov', { parentId: rushes, size: 300, category: 'VIDEO' })
    await plant('poster.png', { parentId: film, size: 150, category: 'IMAGE' })
    await plant('notes.txt', { size: 50, category: 'TEXT' })
    await plantFolder('Empty')
    const { content, isComputing, parts, asOf } = await find()
    expect(isComputing).toBe(false)
    expect(asOf).toBeInstanceOf(Date)
    expect(content).toMatchObject({ bytes: 1000, files: 4, folders: 3, unsized: 0, others: { count: 0, bytes: 0 } })
    expect(
      content?.children.map(({ file, bytes, files, children }) => [file.name, bytes, files, namesOf(children)]),
    ).toEqual([
      ['Film', 950, 3, ['Rushes', 'poster.png']],
      ['notes.txt', 50, 1, []],
    ])
    expect(content?.types.map(({ category, files, bytes }) => [category, files, bytes])).toEqual([
      ['VIDEO', 2, 800],
      ['IMAGE', 1, 150],
      ['TEXT', 1, 50],
    ])
    expect(content?.biggest.map(({ file, path }) => [file.name, path])).toEqual([
      ['day 1.mov', ['Film', 'Rushes']],
      ['day 2.mov', ['Film', 'Rushes']],
      ['poster.png', ['Film']],
      ['notes.txt', []],
    ])
    expect(parts).toMatchObject({ inPlaceBytes: 1000, pooledBytes: 0, trashBytes: null })
    expectWhole(await contentOf())
    expectWhole(await contentOf({ parentId: film }))
    expect(await contentOf({ parentId: rushes })).toMatchObject({ bytes: 800, files: 2, folders: 0 })
  })

  it('does not count documents without a size', async () => {
    await plant('Plan', { native: 'DOCUMENT', category: 'DOCUMENT' })
    await plant('empty.txt')
    const content = await contentOf()
    expect(content).toMatchObject({ bytes: 0, files: 1, unsized: 1 })
    expect(namesOf(content.children)).toEqual(['empty.txt'])
    expect([content.biggest, content.oldest]).toEqual([[], []])
  })

  it('counts what was moved where it is, and neither deleted nor trashed entries', async () => {
    const [from, to] = [await plantFolder('From'), await plantFolder('To')]
    const moved = await plant('moved', { parentId: from, size: 7 })
    const deleted = await plant('deleted', { parentId: from, size: 11 })
    const trashed = await plantFolder('Trashed', from)
    const inTrash = await plant('in the trash', { parentId: trashed, size: 13 })
    expect(await contentOf()).toMatchObject({ bytes: 31, files: 3 })
    await query('update files set parent_id = $2 where id = $1', [moved, to])
    await query('update files set purged_at = now() where id = $1', [deleted])
    await query('update files set trash_root_id = $1 where id = any($2::uuid[])', [trashed, [trashed, inTrash]])
    await query('update files set trashed_at = now() where id = $1', [trashed])
    const content = await contentOf()
    expect(content).toMatchObject({ bytes: 7, files: 1 })
    expect(namesOf(content.children)).toEqual(['To'])
    await expect(contentOf({ parentId: trashed })).rejects.toThrow('There is no such folder. It may have been deleted.')
  })

  it('lists the oldest files, and adds up what was unchanged for five years', async () => {
    await plant('new', { size: 1000 })
    await plant('old', { size: 20, years: 6 })
    await plant('older', { size: 30, years: 8 })
    const content = await contentOf()
    expect(namesOf(content.oldest)).toEqual(['older', 'old', 'new'])
    expect(content.untouched).toEqual({ files: 2, bytes: 50 })
  })

  it('counts equal files but one of each group as wasted', async () => {
    for (const name of ['a', 'b', 'c']) await plant(name, { size: 100, hash: 'md5:1' })
    for (const name of ['d', 'e']) await plant(name, { size: 10, hash: 'md5:2' })
    await plant('same hash, another size', { size: 11, hash: 'md5:2' })
    for (const name of ['f', 'g']) await plant(name, { size: 1000 })
    for (const name of ['empty 1', 'empty 2']) await plant(name, { hash: 'md5:0' })
    expect((await find()).wasted).toEqual({ groups: 2, bytes: 210 })
  })
})

describe('what Skypool stores', () => {
  it('counts on each account with the bytes that it holds there', async () => {
    const { viewer, accountId } = owner
    const folder = await createFolder(domain, { userId: viewer.userId, name: 'Plans' })
    const both = await createFile(domain, {
      userId: viewer.userId,
      parentId: folder,
      name: 'both',
      content: 'a'.repeat(40),
    })
    await createFile(domain, { userId: viewer.userId, name: 'here', content: 'b'.repeat(5) })
    const copyId = newId()
    await query('insert into copies (id, file_id) values ($1, $2)', [copyId, both])
    await query(`insert into pieces (id, copy_id, account_id, size, object_ref) values ($1, $2, $3, 40, 'ref')`, [
      newId(),
      copyId,
      drive.id,
    ])
    const local = await room.find(viewer, { accountId })
    expect(local).toMatchObject({
      home: 'POOL',
      folder: null,
      parts: { pooledBytes: 45, inPlaceBytes: null, otherBytes: 0 },
    })
    expect(local.content?.children.map(({ file, bytes }) => [file.name, bytes])).toEqual([
      ['Plans', 40],
      ['here', 5],
    ])
    const stored = await find({ home: 'POOL' })
    expect(stored.content).toMatchObject({ bytes: 40, files: 1 })
    expect(namesOf(stored.content?.children ?? [])).toEqual(['Plans'])
    expect(await contentOf({ parentId: folder })).toMatchObject({ bytes: 40, files: 1 })
    expect((await find()).parts).toMatchObject({ inPlaceBytes: 0, pooledBytes: 40 })
  })

  it('leaves out its trash, which still takes room', async () => {
    const { viewer, accountId } = owner
    const file = await createFile(domain, { userId: viewer.userId, content: 'c'.repeat(9) })
    await query('update files set trashed_at = now(), trash_root_id = id where id = $1', [file])
    const { content, parts } = await room.find(viewer, { accountId })
    expect(content).toMatchObject({ bytes: 0, files: 0 })
    expect(parts).toMatchObject({ pooledBytes: 9, pooledTrashBytes: 9 })
  })

  it('counts equal files but one as wasted', async () => {
    const { viewer, accountId } = owner
    for (const name of ['a', 'b', 'c']) await createFile(domain, { userId: viewer.userId, name, content: 'same' })
    expect((await room.find(viewer, { accountId })).wasted).toEqual({ groups: 1, bytes: 8 })
  })
})

describe('a large account', () => {
  const FOLDERS = 300
  const FILES = 12_000

  /** Folder n is in folder n/8; half of the files are in the first one, the others anywhere, each larger than the one before. */
  async function plantMany(): Promise<void> {
    const { userId } = owner.viewer
    await query(
      `with made as (
         select i, md5($1::text || i)::uuid as id,
           case when i <= 8 then $1::uuid else md5($1::text || i / 8)::uuid end as parent from generate_series(1, $4::int) i),
       file as (insert into files (id, user_id, account_id, parent_id, kind, name, name_key, sort_key, search_key, category, child_count)
         select id, $2, $3, parent, 'FOLDER', 'f' || i, 'f' || i, 'f' || i, 'f' || i, 'FOLDER',
           (select count(*) from made c where c.parent = made.id) from made)
       insert into account_entries (file_id, account_id, ref) select id, $3, id::text from made`,
      [drive.rootId, userId, drive.id, FOLDERS],
    )
    await query(
      `with made as (
         select i, md5($1::text || 'file' || i)::uuid as id, md5($1::text || case when i % 2 = 0 then 1 else 1 + i * 7919 % $4::int end)::uuid as parent
         from generate_series(1, $5::int) i),
       file as (insert into files (id, user_id, account_id, parent_id, kind, name, name_key, sort_key, search_key, category, size, updated_at)
         select id, $2, $3, parent, 'FILE', 'x' || i, 'x' || i, 'x' || i, 'x' || i,
           (array['IMAGE', 'VIDEO', 'OTHER'])[1 + i % 3]::"FileCategory", i, now() - i * interval '1 day' from made)
       insert into account_entries (file_id, account_id, ref, hash, native_kind)
         select id, $3, id::text, 'md5:' || i % 100, case when i % 1000 = 0 then 'DOCUMENT' end from made`,
      [drive.rootId, userId, drive.id, FOLDERS, FILES],
    )
    await query(
      `update files f set child_count = (select count(*) from files c where c.parent_id = f.id)
       where f.account_id = $1 and f.kind = 'FOLDER'`,
      [drive.id],
    )
    await query('update account_indexes set entries = $2 where account_id = $1', [drive.id, FOLDERS + FILES])
  }

  it('is computed in the background, and the same as what is added up at once', async () => {
    await plantMany()
    const first = await find()
    expect(first).toMatchObject({ isComputing: true, content: null, asOf: null, wasted: null })
    expect(first.parts).toMatchObject({ inPlaceBytes: null, otherBytes: null })
    const { rows } = await query(`select payload from graphile_worker._private_jobs where key = $1`, [
      `room ${drive.id} ACCOUNT`,
    ])
    expect(rows.map(({ payload }) => payload)).toEqual([{ accountId: drive.id, home: 'ACCOUNT' }])
    await housekeeping.measure(drive.id, 'ACCOUNT', new AbortController().signal)
    const { content, isComputing, parts, wasted } = await find()
    expect(isComputing).toBe(false)
    const sized = await query(
      `select count(*)::int as files, sum(f.size)::float8 as bytes from files f join account_entries e on e.file_id = f.id
       where f.account_id = $1 and f.kind = 'FILE' and e.native_kind is null`,
      [drive.id],
    )
    expect(content).toMatchObject({ ...sized.rows[0], folders: FOLDERS, unsized: 12 })
    expect(parts.inPlaceBytes).toBe(sized.rows[0].bytes)
    expect(wasted).toEqual({ groups: 0, bytes: 0 })
    expectWhole(content as RoomContent)
    expect(content?.biggest.map(({ bytes }) => bytes)).toEqual(
      Array.from({ length: FILES }, (_, index) => FILES - index)
        .filter((size) => size % 1000 !== 0)
        .slice(0, 50),
    )
    expect(content?.oldest.map(({ file }) => file.id)).toEqual(content?.biggest.map(({ file }) => file.id))

    // Every folder that was computed with the account, added up at once instead; and the sums of all folders.
    const place = { accountId: drive.id, userId: owner.viewer.userId, home: 'ACCOUNT', rootId: drive.rootId } as const
    const stored = await query('select folder_id as id, answer from room_answers where account_id = $1', [drive.id])
    expect(stored.rows.map(({ id }) => id)).toContain(drive.rootId)
    const others = stored.rows.filter(({ id }) => id !== drive.rootId)
    expect(others.length).toBeGreaterThan(0)
    for (const { id, answer } of others) {
      expect(answer.files + answer.folders).toBeGreaterThan(SMALL)
      expect(answer).toEqual(await sumNow(domain.pool, place, id))
    }
    const folders = await query(`select id from files where account_id = $1 and kind = 'FOLDER' limit 100`, [drive.id])
    for (const { id } of folders.rows) expectWhole(await contentOf({ parentId: id }))
  })

  it('counts what is gone since among the others', async () => {
    await plantMany()
    await find()
    await housekeeping.measure(drive.id, 'ACCOUNT', new AbortController().signal)
    const before = await contentOf()
    const [gone] = before.children
    await query('update files set purged_at = now() where id = $1', [gone?.file.id])
    const after = await contentOf()
    expect(after.bytes).toBe(before.bytes)
    expect(namesOf(after.children)).not.toContain(gone?.file.name)
    expect(after.others).toEqual({ count: before.others.count + 1, files: gone?.files, bytes: gone?.bytes })
    expectWhole(after)
  })

  it('is computed again when the answer is old, and shown as it was until then', async () => {
    await plantMany()
    await housekeeping.measure(drive.id, 'ACCOUNT', new AbortController().signal)
    const { bytes } = await contentOf()
    await plant('more', { size: 1_000_000 })
    const signal = new AbortController().signal
    await housekeeping.measure(drive.id, 'ACCOUNT', signal)
    expect(await find()).toMatchObject({ isComputing: false, content: { bytes } })
    await query(`update room_answers set as_of = as_of - interval '1 hour' where account_id = $1`, [drive.id])
    expect(await find()).toMatchObject({ isComputing: true, content: { bytes } })
    await housekeeping.measure(drive.id, 'ACCOUNT', signal)
    expect(await find()).toMatchObject({ isComputing: false, content: { bytes: bytes + 1_000_000 } })
  })
})

describe('refuses', () => {
  it("another user's account and folder", async () => {
    const stranger = await createOwner(domain.pool)
    await expect(room.find(stranger.viewer, { accountId: drive.id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const question = { accountId: stranger.accountId, parentId: drive.rootId }
    await expect(room.find(stranger.viewer, question)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })

  it.each([
    [
      'a folder of another account',
      async () => ({ parentId: (await connectDrive(owner.viewer.userId)).rootId }),
      'This folder is in another account.',
    ],
    [
      'the account of which only that is shown',
      async () => ({ accountId: owner.accountId, home: 'ACCOUNT' }) as const,
      'Only what Skypool stores is shown of this account.',
    ],
    [
      'a folder of the other home',
      async () => ({ parentId: drive.rootId, home: 'POOL' }) as const,
      'This folder is in the account.',
    ],
    ['a file', async () => ({ parentId: await plant('file') }), 'There is no such folder. It may have been deleted.'],
    [
      'a disconnected account',
      async () => {
        await query('update accounts set disconnected_at = now() where id = $1', [drive.id])
        return {}
      },
      'There is no such account. It may have been disconnected.',
    ],
  ])('%s', async (_what, make, message) => {
    await expect(find(await make())).rejects.toThrow(message)
  })
})
