import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runJob } from '../../server/domain/fileJobs/run.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { type FileJobsWorld, PLANTED, ROOT, startFileJobsWorld } from '../setup/fileJobsWorld.ts'

/** Copying and moving over what has the name already. */
let at: FileJobsWorld

beforeEach(async () => {
  at = await startFileJobsWorld()
})
afterEach(async () => {
  await at.close()
})

describe('a copy that replaces', () => {
  it('never moves its original to the trash, nor a folder that it is in', async () => {
    const { drive, add, addFolder, read, idOf, rootOf, contentsOf, inTrash, run, start, get } = at
    const outer = addFolder('Album')
    const inner = addFolder('Album', outer)
    const file = add('a.txt', ROOT, 'first')
    add('b.txt', inner, 'second')
    await read()
    const to = { kind: 'COPY', parentId: await rootOf(drive), groupCloudId: undefined, onConflict: 'REPLACE' } as const
    for (const ref of [file, inner, outer]) {
      const id = await start({ ...to, ids: [await idOf(ref)] }).catch(() => null)
      if (id === null) continue
      await run(id)
      expect(await get(id)).toMatchObject({ state: 'FAILED' })
    }
    expect(inTrash()).toEqual([])
    expect(await contentsOf(await rootOf(drive))).toEqual([
      'Album/',
      'Album/Album/',
      'Album/Album/b.txt: second',
      'a.txt: first',
    ])
  })
})

describe('what is replaced in an account', () => {
  const to = async () =>
    ({ kind: 'COPY', parentId: await at.rootOf(at.other), groupCloudId: undefined, onConflict: 'REPLACE' }) as const
  const refuse = (wanted: string, code: 'Forbidden' | 'Transient') => {
    at.before = (operation) => {
      if (operation !== wanted) return
      throw new ProviderError(code, { provider: 'memory', operation }, { message: 'It is refused.' })
    }
  }

  it('stays where it is when the copy cannot be stored', async () => {
    const { world, other, jobs, add, read, idOf, rootOf, contentsOf, inTrash, run, start, get } = at
    const file = add('a.txt', ROOT, 'mine')
    add('a.txt', ROOT, 'theirs', 'other')
    await Promise.all([read(), read(other)])
    refuse('put', 'Forbidden')
    const id = await start({ ...(await to()), ids: [await idOf(file)] })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'FAILED' })
    expect([await contentsOf(await rootOf(other)), inTrash('other')]).toEqual([['a.txt: theirs'], []])
    at.before = () => {}
    await jobs.service.retry(world.viewer, id)
    await run(id)
    expect([await contentsOf(await rootOf(other)), inTrash('other')]).toEqual([['a.txt: mine'], ['a.txt']])
  })

  it('stays where it is until everything of a folder is stored', async () => {
    const { world, other, jobs, add, addFolder, read, idOf, rootOf, contentsOf, inTrash, run, start, get, plant } = at
    const folder = await plant()
    add('old.txt', addFolder('Photos', ROOT, 'other'), 'old', 'other')
    await Promise.all([read(), read(other)])
    refuse('put', 'Forbidden')
    const id = await start({ ...(await to()), ids: [await idOf(folder)] })
    await run(id)
    expect(await get(id)).toMatchObject({ state: 'FAILED', failedItems: 2 })
    expect(inTrash('other')).toEqual([])
    expect(await contentsOf(await rootOf(other))).toContain('Photos/old.txt: old')
    at.before = () => {}
    await jobs.service.retry(world.viewer, id)
    await run(id)
    expect([await contentsOf(await rootOf(other)), inTrash('other')]).toEqual([PLANTED, ['Photos']])
  })

  it('is kept beside the copy, with a message, when it cannot be moved to the trash', async () => {
    const { world, other, jobs, add, read, idOf, rootOf, contentsOf, inTrash, run, start } = at
    const file = add('a.txt', ROOT, 'mine')
    add('a.txt', ROOT, 'theirs', 'other')
    await Promise.all([read(), read(other)])
    refuse('trash', 'Forbidden')
    const id = await start({ ...(await to()), kind: 'MOVE', ids: [await idOf(file)] })
    await run(id)
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: mine', 'a.txt: theirs'])
    expect([inTrash(), inTrash('other')]).toEqual([[], []])
    const [problem] = await jobs.service.problems(world.viewer, id)
    expect(problem?.detail).toBe(
      'It was stored as “a (2).txt”, and replaces nothing: “other” does not allow this for “a.txt”.',
    )
    at.before = () => {}
    await jobs.service.retry(world.viewer, id)
    await run(id)
    expect(await contentsOf(await rootOf(other))).toEqual(['a.txt: mine'])
    expect([inTrash(), inTrash('other')]).toEqual([['a.txt'], ['a.txt']])
  })

  it('is not touched when the account does not allow deleting it', async () => {
    const { world, other, jobs, add, read, idOf, rootOf, contentsOf, run, start } = at
    const file = add('a.txt', ROOT, 'mine')
    world.cloud.setRights('other', add('a.txt', ROOT, 'theirs', 'other'), { delete: false })
    await Promise.all([read(), read(other)])
    const id = await start({ ...(await to()), ids: [await idOf(file)] })
    await run(id)
    expect(await contentsOf(await rootOf(other))).toEqual(['a.txt: theirs'])
    const [problem] = await jobs.service.problems(world.viewer, id)
    expect(problem?.detail).toContain('“a.txt” cannot be replaced')
  })

  it('is replaced by what the original is now, when that was changed while the server was down', async () => {
    const { world, other, deps, add, read, idOf, rootOf, contentsOf, run, start } = at
    const file = add('a.txt', ROOT, 'first')
    add('a.txt', ROOT, 'theirs', 'other')
    await Promise.all([read(), read(other)])
    const id = await start({ ...(await to()), ids: [await idOf(file)] })
    // The copy is in the index, and the server ends before the job knows.
    const killed = new AbortController()
    const events: typeof deps.events = {
      ...deps.events,
      publish(topic, ...rest) {
        deps.events.publish(topic, ...rest)
        if (topic !== 'filesChanged') return
        killed.abort(new Error('The server was killed.'))
        throw killed.signal.reason
      },
    }
    await runJob({ ...deps, events }, new Map(), id, killed.signal)
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: first', 'a.txt: theirs'])
    world.cloud.overwrite('drive', file, Buffer.from('second'))
    await read()
    await run(id)
    expect(await contentsOf(await rootOf(other))).toEqual(['a.txt: second'])
  })
})
