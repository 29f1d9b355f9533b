import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runJob } from '../../server/domain/fileJobs/run.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { type FileJobsWorld, NEVER, PLANTED, ROOT, startFileJobsWorld } from '../setup/fileJobsWorld.ts'

/** Copying and moving by a server that is killed again and again. */
let at: FileJobsWorld

beforeEach(async () => {
  at = await startFileJobsWorld()
})
afterEach(async () => {
  await at.close()
})

/**
 * Ends the process before the n-th call of a service, for each n, and lets each account fail in between: at every moment each file is
 * complete at the target, or still at its source; and at the end it is at the target once.
 */
describe('after a kill before any call', () => {
  const LARGE = randomBytes(250_000)

  async function plantLarge(): Promise<string> {
    const { add, read, idOf, plant } = at
    const folder = await plant()
    add('large.bin', folder, LARGE)
    await read()
    return idOf(folder)
  }

  async function killAtEachCall(id: string, isSafe: () => Promise<void>): Promise<number> {
    const { world, deps, get } = at
    let calls = 0
    let kills = 0
    for (let round = 1; round < 400; round += 1) {
      const job = await get(id)
      if (job.endedAt !== null) break
      const stop = new AbortController()
      calls = 0
      at.before = (operation) => {
        calls += 1
        const where = { provider: 'memory', operation }
        if (calls === round) {
          kills += 1
          stop.abort(new Error('The server was killed.'))
          throw new ProviderError('Transient', where, { message: 'It was killed.' })
        }
        if (calls % 7 === 3 && round % 3 === 0)
          throw new ProviderError('Transient', where, { message: 'It fails now and then.' })
      }
      await runJob(deps, new Map(), id, stop.signal).catch(() => undefined)
      at.before = () => {}
      await isSafe()
      world.clock.advance(60_000)
      await world.report.whenIdle()
    }
    return kills
  }

  const EXPECTED = [...PLANTED, `Photos/large.bin: ${LARGE.toString().slice(0, 40)}`].sort()

  it('moves from an account into a group cloud', async () => {
    const { contentsOf, inTrash, start, get } = at
    const source = await plantLarge()
    const id = await start({ ids: [source] })
    const kills = await killAtEachCall(id, async () => {
      if (inTrash().length > 0) expect((await contentsOf(null)).length).toBe(EXPECTED.length)
    })
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(kills).toBeGreaterThan(5)
    expect((await contentsOf(null)).map((line) => line.slice(0, 20))).toEqual(EXPECTED.map((line) => line.slice(0, 20)))
    expect(inTrash()).toEqual(['Photos'])
  })

  it('moves from an account to another one', async () => {
    const { world, other, rootOf, inTrash, start, get } = at
    const source = await plantLarge()
    const id = await start({ ids: [source], parentId: await rootOf(other), groupCloudId: undefined })
    const there = () => world.cloud.objects('other').filter(({ kind, trashed }) => kind === 'file' && !trashed)
    const kills = await killAtEachCall(id, async () => {
      if (inTrash().length > 0) expect(there().length).toBe(3)
    })
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(kills).toBeGreaterThan(5)
    expect(
      there()
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['a.txt', 'b.txt', 'large.bin'])
    expect(
      there()
        .find(({ name }) => name === 'large.bin')
        ?.bytes.equals(LARGE),
    ).toBe(true)
    expect(
      world.cloud
        .objects('other')
        .filter(({ kind }) => kind === 'folder')
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['2024', 'Empty', 'Photos'])
    expect(inTrash()).toEqual(['Photos'])
  })

  it.each([
    ['file', 'COPY', ['a.txt: mine']],
    ['folder', 'COPY', PLANTED],
    ['folder', 'MOVE', PLANTED],
  ] as const)(
    'replaces a %s, which is in the folder until the new one is complete there (%s)',
    async (what, kind, made) => {
      const { world, other, add, addFolder, read, idOf, rootOf, contentsOf, inTrash, start, get, plant } = at
      const folder = await plant()
      const ref = what === 'folder' ? folder : add('a.txt', ROOT, 'mine')
      const theirs = what === 'folder' ? addFolder('Photos', ROOT, 'other') : ROOT
      add(what === 'folder' ? 'old.txt' : 'a.txt', theirs, 'theirs', 'other')
      await Promise.all([read(), read(other)])
      const target = await rootOf(other)
      const id = await start({
        kind,
        ids: [await idOf(ref)],
        parentId: target,
        groupCloudId: undefined,
        onConflict: 'REPLACE',
      })
      const live = () => world.cloud.objects('other').filter(({ trashed, kind: one }) => !trashed && one === 'file')
      const kills = await killAtEachCall(id, async () => {
        if (inTrash('other').length > 0) expect(live()).toHaveLength(what === 'folder' ? 2 + 1 : 1)
      })
      expect(await get(id)).toMatchObject({ state: 'DONE' })
      expect(kills).toBeGreaterThan(5)
      expect(await contentsOf(target)).toEqual(made)
      expect(inTrash('other')).toEqual([what === 'folder' ? 'Photos' : 'a.txt'])
    },
  )

  it('makes a folder that replaces another one once', async () => {
    const {
      world,
      other,
      files,
      deps,
      add,
      addFolder,
      read,
      idOf,
      rootOf,
      contentsOf,
      inTrash,
      run,
      start,
      get,
      plant,
    } = at
    const folder = await plant()
    const theirs = addFolder('Photos', ROOT, 'other')
    add('old.txt', theirs, 'old', 'other')
    await read(other)
    const to = { parentId: await rootOf(other), groupCloudId: undefined, onConflict: 'REPLACE' } as const
    const id = await start({ ids: [await idOf(folder)], ...to })
    let kills = 1
    const createFolder: typeof files.createFolder = async (...input) => {
      const made = await files.createFolder(...input)
      if (kills-- > 0) throw new Error('The server was killed.')
      return made
    }
    const killed = { ...deps, files: { ...files, createFolder }, onError: () => undefined }
    await runJob(killed, new Map(), id, NEVER)
    world.clock.advance(60_000)
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(await contentsOf(await rootOf(other))).toEqual(PLANTED)
    expect(inTrash('other')).toEqual(['Photos'])
    expect(inTrash()).toEqual(['Photos'])
  })
})
