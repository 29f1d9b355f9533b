import { randomBytes, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runJob } from '../../server/domain/fileJobs/run.ts'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { type FileJobsWorld, NEVER, PLANTED, ROOT, startFileJobsWorld } from '../setup/fileJobsWorld.ts'

/** Moving from an account into a group cloud. */
let at: FileJobsWorld

beforeEach(async () => {
  at = await startFileJobsWorld()
})
afterEach(async () => {
  await at.close()
})

describe('a move from an account into a group cloud', () => {
  it('keeps tree, content and times, and moves the original folder to the trash of the account', async () => {
    const { world, pool, files, jobs, idOf, contentsOf, inTrash, run, start, get, plant } = at
    const folder = await plant()
    expect(await jobs.service.isNeeded(world.viewer, { kind: 'MOVE', ids: [await idOf(folder)], parentId: null })).toBe(
      true,
    )
    const preview = await jobs.service.preview(world.viewer, {
      kind: 'MOVE',
      ids: [await idOf(folder)],
      parentId: null,
    })
    expect(preview).toMatchObject({ files: 2, folders: 3, bytes: 11, skipped: 0, isMore: false, isCarried: true })
    const id = await start({ ids: [await idOf(folder)] })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE', totalItems: 5, doneItems: 5, failedItems: 0, doneBytes: 11 })
    expect(await contentsOf(null)).toEqual(PLANTED)
    expect(inTrash()).toEqual(['Photos'])
    const { items } = await files.list(world.viewer, { view: 'ALL', query: 'b.txt', limit: 5 })
    expect(items.map(({ file }) => [file.accountId, file.groupCloudId, file.updatedAt.toISOString()])).toEqual([
      [null, pool, '2024-05-06T07:08:09.000Z'],
    ])
  })

  it('leaves documents and their folders where they are, and says so', async () => {
    const { world, jobs, tree, read, idOf, contentsOf, inTrash, run, start, get, plant } = at
    const folder = await plant()
    const doc = { parent: folder, name: 'Plan', kind: 'file', bytes: Buffer.alloc(0), mimeType: null } as const
    tree().add({ ...doc, nativeKind: 'DOCUMENT' })
    await read()
    const id = await start({ ids: [await idOf(folder)] })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE', totalItems: 6 })
    expect(await jobs.service.problems(world.viewer, id)).toMatchObject([{ name: 'Plan', state: 'SKIPPED' }])
    expect(await contentsOf(null)).toEqual(PLANTED)
    expect(inTrash().sort()).toEqual(['2024', 'Empty', 'a.txt', 'b.txt'])
    expect(
      world.cloud
        .objects('drive')
        .filter(({ trashed }) => !trashed)
        .map(({ name }) => name),
    ).toEqual(['Photos', 'Plan'])
  })

  it('leaves everything of a folder in place when something in it is changed or added while it is moved', async () => {
    const { world, jobs, add, read, idOf, contentsOf, inTrash, run, start, get, plant } = at
    const folder = await plant()
    let isDue = true
    at.before = (operation) => {
      if (operation !== 'list' || !isDue) return
      isDue = false
      add('new.txt', folder, 'not seen before')
    }
    const id = await start({ ids: [await idOf(folder)] })
    await run(id)
    const [problem] = await jobs.service.problems(world.viewer, id)
    expect(problem?.detail).toBe(
      '“new.txt” was added to “Photos” while it was moved. The originals stay where they are.',
    )
    expect(await get(id)).toMatchObject({
      state: 'FAILED',
      error: 'Everything was copied, but some originals stay where they are.',
    })
    expect(inTrash()).toEqual([])

    const file = add('c.txt', ROOT, 'before')
    await read()
    let stats = 0
    at.before = (operation) => {
      if (operation === 'stat') stats += 1
      if (operation === 'stat' && stats === 2) world.cloud.overwrite('drive', file, Buffer.from('after!'))
    }
    const second = await start({ ids: [await idOf(file)] })
    await run(second)
    expect(inTrash()).not.toContain('c.txt')
    expect(await contentsOf(null)).toContain('c.txt: before')
    expect(await get(second)).toMatchObject({ state: 'FAILED' })
  })

  it('takes the star and the links along, and from then on they lead to what was moved', async () => {
    const { world, files, deps, rootOf, other, idOf, run, start, get, plant } = at
    const folder = await idOf(await plant())
    const { items } = await files.list(world.viewer, { view: 'ALL', query: 'b.txt', limit: 5 })
    const file = items[0]?.file.id ?? ''
    await files.star(world.viewer, [file], true)
    const [live, ended, uploadLink] = [randomUUID(), randomUUID(), randomUUID()]
    const { userId } = world.viewer
    await deps.pool.query('insert into shares (id, user_id, file_id) values ($1, $2, $3)', [live, userId, file])
    await deps.pool.query('insert into shares (id, user_id, file_id, ended_at) values ($1, $2, $3, now())', [
      ended,
      userId,
      file,
    ])
    await deps.pool.query(`insert into upload_links (id, user_id, folder_id, title) values ($1, $2, $3, 'Here')`, [
      uploadLink,
      userId,
      folder,
    ])
    await deps.pool.query('update files set share_count = 1 where id = any($1::uuid[])', [[file, folder]])
    const id = await start({ ids: [folder], parentId: await rootOf(other), groupCloudId: undefined })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    const { rows } = await deps.pool.query(
      `select l.id, f.name, f.account_id = $1 as moved, f.starred, f.share_count, f.trashed_at
       from (select id, file_id from shares union all select id, folder_id from upload_links) l join files f on f.id = l.file_id`,
      [other],
    )
    const made = { moved: true, share_count: 1, trashed_at: null }
    expect(rows.sort((a, b) => a.name.localeCompare(b.name))).toEqual([
      ...[live, ended].map((link) => ({ id: link, name: 'b.txt', ...made, starred: true })),
      { id: uploadLink, name: 'Photos', ...made, starred: false },
    ])
    const left = await deps.pool.query('select share_count from files where id = any($1::uuid[])', [[file, folder]])
    expect(left.rows).toEqual([{ share_count: 0 }, { share_count: 0 }])
  })

  it('gives what was renamed while it was moved its new name, and leaves the original where that is taken', async () => {
    const { world, files, jobs, add, read, idOf, rootOf, other, contentsOf, inTrash, run, start, get, plant } = at
    const folder = await plant()
    const renameOnce = (operation: string, ref: EntryRef, name: string) => {
      let isDue = true
      at.before = async (each) => {
        if (each !== operation || !isDue) return
        isDue = false
        await files.rename(world.viewer, await idOf(ref), name)
      }
    }
    renameOnce('list', folder, 'Pictures')
    const id = await start({ ids: [await idOf(folder)], parentId: await rootOf(other), groupCloudId: undefined })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(await contentsOf(await rootOf(other))).toEqual(PLANTED.map((path) => path.replace('Photos', 'Pictures')))
    expect(inTrash()).toEqual(['Pictures'])

    const [taken, file] = [add('taken.txt', ROOT, 'first'), add('c.txt', ROOT, 'third')]
    await read()
    await run(await start({ ids: [await idOf(taken)] }))
    const second = await start({ ids: [await idOf(file)] })
    let stats = 0
    at.before = async (operation) => {
      if (operation !== 'stat') return
      stats += 1
      if (stats === 2) await files.rename(world.viewer, await idOf(file), 'taken.txt')
    }
    await run(second)
    expect(inTrash()).toEqual(['Pictures', 'taken.txt'])
    expect(await contentsOf(null)).toEqual(['c.txt: third', 'taken.txt: first'])
    expect(await get(second)).toMatchObject({ state: 'FAILED' })
    const [problem] = await jobs.service.problems(world.viewer, second)
    expect(problem?.detail).toMatch(/^“c.txt” was renamed to “taken.txt” while it was moved, and cannot have that name/)
  })

  it('is refused for what another job moves already, for what is in it and for what contains it', async () => {
    const { world, files, jobs, addFolder, read, idOf, run, start, plant } = at
    const outer = addFolder('Outer')
    const folder = await plant()
    await read()
    await files.move(world.viewer, [await idOf(folder)], await idOf(outer))
    const { items } = await files.list(world.viewer, { view: 'ALL', query: 'b.txt', limit: 5 })
    const first = await start({ ids: [await idOf(folder)] })
    for (const id of [await idOf(folder), await idOf(outer), items[0]?.file.id ?? '']) {
      await expect(start({ ids: [id] })).rejects.toThrow(/is already being moved, or contains something that is/)
    }
    await jobs.service.cancel(world.viewer, first)
    await run(await start({ ids: [await idOf(folder)] }))
  })

  it('leaves the originals in place when what was made of them is in the trash already', async () => {
    const { world, files, jobs, deps, idOf, inTrash, run, start, get, plant } = at
    const folder = await plant()
    const id = await start({ ids: [await idOf(folder)] })
    const stop = new AbortController()
    at.before = (operation) => {
      if (operation === 'list') stop.abort(new Error('Killed.'))
    }
    await runJob(deps, new Map(), id, stop.signal)
    at.before = () => {}
    const { items } = await files.list(world.viewer, { view: 'DRIVE', parentId: null, limit: 50 })
    const made = items.find(({ file }) => file.name === 'Photos' && file.accountId === null)
    await files.trash(world.viewer, [made?.file.id ?? ''])
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'FAILED' })
    const [problem] = await jobs.service.problems(world.viewer, id)
    expect(problem?.detail).toBe(
      'Not everything of it could be stored at the target. The originals stay where they are.',
    )
    expect(inTrash()).toEqual([])
  })

  it('is complete when the original got into the trash just before the server was killed', async () => {
    const { world, deps, tree, add, read, idOf, contentsOf, inTrash, run, start, get, plant } = at
    const [folder, file] = [await plant(), add('c.txt', ROOT, 'third')]
    await read()
    for (const ref of [folder, file]) {
      const id = await start({ ids: [await idOf(ref)] })
      const stop = new AbortController()
      at.before = (operation) => {
        if (operation !== 'trash') return
        const object = world.cloud.accounts.get('drive')?.objects.get(ref)
        if (!object) throw new Error('The original is gone.')
        tree().changed(Object.assign(object, { trashed: true }))
        stop.abort(new Error('The server was killed.'))
        throw stop.signal.reason
      }
      await runJob(deps, new Map(), id, stop.signal)
      at.before = () => {}
      expect(await get(id)).toMatchObject({ endedAt: null })
      // For the second one, the feed has not reported it yet.
      if (ref === folder) await read()
      await run(id)
      expect(await get(id)).toMatchObject({ state: 'DONE', failedItems: 0 })
    }
    expect(inTrash()).toEqual(['Photos', 'c.txt'])
    expect(await contentsOf(null)).toEqual([...PLANTED, 'c.txt: third'])
  })

  it('gives names that Skypool cannot store another form', async () => {
    const { add, addFolder, read, idOf, contentsOf, run, start } = at
    const folder = addFolder('a/b')
    add('1/2.txt', folder, 'x')
    await read()
    await run(await start({ ids: [await idOf(folder)] }))
    expect(await contentsOf(null)).toEqual(['a_b/', 'a_b/1_2.txt: x'])
  })

  it('waits for an account that asks to, fails for one that is gone, and tries again when asked to', async () => {
    const { world, jobs, deps, tree, add, read, idOf, inTrash, run, start, get, plant } = at
    const folder = await plant()
    let failures = 3
    at.before = (operation) => {
      if (operation !== 'get' || failures === 0) return
      failures -= 1
      const where = { provider: 'memory', operation }
      throw new ProviderError('RateLimited', where, { message: 'Slow down.', retryAfterMs: 30_000 })
    }
    const id = await start({ ids: [await idOf(folder)] })
    await runJob(deps, new Map(), id, NEVER)
    expect(await get(id)).toMatchObject({ state: 'WAITING', error: expect.stringContaining('asks to wait') })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE', error: null })

    const gone = add('gone.txt')
    const stays = add('stays.txt')
    await read()
    const ids = [await idOf(gone), await idOf(stays)]
    tree().remove(gone)
    const second = await start({ ids })
    await run(second)
    expect(await get(second)).toMatchObject({ state: 'FAILED', failedItems: 1, error: '1 item could not be moved.' })
    expect(inTrash()).toContain('stays.txt')
    await expect(jobs.service.retry(world.viewer, id)).rejects.toThrow('Only what failed can be tried again.')
    expect(await jobs.service.retry(world.viewer, second)).toMatchObject({ state: 'WAITING' })
    await run(second)
    expect(await get(second)).toMatchObject({ state: 'FAILED', failedItems: 1 })
  })

  it('replaces a file only with bytes that were received as they are, and keeps it otherwise', async () => {
    const { world, drive, other, files, deps, add, read, idOf, contentsOf, inTrash, run, start } = at
    const old = add('report.bin', ROOT, 'theirs', 'other')
    const bytes = randomBytes(2_000_000)
    const file = add('report.bin', ROOT, bytes)
    await read()
    await read(other)
    await run(await start({ kind: 'COPY', ids: [await idOf(old)] }))
    const intact = world.drivers.get(drive) as Driver
    let damaged = 1
    const damagedGet = async (...input: Parameters<Driver['get']>) => {
      const { body } = await intact.get(...input)
      if (damaged-- <= 0) return { body }
      const chunks: Buffer[] = []
      for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk)
      const all = Buffer.concat(chunks)
      all.writeUInt8(all.readUInt8(100) ^ 1, 100)
      return { body: Readable.from([all]) }
    }
    world.drivers.set(drive, { ...intact, get: damagedGet })
    const id = await start({ ids: [await idOf(file)], onConflict: 'REPLACE' })
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await runJob(deps, new Map(), id, NEVER)
      world.clock.advance(60_000)
      expect(await contentsOf(null)).toEqual(['report.bin: theirs'])
      expect(inTrash()).toEqual([])
    }
    await run(id)
    const { items } = await files.list(world.viewer, { view: 'DRIVE', parentId: null, limit: 10 })
    const [moved] = items.filter(({ file: { accountId } }) => accountId === null)
    expect((await world.read(moved?.file.id ?? '')).equals(bytes)).toBe(true)
    const { rows } = await world.pool.query(
      'select size::int from file_versions where file_id = $1 order by created_at',
      [moved?.file.id],
    )
    expect(rows).toEqual([{ size: 6 }, { size: 2_000_000 }])
    expect(inTrash()).toEqual(['report.bin'])
  })
})
