import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRootFolders } from '../../server/domain/accounts/credentials.ts'
import { type AccountFeed, createAccountFeed } from '../../server/domain/feed/feed.ts'
import { createFilesService } from '../../server/domain/files/service.ts'
import { createChangeInPlace } from '../../server/domain/inPlace/changes.ts'
import { createInPlaceService, type InPlaceService } from '../../server/domain/inPlace/service.ts'
import type { NewUpload } from '../../server/domain/uploads/contract.ts'
import { createUploads } from '../../server/domain/uploads/service.ts'
import type { Driver, Entry, EntryRef, IsNeeded } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import type { MemoryObject } from '../fakes/memory/account.ts'
import { MIB, startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

/** Uploads into folders of an account, from the first byte to the account's own entry, against a service in memory. */
let world: TransfersWorld
let drive: string
let root: string
let feed: AccountFeed
let inPlace: InPlaceService
let files: ReturnType<typeof createFilesService>
let uploads: ReturnType<typeof createUploads>
/** Around each put of the driver. */
let around: (put: () => ReturnType<Driver['put']>) => ReturnType<Driver['put']>

const ROOT = 'root' as EntryRef
const WHERE = { provider: 'memory', operation: 'put' }

beforeEach(async () => {
  world = await startTransfersWorld()
  around = (put) => put()
  await world.groupCloud([world.localId])
  await connect(10 * MIB)
})
afterEach(async () => {
  await feed.close()
  await world.report.whenIdle()
  expect(world.errors).toEqual([])
  await world.close()
})

async function connect(quota: number): Promise<void> {
  drive = await world.account('drive', quota)
  const inner = world.drivers.get(drive) as Driver
  world.drivers.set(drive, { ...wrapped(inner), put: (...input) => around(() => inner.put(...input)) })
  const { pool, events, enqueue, openDriver, report, contents, store } = world
  const deps = { pool, events, enqueue, openDriver, report }
  const onError = (error: unknown) => void world.errors.push(error)
  feed = createAccountFeed({ ...deps, leases: pool, onError, everyMs: 0 })
  inPlace = createInPlaceService(deps)
  const changeInPlace = createChangeInPlace({ ...deps, rootFolders: createRootFolders(pool) })
  files = createFilesService({ pool, events, enqueue, contents, changeInPlace })
  const shown = { getFile: files.get, getCopies: files.copies, onError }
  uploads = createUploads({ ...deps, ...shown, leases: pool, store, anyType: true, alone: true })
  await inPlace.setScope(world.viewer, drive, 'EVERYTHING')
  for (let polls = 0; polls < 4; polls += 1) await read()
  root = (await inPlace.indexes(world.viewer, [drive])).get(drive)?.rootFileId ?? ''
}

/** A plain object with bound methods, so that one of them can be replaced. */
function wrapped(driver: Driver): Driver {
  const bound = Object.entries(driver).map(([name, value]) => [
    name,
    typeof value === 'function' ? value.bind(driver) : value,
  ])
  return Object.fromEntries(bound)
}

async function read(): Promise<void> {
  await world.pool.query("update account_feeds set next_at = now() - interval '1 second' where account_id = $1", [
    drive,
  ])
  await feed.tick()
}

const tree = () => world.cloud.tree('drive')
/** What the account holds, as `name: content`, without what is in its trash. */
const held = () =>
  world.cloud
    .objects('drive')
    .filter(({ kind, trashed }) => kind === 'file' && !trashed)
    .map(({ name, bytes }) => `${name}: ${bytes.toString()}`)
    .sort()

function add(name: string, bytes = name, parent: EntryRef = ROOT): EntryRef {
  return tree().add({ parent, name, kind: 'file', bytes: Buffer.from(bytes), mimeType: null }).ref
}

/** Changed by someone else. */
function alter(ref: EntryRef, to: Partial<Pick<MemoryObject, 'bytes' | 'parent' | 'rights'>>): void {
  const object = world.cloud.accounts.get('drive')?.objects.get(ref)
  if (!object) throw new Error('There is no such object.')
  Object.assign(object, to, { revision: object.revision + ('bytes' in to ? 1 : 0) })
  tree().changed(object)
}

async function folder(name: string): Promise<{ id: string; ref: EntryRef }> {
  const { ref } = tree().add({ parent: ROOT, name, kind: 'folder', bytes: Buffer.alloc(0), mimeType: null })
  await read()
  return { id: await idOf(ref), ref }
}

async function idOf(ref: EntryRef): Promise<string> {
  const { rows } = await world.pool.query<{ id: string }>('select file_id as id from account_entries where ref = $1', [
    ref,
  ])
  return rows[0]?.id ?? ''
}

type Options = Partial<Pick<NewUpload, 'parentId' | 'onConflict' | 'groupCloudId'>>

function receive(name: string, content: string | Buffer = name, options: Options = {}) {
  const bytes = Buffer.from(content)
  return uploads.service.receive(
    world.viewer,
    { name, size: bytes.length, parentId: root, ...options },
    Readable.from([bytes]),
  )
}

async function names(parentId = root): Promise<string[]> {
  const { items } = await files.list(world.viewer, { view: 'DRIVE', parentId, limit: 200 })
  return items.map(({ file }) => file.name).sort()
}

const transfers = () => world.service.list(world.viewer)
const entries = async () => (await inPlace.indexes(world.viewer, [drive])).get(drive)?.entries

/** It is an entry of the account like any other, and nothing is left of its upload. */
async function expectArrived(id: string, name: string, content: string): Promise<void> {
  const file = await files.get(world.viewer, id)
  expect(file).toMatchObject({ name, accountId: drive, groupCloudId: null, state: 'STORED', stateReason: null })
  expect((await world.read(id)).toString()).toBe(content)
  expect(held()).toContain(`${name}: ${content}`)
  expect((await files.copies(world.viewer, [id])).get(id)).toEqual([])
  const left = await world.pool.query(
    `select (select count(*)::int from account_uploads) as uploads, (select count(*)::int from pieces) as pieces,
       (select count(*)::int from object_removals) as removals, (select reserved_bytes::int from accounts where id = $1) as reserved,
       (select count(*)::int from files where staged_ref is not null) as staged`,
    [drive],
  )
  expect(left.rows).toEqual([{ uploads: 0, pieces: 0, removals: 0, reserved: 0, staged: 0 }])
}

describe('an upload into a folder of an account', () => {
  it('can be listed and read at once, and then is an entry of the account under the same id', async () => {
    const inner = await folder('Inner')
    const file = await receive('a.txt', 'hello', { parentId: inner.id })
    expect(file).toMatchObject({ accountId: drive, groupCloudId: null, state: 'RECEIVED', parentId: inner.id })
    expect(await names(inner.id)).toEqual(['a.txt'])
    expect((await world.read(file.id)).toString()).toBe('hello')
    expect(held()).toEqual([])
    expect((await files.get(world.viewer, file.id)).inPlace?.rights).toMatchObject({
      read: true,
      rename: false,
    })
    await files.star(world.viewer, [file.id], true)

    await world.settleDown()
    await expectArrived(file.id, 'a.txt', 'hello')
    expect((await files.get(world.viewer, file.id)).starred).toBe(true)
    expect((await files.get(world.viewer, inner.id)).childCount).toBe(1)
    expect(await transfers()).toMatchObject([{ state: 'DONE', fileId: file.id, accountIds: [drive] }])
    // The account reports it: nothing changes.
    await read()
    await read()
    expect(await names(inner.id)).toEqual(['a.txt'])
    expect([(await files.get(world.viewer, inner.id)).childCount, await entries()]).toEqual([1, 2])
    await files.rename(world.viewer, file.id, 'b.txt')
    expect(held()).toEqual(['b.txt: hello'])
  })

  it('is stored once when the answer is lost, and when the server dies after it', async () => {
    const fail = (message: string) =>
      new ProviderError('Transient', { provider: 'memory', operation: 'put' }, { message })
    const left = new AbortController()
    let calls = 0
    around = async (put) => {
      calls += 1
      const stored = await put()
      if (calls === 1) throw fail('The answer was lost.')
      if (calls === 2) left.abort(new Error('The server dies.'))
      return stored
    }
    const file = await receive('a.txt', 'hello')
    const [id = ''] = await world.due()
    await world.run(id)
    expect(held()).toEqual(['a.txt: hello'])
    // The account reports what was stored before this server knows that it was.
    await read()
    expect([await names(), await entries()]).toEqual([['a.txt'], 0])
    world.clock.advance(60_000)
    await world.run(id, left.signal)
    await read()
    expect([await names(), await entries()]).toEqual([['a.txt'], 0])
    await world.settleDown()
    await expectArrived(file.id, 'a.txt', 'hello')
    expect(held()).toEqual(['a.txt: hello'])
    await read()
    expect([await names(), await entries()]).toEqual([['a.txt'], 1])
  })

  it('shows what only looks like it', async () => {
    around = async (put) => {
      const stored = await put()
      // Someone else stores a file of the same name and size at the same time.
      add('a.txt', 'world')
      await read()
      return stored
    }
    const file = await receive('a.txt', 'hello')
    await world.settleDown()
    await expectArrived(file.id, 'a.txt', 'hello')
    expect(await names()).toEqual(['a.txt', 'a.txt'])
    expect(await entries()).toBe(2)
  })

  it('stays one entry when it was moved there before this server knew that it was stored', async () => {
    const inner = await folder('Inner')
    const left = new AbortController()
    let stored: Entry | undefined
    // A service that knows what it has stored by an id, wherever it is.
    around = async (put) => {
      stored ??= await put()
      left.abort(new Error('The server dies.'))
      return stored
    }
    const file = await receive('a.txt', 'hello')
    const [id = ''] = await world.due()
    await world.run(id, left.signal)
    const [object] = world.cloud.objects('drive').filter(({ name }) => name === 'a.txt')
    if (object) alter(object.ref, { parent: inner.ref })
    await read()
    await world.settleDown()
    expect((await files.get(world.viewer, file.id)).parentId).toBe(inner.id)
    expect([await names(), await names(inner.id), await entries()]).toEqual([['Inner'], ['a.txt'], 2])
    expect((await files.get(world.viewer, inner.id)).childCount).toBe(1)
  })

  it('goes to the top folder of the account when its folder is gone', async () => {
    const [known, unknown] = [await folder('Known'), await folder('Unknown')]
    const first = await receive('a.txt', 'hello', { parentId: known.id })
    const second = await receive('b.txt', 'world', { parentId: unknown.id })
    tree().setTrashed(known.ref, true)
    await read()
    tree().setTrashed(unknown.ref, true)
    await world.settleDown()
    await expectArrived(first.id, 'a.txt', 'hello')
    await expectArrived(second.id, 'b.txt', 'world')
    expect(await names()).toEqual(expect.arrayContaining(['a.txt', 'b.txt']))
  })

  it('gets a number there when its name is taken, whatever was asked for in its folder', async () => {
    const [known, unknown] = [await folder('Known'), await folder('Unknown')]
    for (const name of ['a.txt', 'b.txt', 'c.txt']) add(name, 'theirs')
    await read()
    const first = await receive('a.txt', 'hello', { parentId: known.id, onConflict: 'FAIL' })
    const second = await receive('b.txt', 'world', { parentId: unknown.id, onConflict: 'FAIL' })
    async function* body() {
      tree().setTrashed(known.ref, true)
      await read()
      yield Buffer.from('us')
    }
    const input = { name: 'c.txt', size: 2, parentId: known.id, onConflict: 'REPLACE' } as const
    const third = await uploads.service.receive(world.viewer, input, Readable.from(body()))
    expect(third).toMatchObject({ name: 'c (2).txt', parentId: root })
    tree().setTrashed(unknown.ref, true)
    await world.settleDown()
    await expectArrived(first.id, 'a (2).txt', 'hello')
    await expectArrived(second.id, 'b (2).txt', 'world')
    await expectArrived(third.id, 'c (2).txt', 'us')
    expect(held()).toEqual(expect.arrayContaining(['a.txt: theirs', 'b.txt: theirs', 'c.txt: theirs']))
  })
})

describe('a name that is taken in the account', () => {
  it('gets a number, or the upload is refused', async () => {
    add('a.txt', 'theirs')
    await read()
    const file = await receive('a.txt', 'ours')
    expect(file.name).toBe('a (2).txt')
    expect((await receive('a.txt', 'more')).name).toBe('a (3).txt')
    await expect(receive('A.txt', 'no', { onConflict: 'FAIL' })).rejects.toThrow('already something named “A.txt”')
    await world.settleDown()
    await expectArrived(file.id, 'a (2).txt', 'ours')
    expect(held()).toEqual(['a (2).txt: ours', 'a (3).txt: more', 'a.txt: theirs'])
  })

  it('by something new is kept, and the upload gets a number or waits with the reason', async () => {
    const numbered = await receive('a.txt', 'ours')
    const asked = await receive('b.txt', 'ours', { onConflict: 'FAIL' })
    add('a.txt', 'theirs')
    add('b.txt', 'theirs')
    await read()
    await world.settleDown()
    await expect(files.get(world.viewer, numbered.id)).resolves.toMatchObject({ name: 'a (2).txt', state: 'STORED' })
    expect(held()).toEqual(['a (2).txt: ours', 'a.txt: theirs', 'b.txt: theirs'])
    const waiting = await files.get(world.viewer, asked.id)
    expect(waiting).toMatchObject({ state: 'AT_RISK', stateReason: expect.stringContaining('named “b.txt”') })
    expect((await world.read(asked.id)).toString()).toBe('ours')
  })

  it('makes the upload begin again, once the interrupted one could be ended', async () => {
    const inner = world.drivers.get(drive) as Driver
    const done: string[] = []
    world.drivers.set(drive, {
      ...inner,
      async put(call, entry, content, progress) {
        const isFirst = done.length === 0
        done.push(`put ${progress.session}`)
        if (!isFirst && progress.session === null) return inner.put(call, entry, content, progress)
        await progress.save('begun')
        throw new ProviderError('Conflict', WHERE, { message: 'The name is taken.' })
      },
      async abandon(_call, session) {
        const isFirst = !done.some((step) => step.startsWith('end'))
        done.push(`end ${session}`)
        if (isFirst) throw new ProviderError('Transient', WHERE, { message: 'It does not answer.' })
      },
    })
    const file = await receive('a.txt', 'hello')
    await world.settleDown()
    expect(done).toEqual(['put null', 'end begun'])
    await world.pool.query('update transfers set next_try_at = null')
    await world.settleDown()
    expect(done).toEqual(['put null', 'end begun', 'put begun', 'end begun', 'put null'])
    await expectArrived(file.id, 'a.txt', 'hello')
  })
})

describe('an upload that the account cannot take', () => {
  it('is refused before its bytes: full, too large, a bad name, no right, disconnected access', async () => {
    const tooMuch = receive('a.bin', randomBytes(11 * MIB))
    await expect(tooMuch).rejects.toMatchObject({ code: 'STORAGE_FULL', neededBytes: 11 * MIB, freeBytes: 10 * MIB })
    await expect(receive('n'.repeat(256))).rejects.toMatchObject({ code: 'INVALID_INPUT' })
    await expect(receive('a.txt', 'a', { groupCloudId: await world.groupCloud([world.localId]) })).rejects.toThrow(
      'not in a group cloud',
    )
    const { id, ref } = await folder('Theirs')
    alter(ref, { rights: { read: true, write: false, rename: false, move: false, delete: false, share: true } })
    await read()
    await expect(receive('a.txt', 'a', { parentId: id })).rejects.toThrow(
      '“drive” does not allow putting anything into “Theirs”.',
    )
    await world.pool.query(`update accounts set status = 'EXPIRED' where id = $1`, [drive])
    await expect(receive('a.txt')).rejects.toThrow('“drive” needs to be connected again')
    await world.pool.query(`update accounts set status = 'CONNECTED', unreachable_since = now() where id = $1`, [drive])
    await expect(receive('a.txt')).rejects.toThrow('“drive” cannot be reached at the moment')
  })

  it('counts what is still on its way to it', async () => {
    await receive('a.bin', randomBytes(6 * MIB))
    await expect(receive('b.bin', randomBytes(6 * MIB))).rejects.toMatchObject({ freeBytes: 4 * MIB })
    const upload = await uploads.service.create(world.viewer, { name: 'c.bin', size: 3 * MIB, parentId: root })
    await expect(receive('d.bin', randomBytes(2 * MIB))).rejects.toMatchObject({ freeBytes: MIB })
    await uploads.service.remove(world.viewer, upload.id)
    expect((await receive('d.bin', randomBytes(2 * MIB))).state).toBe('RECEIVED')
  })

  const full = () => new ProviderError('QuotaExceeded', { provider: 'memory', operation: 'put' }, { message: 'Full.' })

  it('waits with the reason, continues when there is room, and is not lost meanwhile', async () => {
    around = async () => Promise.reject(full())
    const file = await receive('a.txt', 'hello')
    await world.settleDown()
    expect(await files.get(world.viewer, file.id)).toMatchObject({
      state: 'AT_RISK',
      stateReason: 'It waits on this server: “drive” is full. This continues when there is room.',
    })
    expect((await world.read(file.id)).toString()).toBe('hello')
    await expect(files.rename(world.viewer, file.id, 'b.txt')).rejects.toThrow('is still being stored in “drive”')
    await expect(files.trash(world.viewer, [file.id])).rejects.toThrow('is still being stored in “drive”')
    around = (put) => put()
    const [transfer] = await transfers()
    await world.service.retry(world.viewer, transfer?.id ?? '')
    await world.settleDown()
    await expectArrived(file.id, 'a.txt', 'hello')
  })

  it('can be cancelled, by its transfer or by deleting it: nothing is left of it anywhere', async () => {
    for (const how of ['transfer', 'file']) {
      around = async (put) => {
        await put()
        throw full()
      }
      const file = await receive(`${how}.txt`, 'hello')
      await world.settleDown()
      expect(held()).toEqual([`${how}.txt: hello`])
      const [transfer] = await transfers()
      if (how === 'file') await files.remove(world.viewer, [file.id])
      else expect((await world.service.cancel(world.viewer, transfer?.id ?? '')).state).toBe('CANCELLED')
      await expect(files.get(world.viewer, file.id)).rejects.toThrow('does not exist')
      expect(await names()).toEqual([])
      await world.settleDown()
      expect([held(), await transfers()]).toEqual([[], []])
      const rows = await world.pool.query('select from files where id = $1', [file.id])
      expect(rows.rowCount).toBe(0)
    }
    expect((await files.get(world.viewer, root)).childCount).toBe(0)
    expect(await world.audit()).toEqual([])
  })

  it('can be moved to a folder of Skypool, which stores it then', async () => {
    around = async () => Promise.reject(full())
    const file = await receive('a.txt', 'hello')
    await world.settleDown()
    const target = await files.createFolder(world.viewer, { name: 'Here', parentId: null })
    await files.move(world.viewer, [file.id], target.id)
    await world.settleDown()
    expect(await files.get(world.viewer, file.id)).toMatchObject({
      accountId: null,
      parentId: target.id,
      state: 'STORED',
    })
    expect((await world.read(file.id)).toString()).toBe('hello')
    const counts = [root, target.id].map(async (id) => (await files.get(world.viewer, id)).childCount)
    expect(await Promise.all(counts)).toEqual([0, 1])
    expect(await world.audit()).toEqual([])
  })

  it('goes to My Drive when the account is shown no longer', async () => {
    around = async () => Promise.reject(full())
    const file = await receive('a.txt', 'hello')
    await world.settleDown()
    await inPlace.setScope(world.viewer, drive, 'OWN')
    await world.settleDown()
    expect(await files.get(world.viewer, file.id)).toMatchObject({ accountId: null, parentId: null, state: 'STORED' })
    expect((await world.read(file.id)).toString()).toBe('hello')
    expect(await world.audit()).toEqual([])
  })
})

describe('an equal object in the account', () => {
  const asked: Record<string, boolean | undefined> = {}

  /** One that the account's files show, one that is to be removed, and one that is not known. @returns what asks about them */
  async function plantOthers(isOther: () => IsNeeded | undefined): Promise<() => Promise<void>> {
    const older = add('older.txt', 'hello')
    await read()
    const [removed, unknown] = [add('removed.txt', 'hello'), add('unknown.txt', 'hello')].map(String)
    await world.pool.query(
      `insert into object_removals (id, account_id, object_ref, next_try_at) values (gen_random_uuid(), $1, $2, now() + interval '1 day')`,
      [drive, removed],
    )
    return async () => {
      for (const [name, ref] of Object.entries({ older, removed, unknown })) {
        asked[name] = await isOther()?.(ref as EntryRef)
      }
    }
  }

  it('is not taken for the result of an upload if it is shown or to be removed', async () => {
    let isTaken: IsNeeded | undefined
    const ask = await plantOthers(() => isTaken)
    const inner = world.drivers.get(drive) as Driver
    world.drivers.set(drive, {
      ...inner,
      async put(call, entry, content, progress) {
        isTaken = progress.isTaken
        await ask()
        return inner.put(call, entry, content, progress)
      },
    })
    const file = await receive('a.txt', 'hello')
    await world.settleDown()
    expect(asked).toEqual({ older: true, removed: true, unknown: false })
    expect((await files.get(world.viewer, file.id)).state).toBe('STORED')
  })

  it('is not deleted with an upload that is given up if it is shown or to be removed', async () => {
    let isNeeded: IsNeeded | undefined
    const ask = await plantOthers(() => isNeeded)
    const inner = world.drivers.get(drive) as Driver
    let puts = 0
    world.drivers.set(drive, {
      ...inner,
      async put(call, entry, content, progress) {
        puts += 1
        if (puts > 1) return inner.put(call, entry, content, progress)
        await progress.save('session')
        throw new ProviderError('Conflict', WHERE, { message: 'The name is taken.' })
      },
      async abandon(_call, _session, isOther) {
        isNeeded = isOther
        await ask()
      },
    })
    const file = await receive('a.txt', 'hello')
    await world.settleDown()
    expect(asked).toEqual({ older: true, removed: true, unknown: false })
    expect((await files.get(world.viewer, file.id)).name).toBe('a (2).txt')
  })

  it('becomes one of two uploads that the service tells of it, and the other one is stored again', async () => {
    const first = await receive('a.txt', 'hello')
    await world.settleDown()
    const [{ ref } = { ref: '' as EntryRef }] = world.cloud.objects('drive').filter(({ name }) => name === 'a.txt')
    const driver = world.drivers.get(drive) as Driver
    let puts = 0
    around = async (put) => {
      puts += 1
      return puts > 1 ? put() : driver.stat({ signal: new AbortController().signal, requestId: 'test' }, ref)
    }
    const second = await receive('a.txt', 'hello')
    await world.settleDown()
    await expectArrived(first.id, 'a.txt', 'hello')
    await expectArrived(second.id, 'a (2).txt', 'hello')
    expect(held()).toEqual(['a (2).txt: hello', 'a.txt: hello'])
  })

  it('is not removed when an upload that was given it as its result is cancelled', async () => {
    const theirs = add('theirs.txt', 'hello')
    await read()
    const driver = world.drivers.get(drive) as Driver
    around = async () => {
      const [transfer] = await transfers()
      await world.service.cancel(world.viewer, transfer?.id ?? '')
      return driver.stat({ signal: new AbortController().signal, requestId: 'test' }, theirs)
    }
    await receive('a.txt', 'hello')
    await world.settleDown()
    expect(held()).toEqual(['theirs.txt: hello'])
    expect((await world.pool.query('select from object_removals')).rowCount).toBe(0)
  })
})

describe('replacing an entry of the account', () => {
  it('moves the earlier one to its trash', async () => {
    add('a.txt', 'earlier')
    await read()
    const file = await receive('a.txt', 'later', { onConflict: 'REPLACE' })
    expect(file.name).toBe('a.txt')
    await world.settleDown()
    await expectArrived(file.id, 'a.txt', 'later')
    expect([held(), await names()]).toEqual([['a.txt: later'], ['a.txt']])
  })

  it('leaves the earlier one where it is until the new one is stored', async () => {
    add('a.txt', 'earlier')
    await read()
    around = async () => Promise.reject(new ProviderError('QuotaExceeded', WHERE, { message: 'It is full.' }))
    const file = await receive('a.txt', 'later', { onConflict: 'REPLACE' })
    await world.settleDown()
    expect(held()).toEqual(['a.txt: earlier'])
    around = (put) => put()
    const [transfer] = await transfers()
    await world.service.retry(world.viewer, transfer?.id ?? '')
    await world.settleDown()
    await expectArrived(file.id, 'a.txt', 'later')
    expect([held(), await names()]).toEqual([['a.txt: later'], ['a.txt']])
  })

  it.each(['trash', 'move'])('is completed by a later job when the server ends before its %s', async (operation) => {
    add('a.txt', 'earlier')
    await read()
    world.cloud.fault = (one) => (one === operation ? { kind: 'refused', code: 'Transient' } : null)
    const file = await receive('a.txt', 'later', { onConflict: 'REPLACE' })
    await world.settleDown()
    expect(held()).toEqual(['a (2).txt: later', ...(operation === 'trash' ? ['a.txt: earlier'] : [])])
    world.cloud.fault = null
    await world.runLaterJobs()
    await expectArrived(file.id, 'a.txt', 'later')
    expect([held(), await names()]).toEqual([['a.txt: later'], ['a.txt']])
  })

  it('keeps both when the earlier one was changed meanwhile', async () => {
    const ref = add('a.txt', 'earlier')
    await read()
    const file = await receive('a.txt', 'later', { onConflict: 'REPLACE' })
    alter(ref, { bytes: Buffer.from('changed') })
    await world.settleDown()
    expect((await files.get(world.viewer, file.id)).name).toBe('a (2).txt')
    expect(held()).toEqual(['a (2).txt: later', 'a.txt: changed'])
  })
})
