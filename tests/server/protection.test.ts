import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLeases } from '../../server/db/locks.ts'
import { transaction } from '../../server/db/pool.ts'
import { createRootFolders } from '../../server/domain/accounts/credentials.ts'
import { type DisconnectDeps, disconnectAccount, readLoss } from '../../server/domain/accounts/disconnection.ts'
import { type AccountFeed, createAccountFeed } from '../../server/domain/feed/feed.ts'
import { runJob } from '../../server/domain/fileJobs/run.ts'
import { createFileJobs, type FileJobs } from '../../server/domain/fileJobs/service.ts'
import { createContent } from '../../server/domain/files/content/content.ts'
import { createFilesService } from '../../server/domain/files/service.ts'
import { removeGroupCloud } from '../../server/domain/groupClouds/write.ts'
import { createChangeInPlace } from '../../server/domain/inPlace/changes.ts'
import { createInPlaceHousekeeping } from '../../server/domain/inPlace/indexer.ts'
import { createInPlaceService } from '../../server/domain/inPlace/service.ts'
import type { ProtectionService } from '../../server/domain/protection/contract.ts'
import { attachContent, findTarget } from '../../server/domain/protection/follow.ts'
import {
  createProtectionHousekeeping,
  createProtectionService,
  leaveProtection,
} from '../../server/domain/protection/service.ts'
import { createUploads } from '../../server/domain/uploads/service.ts'
import { createEncryption } from '../../server/lib/encryption.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

/** Keeping copies of what is in accounts, over services in memory. */
let world: TransfersWorld
let drive: string
let other: string
let third: string
let pool: string
let feed: AccountFeed
let files: ReturnType<typeof createFilesService>
let uploads: ReturnType<typeof createUploads>
let contents: ReturnType<typeof createContent>
let jobs: FileJobs
let deps: Parameters<typeof runJob>[0]
let protection: ProtectionService
let inPlace: ReturnType<typeof createInPlaceService>
/** Called before each call of a driver; may throw. */
let before: (accountId: string, operation: string) => void

const ROOT = 'root' as EntryRef
const NEVER = new AbortController().signal

beforeEach(async () => {
  world = await startTransfersWorld()
  before = () => {}
  drive = await world.account('drive')
  other = await world.account('other')
  third = await world.account('third')
  pool = await world.groupCloud([drive, other, third])
  const { enqueue, report, clock, store } = world
  const events = { ...world.events, subscribe: nothing }
  const openDriver = async (id: string) => watched(id, world.drivers.get(id) as Driver)
  const onError = (error: unknown) => void world.errors.push(error)
  const base = { pool: world.pool, events, enqueue, openDriver, report }
  contents = createContent({ ...base, storage: store })
  feed = createAccountFeed({ ...base, leases: world.pool, onError, everyMs: 0 })
  const changeInPlace = createChangeInPlace({ ...base, rootFolders: createRootFolders(world.pool) })
  files = createFilesService({ ...base, contents, changeInPlace })
  const shown = { getFile: files.get, getCopies: files.copies, onError }
  uploads = createUploads({ ...base, ...shown, leases: world.pool, store, anyType: true, alone: true })
  const jobDeps = {
    ...{ ...base, contents, files, clock, onError, uploads: uploads.copies, workPool: world.pool },
    rootFolders: createRootFolders(world.pool),
    encryption: createEncryption([randomBytes(32).toString('base64')]),
    resumableBytes: 100_000,
  }
  jobs = createFileJobs({ ...jobDeps, leases: world.pool })
  deps = { ...jobDeps, leases: createLeases(world.pool, 'fileJob') }
  protection = createProtectionService({ ...base, files, startCopy: jobs.copyContent })
  Object.assign(world.housekeeping, {
    protection: createProtectionHousekeeping(base),
    inPlace: createInPlaceHousekeeping({ ...base, changeInPlace }),
  })
  inPlace = createInPlaceService({ ...base, leaveProtection })
  await inPlace.setScope(world.viewer, drive, 'EVERYTHING')
  await read()
  await read()
})
afterEach(async () => {
  await deps.leases.close()
  await jobs.stop()
  await feed.close()
  await world.report.whenIdle()
  expect(world.errors).toEqual([])
  await world.close()
})

async function* nothing() {}

function watched(id: string, driver: Driver): Driver {
  return new Proxy(driver, {
    get(target, name, receiver) {
      const value = Reflect.get(target, name, receiver)
      if (typeof value !== 'function') return value
      return (...input: unknown[]) => {
        try {
          before(id, String(name))
        } catch (error) {
          return Promise.reject(error)
        }
        return value.apply(target, input)
      }
    },
  })
}

const tree = (subject = 'drive') => world.cloud.tree(subject)

function add(name: string, parent: EntryRef = ROOT, bytes: string | Buffer = name): EntryRef {
  const object = { parent, name, kind: 'file', bytes: Buffer.from(bytes), mimeType: null } as const
  return tree().add({ ...object, modifiedAt: Date.parse('2024-05-06T07:08:09Z') }).ref
}

function addFolder(name: string, parent: EntryRef = ROOT): EntryRef {
  return tree().add({ parent, name, kind: 'folder', bytes: Buffer.alloc(0), mimeType: null }).ref
}

function move(ref: EntryRef, parent: EntryRef, name: string): void {
  const object = world.cloud.accounts.get('drive')?.objects.get(ref)
  if (!object) throw new Error('There is nothing to move.')
  Object.assign(object, { parent, name })
  tree().changed(object)
}

async function read(): Promise<void> {
  await world.pool.query("update account_feeds set next_at = now() - interval '1 second' where account_id = $1", [
    drive,
  ])
  await feed.tick()
}

/** Everything that follows from what was changed, until nothing is left to do. */
async function settle(): Promise<void> {
  for (let round = 0; round < 40; round += 1) {
    await world.settleDown()
    const { rows } = await world.pool.query<{ id: string }>(
      "select id from file_jobs where state in ('WAITING', 'RUNNING') order by created_at",
    )
    if (rows.length === 0) return noFailedJobs()
    for (const { id } of rows) await runJob(deps, new Map(), id, NEVER)
    world.clock.advance(60_000)
  }
  throw new Error('It never settles.')
}

async function noFailedJobs(): Promise<void> {
  const { rows } = await world.pool.query(
    'select last_error from graphile_worker._private_jobs where last_error is not null',
  )
  expect(rows).toEqual([])
}

async function readAndSettle(): Promise<void> {
  await read()
  await settle()
}

async function idOf(ref: EntryRef): Promise<string> {
  const { rows } = await world.pool.query<{ id: string }>('select file_id as id from account_entries where ref = $1', [
    ref,
  ])
  return rows[0]?.id ?? ''
}

async function rootOf(): Promise<string> {
  const { rows } = await world.pool.query<{ id: string }>('select root_file_id as id from account_indexes')
  return rows[0]?.id ?? ''
}

async function text(fileId: string): Promise<string> {
  const { file, source } = await contents.open(world.viewer, fileId)
  const chunks: Buffer[] = []
  if (file.size > 0) {
    for await (const chunk of source.read(0, file.size - 1) as AsyncIterable<Buffer>) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

async function stateOf(fileId: string): Promise<string | undefined> {
  return (await protection.find(world.viewer, [fileId])).get(fileId)?.state
}

/** The protecting copies that there are: `name: content on accounts`. */
async function copies(): Promise<string[]> {
  const { rows } = await world.pool.query<{ id: string; name: string }>(
    `select c.id, c.name from files c join protected_versions v on v.content_id = c.id
     where v.ended_at is null and c.purged_at is null order by c.name`,
  )
  const found: string[] = []
  for (const { id, name } of rows) {
    const held = (await world.copies(id)).map((copy) => copy.replace('STORED: ', ''))
    found.push(`${name}: ${(await world.read(id)).toString()} on ${held.join(' and ')}`)
  }
  return found
}

async function protect(folderId: string, input: { copies?: number; keepVersionsDays?: number } = {}): Promise<void> {
  await protection.protect(world.viewer, folderId, { groupCloudId: pool, copies: 1, ...input })
  await settle()
}

const earlier = async (fileId: string) =>
  (await protection.earlierVersions(world.viewer, fileId)).map(({ name, reason }) => `${name} ${reason}`)

const down = (accountId: string) => {
  before = (id, operation) => {
    if (id !== accountId) return
    throw new ProviderError('ReconnectNeeded', { provider: 'memory', operation }, { message: 'Signed out.' })
  }
}

describe('a protected folder', () => {
  it('is not called protected before its files have been listed', async () => {
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
    before = (id, operation) => {
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

describe('when the account is lost', () => {
  it('reads protected files from their copies, and not the others', async () => {
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

describe('earlier versions', () => {
  it('are restored at their place in the account, with folders that are gone', async () => {
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
    const folder = addFolder('Photos')
    const a = add('a.txt', folder, 'first')
    await read()
    await protect(await idOf(folder), { keepVersionsDays: 7 })
    const age = (days: number) =>
      world.pool.query("update protected_versions set ended_at = ended_at - $1 * interval '1 day'", [days])
    world.cloud.overwrite('drive', a, Buffer.from('second'))
    down(drive)
    await world.pool.query('select 1')
    before = () => {}
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
  const follow = () => world.housekeeping.protection.follow(drive, undefined)
  const current = async () =>
    (
      await world.pool.query(
        `select c.purged_at is null as kept from protected_versions v left join files c on c.id = v.content_id
         where v.ended_at is null and (v.content_id is null or c.id is not null)`,
      )
    ).rows

  it('does not count as the copy of a file that returns while it is being removed', async () => {
    await world.pool.query(
      'update files set purged_at = now() where id in (select content_id from protected_versions where ended_at is not null)',
    )
    await follow()
    expect(await current()).toEqual([{ kept: true }])
    expect(await stateOf(await idOf(a))).not.toBe('PROTECTED')
  })

  it('is not removed when the file has returned since it was found', async () => {
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

describe('ending it', () => {
  it('removes copies, versions and bytes', async () => {
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

describe('losing the account', () => {
  const loss = () => readLoss(world.pool, drive)

  it('counts what would be lost and what is protected exactly, among hundreds of files', async () => {
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
    const paths = await files.paths(
      world.viewer,
      shown.map(({ file }) => file.id),
    )
    const found = shown.map(({ file }) => {
      const above = (paths.get(file.id) ?? []).map(({ name }) => name).join('/')
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

describe('the group cloud of the copies', () => {
  it('moves them with its files, and is not deleted before', async () => {
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
