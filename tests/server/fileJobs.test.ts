import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { NotFoundError } from '../../server/domain/errors.ts'
import { runJob } from '../../server/domain/fileJobs/run.ts'
import { newId } from '../../server/lib/ids.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import type { Fault } from '../fakes/memory/faults.ts'
import { type FileJobsWorld, NEVER, PLANTED, ROOT, startFileJobsWorld } from '../setup/fileJobsWorld.ts'

/** Copying, pausing and cancelling, and changes of many entries. */
let at: FileJobsWorld

beforeEach(async () => {
  at = await startFileJobsWorld()
})
afterEach(async () => {
  await at.close()
})

describe('other ways', () => {
  it('puts a folder of a group cloud back into an account, and the original into the trash here', async () => {
    const { world, other, files, addFolder, read, idOf, rootOf, contentsOf, run, start, get, plant } = at
    const folder = await plant()
    await run(await start({ ids: [await idOf(folder)] }))
    const { items } = await files.list(world.viewer, { view: 'ALL', query: 'Photos', limit: 5 })
    const mine = items.find(({ file }) => file.accountId === null)?.file.id ?? ''
    const target = addFolder('Target', ROOT, 'other')
    await read(other)
    const id = await start({ ids: [mine], parentId: await idOf(target), groupCloudId: undefined })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(await contentsOf(await idOf(target))).toEqual(PLANTED)
    expect(await contentsOf(null)).toEqual([])
    const file = world.cloud.objects('other').find(({ name }) => name === 'b.txt')
    expect([file?.bytes.toString(), new Date(file?.modifiedAt ?? 0).toISOString()]).toEqual([
      'second',
      '2024-05-06T07:08:09.000Z',
    ])
    // The feed reports what was stored: nothing of it is shown twice or made again.
    const before = await contentsOf(await rootOf(other))
    const ids = await idOf(file?.ref as EntryRef)
    await read(other)
    expect(await contentsOf(await rootOf(other))).toEqual(before)
    expect(await idOf(file?.ref as EntryRef)).toBe(ids)
  })

  it('copies within an account by the service itself, and between accounts through this server', async () => {
    const { other, addFolder, read, idOf, rootOf, contentsOf, inTrash, run, start, get, plant } = at
    const folder = await plant()
    const calls: string[] = []
    at.before = (operation) => void calls.push(operation)
    const target = addFolder('Target')
    await read()
    const copy = await start({
      kind: 'COPY',
      ids: [await idOf(folder)],
      parentId: await idOf(target),
      groupCloudId: undefined,
    })
    await run(copy)
    expect(await get(copy)).toMatchObject({ state: 'DONE', doneItems: 5 })
    expect(calls).not.toContain('put')
    expect(await contentsOf(await idOf(target))).toEqual(PLANTED)
    const across = await start({
      kind: 'COPY',
      ids: [await idOf(folder)],
      parentId: await rootOf(other),
      groupCloudId: undefined,
    })
    await run(across)
    expect(await contentsOf(await rootOf(other))).toEqual(PLANTED)
    expect(inTrash()).toEqual([])
  })

  it('numbers, replaces or refuses names that are taken in an account', async () => {
    const { other, add, read, idOf, rootOf, contentsOf, inTrash, run, start, get } = at
    const file = add('a.txt', ROOT, 'mine')
    add('a.txt', ROOT, 'theirs', 'other')
    await read()
    await read(other)
    const ids = [await idOf(file)]
    const to = { kind: 'COPY', ids, parentId: await rootOf(other), groupCloudId: undefined } as const
    const refused = await start({ ...to, onConflict: 'FAIL' })
    await run(refused)
    expect(await get(refused)).toMatchObject({ state: 'FAILED' })
    await run(await start(to))
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: mine', 'a.txt: theirs'])
    await run(await start({ ...to, onConflict: 'REPLACE' }))
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: mine', 'a.txt: mine'])
    expect(inTrash('other')).toEqual(['a.txt'])
  })

  it('ends the upload whose name another program takes in the account while it is sent', async () => {
    const { world, other, add, read, idOf, rootOf, contentsOf, run, start } = at
    const file = add('a.txt', ROOT, 'mine')
    await read()
    const to = {
      kind: 'COPY',
      ids: [await idOf(file)],
      parentId: await rootOf(other),
      groupCloudId: undefined,
    } as const
    const faults: Fault[] = [{ kind: 'refused', code: 'Conflict', afterBytes: 2 }]
    world.cloud.fault = (operation) => (operation === 'put' ? (faults.shift() ?? null) : null)
    await run(await start(to))
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: mine'])
    const uploads = [...(world.cloud.accounts.get('other')?.uploads.values() ?? [])]
    expect(uploads.filter(({ stored }) => stored === null)).toEqual([])
  })

  it('refuses what cannot be done, before anything is done', async () => {
    const { world, drive, other, add, read, idOf, rootOf, start, plant } = at
    const folder = await plant()
    const inner = await idOf(world.cloud.objects('drive').find(({ name }) => name === '2024')?.ref as EntryRef)
    const id = await idOf(folder)
    const move = (input: object) => start({ ids: [id], ...input })
    await expect(move({ parentId: inner, kind: 'COPY', groupCloudId: undefined })).rejects.toThrow('into itself')
    await expect(move({ ids: [await rootOf(drive)] })).rejects.toThrow('shows a connected account')
    await expect(move({ ids: [] })).rejects.toThrow('Please choose files or folders.')
    await expect(move({ parentId: await rootOf(other) })).rejects.toThrow('connected account')
    await expect(move({ ids: [crypto.randomUUID()] })).rejects.toThrow('does not exist')
    world.cloud.setRights('drive', folder, { delete: false })
    world.cloud.setRights('drive', world.cloud.objects('drive').find(({ name }) => name === '2024')?.ref as EntryRef, {
      write: false,
    })
    await read()
    await expect(move({})).rejects.toThrow('does not allow moving “Photos” away')
    const target = { parentId: inner, groupCloudId: undefined, ids: [await idOf(add('x'))] }
    await read()
    await expect(move({ ...target, ids: [await rootOf(other)], kind: 'COPY' })).rejects.toThrow(
      'does not allow putting anything into “2024”',
    )
  })

  it('returns the same job for the same key', async () => {
    const { world, pool, jobs, idOf, plant } = at
    const folder = await plant()
    const input = { kind: 'COPY', ids: [await idOf(folder)], parentId: null, groupCloudId: pool } as const
    const first = await jobs.service.start(world.viewer, input, 'key')
    expect((await jobs.service.start(world.viewer, input, 'key')).id).toBe(first.id)
    await expect(jobs.service.start(world.viewer, { ...input, kind: 'MOVE' }, 'key')).rejects.toThrow('Idempotency-Key')
    expect(await jobs.service.list(world.viewer, { open: true })).toHaveLength(1)
  })
})

describe('pausing and cancelling', () => {
  it('stops within a large file, and continues where it stopped', async () => {
    const { world, other, jobs, deps, add, read, idOf, rootOf, inTrash, run, start, get } = at
    const bytes = randomBytes(600_000)
    const file = add('large.bin', ROOT, bytes)
    await read()
    const id = await start({ ids: [await idOf(file)], parentId: await rootOf(other), groupCloudId: undefined })
    const stop = new AbortController()
    const stopped = new AbortController()
    at.before = (operation) => {
      if (operation === 'put') queueMicrotask(() => stopped.abort())
    }
    stopped.signal.addEventListener(
      'abort',
      () => void jobs.service.pause(world.viewer, id).then(() => stop.abort(new Error('Paused.'))),
    )
    await runJob(deps, new Map(), id, stop.signal)
    at.before = () => {}
    expect(await get(id)).toMatchObject({ state: 'PAUSED' })
    await runJob(deps, new Map(), id, NEVER)
    expect(await get(id)).toMatchObject({ state: 'PAUSED' })
    expect(world.names('drive')).toEqual(['large.bin'])
    await jobs.service.resume(world.viewer, id)
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE', doneBytes: 600_000 })
    expect(
      world.cloud
        .objects('other')
        .find(({ name }) => name === 'large.bin')
        ?.bytes.equals(bytes),
    ).toBe(true)
    expect(inTrash()).toEqual(['large.bin'])
    await expect(jobs.service.pause(world.viewer, id)).rejects.toThrow('This job has ended.')
  })

  it('keeps copies and originals when it is cancelled, and ends the upload', async () => {
    const { world, other, jobs, deps, add, read, idOf, rootOf, inTrash, start } = at
    const file = add('large.bin', ROOT, randomBytes(600_000))
    await read()
    const id = await start({ ids: [await idOf(file)], parentId: await rootOf(other), groupCloudId: undefined })
    const stop = new AbortController()
    at.before = (operation) => {
      if (operation === 'put') queueMicrotask(() => stop.abort(new Error('Stopped.')))
    }
    await runJob(deps, new Map(), id, stop.signal)
    at.before = () => {}
    expect(await jobs.service.cancel(world.viewer, id)).toMatchObject({ state: 'CANCELLED' })
    await runJob(deps, new Map(), id, NEVER)
    const { rows } = await world.pool.query('select session from file_job_items where session is not null')
    expect(rows).toEqual([])
    expect(world.names('other')).toEqual([])
    expect(inTrash()).toEqual([])
  })
})

describe('equal files of one name', () => {
  const BYTES = randomBytes(600_000)

  /** A job that was interrupted in its upload, while another one has stored the same bytes under the same name. */
  async function interrupted(): Promise<string> {
    const { world, other, deps, add, addFolder, read, idOf, rootOf, run, start } = at
    const first = add('large.bin', ROOT, BYTES)
    const second = add('large.bin', addFolder('Twin'), BYTES)
    await read()
    const to = { kind: 'COPY', parentId: await rootOf(other), groupCloudId: undefined } as const
    const id = await start({ ...to, ids: [await idOf(first)] })
    const stop = new AbortController()
    at.before = (operation) => {
      if (operation === 'put') queueMicrotask(() => stop.abort(new Error('Stopped.')))
    }
    await runJob(deps, new Map(), id, stop.signal)
    at.before = () => {}
    await run(await start({ ...to, ids: [await idOf(second)] }))
    expect(world.names('other')).toEqual(['large.bin'])
    return id
  }

  /** As services whose sessions name no object: what has the name and the bytes is taken for what the session has stored. */
  const byName = (isStored: (isOther: boolean, ref: EntryRef) => void) => async (id: string) => {
    const { world, deps } = at
    const driver = await deps.openDriver(id)
    const found = () =>
      world.cloud.objects('other').find(({ name, bytes }) => name === 'large.bin' && bytes.equals(BYTES))
    const named: Partial<Driver> = {
      async abandon(_call, _session, isNeeded) {
        const ref = found()?.ref
        if (ref) isStored((await isNeeded?.(ref)) ?? false, ref)
      },
      async put(call, entry, content, progress) {
        const ref = found()?.ref
        if (ref && progress.session !== null) isStored((await progress.isTaken?.(ref)) ?? false, ref)
        return driver.put(call, entry, content, progress)
      },
    }
    return new Proxy(driver, { get: (target, name) => Reflect.get(named, name) ?? Reflect.get(target, name) })
  }

  it('are kept when the job of another one is cancelled', async () => {
    const { world, jobs, deps, tree } = at
    const id = await interrupted()
    await jobs.service.cancel(world.viewer, id)
    const others: boolean[] = []
    const openDriver = byName((isOther, ref) => {
      others.push(isOther)
      if (!isOther) tree('other').remove(ref)
    })
    await runJob({ ...deps, openDriver }, new Map(), id, NEVER)
    expect(others).toEqual([true])
    expect(world.names('other')).toEqual(['large.bin'])
  })

  it('are not taken for the one that a job has begun, also when the first one began later', async () => {
    const { world, deps, run, get } = at
    const id = await interrupted()
    const others: boolean[] = []
    const openDriver = byName((isOther) => void others.push(isOther))
    await runJob({ ...deps, openDriver }, new Map(), id, NEVER)
    world.clock.advance(60_000)
    await run(id)
    expect(others[0]).toBe(true)
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(world.cloud.objects('other').filter(({ bytes }) => bytes.equals(BYTES)).length).toBe(2)
  })
})

describe('moving several', () => {
  it('leaves out what does not exist, and refuses none at all', async () => {
    const { world, files, add, read, idOf, run, start, get } = at
    const ref = add('a.txt')
    await read()
    const id = await start({ ids: [newId(), await idOf(ref)] })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE', totalItems: 1, doneItems: 1, failedItems: 0 })
    const { items } = await files.list(world.viewer, { view: 'ALL', query: 'a.txt', limit: 5 })
    expect(items.map(({ file }) => file.accountId)).toEqual([null])
    await expect(start({ ids: [newId()] })).rejects.toThrow(NotFoundError)
  })
})

describe('changes of many entries of an account', () => {
  it('are a job from the fifty-first on, one result for each, also after a crash', async () => {
    const { world, jobs, deps, add, read, idOf, inTrash, run, start, get } = at
    const refs = Array.from({ length: 51 }, (_, index) => add(`${index}.txt`))
    const kept = add('kept.txt')
    await read()
    const ids = await Promise.all(refs.map(idOf))
    const asked = (kind: 'TRASH' | 'RESTORE' | 'DELETE' | 'MOVE', some = ids) =>
      jobs.service.isNeeded(world.viewer, { kind, ids: some, parentId: null })
    expect([await asked('TRASH'), await asked('TRASH', ids.slice(1))]).toEqual([true, false])
    const change = async (kind: 'TRASH' | 'RESTORE' | 'DELETE') => {
      // One that does not exist does not keep the others back.
      const id = await start({ kind, ids: [newId(), ...ids], groupCloudId: undefined })
      // The server ends in the middle.
      const left = new AbortController()
      let calls = 0
      at.before = () => {
        calls += 1
        if (calls === 40) left.abort(new Error('The server ends.'))
      }
      await runJob(deps, new Map(), id, left.signal).catch(() => undefined)
      at.before = () => {}
      await run(id)
      expect(await get(id)).toMatchObject({ kind, state: 'DONE', doneItems: 51, failedItems: 0, totalItems: 51 })
    }
    await change('TRASH')
    expect(inTrash()).toHaveLength(51)
    await change('RESTORE')
    expect(inTrash()).toEqual([])
    await change('DELETE')
    await expect(start({ kind: 'DELETE', ids: [newId()], groupCloudId: undefined })).rejects.toThrow(NotFoundError)
    expect(world.cloud.objects('drive').filter(({ kind }) => kind === 'file')).toMatchObject([{ ref: kept }])
  })
})
