import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runJob } from '../../server/domain/fileJobs/run.ts'
import { deleteUser } from '../../server/domain/users/deletion.ts'
import { newId } from '../../server/lib/ids.ts'
import type { Driver } from '../../server/providers/driver.ts'
import { type FileJobsWorld, NEVER, ROOT, startFileJobsWorld } from '../setup/fileJobsWorld.ts'

/** What is left at the end of a move: equal files, and moves that end early. */
let at: FileJobsWorld

beforeEach(async () => {
  at = await startFileJobsWorld()
})
afterEach(async () => {
  await at.close()
})

describe('a service that returns one object for two uploads of equal files', () => {
  /** As where equal bytes under one name are one upload: what the second one gets is what the first one has stored. */
  const asOne = async (id: string): Promise<Driver> => {
    const driver = await at.deps.openDriver(id)
    const put: Driver['put'] = (...input) => {
      const stored = puts === 1 && first ? first : driver.put(...input)
      first ??= stored
      puts += 1
      return stored
    }
    return new Proxy(driver, { get: (target, name) => (name === 'put' ? put : Reflect.get(target, name)) })
  }
  let first: ReturnType<Driver['put']> | null
  let puts: number
  beforeEach(() => {
    first = null
    puts = 0
  })

  it('has both of them after a move', async () => {
    const { world, other, add, addFolder, read, idOf, rootOf, contentsOf, start, get } = at
    const one = add('a.txt', ROOT, 'same')
    const two = add('a.txt', addFolder('Twin'), 'same')
    await read()
    const id = await start({
      ids: [await idOf(one), await idOf(two)],
      parentId: await rootOf(other),
      groupCloudId: undefined,
    })
    await runJob({ ...at.deps, openDriver: asOne }, new Map(), id, NEVER)
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(puts).toBe(3)
    expect(world.names('other').sort()).toEqual(['a (2).txt', 'a.txt'])
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: same', 'a.txt: same'])
  })

  it('has both of them also when it has reported the first one before that was known to be stored', async () => {
    const { world, other, add, addFolder, read, idOf, rootOf, contentsOf, start, get } = at
    const one = add('a.txt', ROOT, 'same')
    const two = add('a.txt', addFolder('Twin'), 'same')
    await read()
    const to = { parentId: await rootOf(other), groupCloudId: undefined }
    const id = await start({ ids: [await idOf(one), await idOf(two)], ...to })
    const openDriver = async (accountId: string) => {
      const driver = await asOne(accountId)
      const put: Driver['put'] = async (...input) => {
        const stored = await driver.put(...input)
        await read(other)
        return stored
      }
      return new Proxy(driver, { get: (target, name) => (name === 'put' ? put : Reflect.get(target, name)) })
    }
    await runJob({ ...at.deps, openDriver }, new Map(), id, NEVER)
    expect(await get(id)).toMatchObject({ state: 'DONE' })
    expect(world.names('other').sort()).toEqual(['a (2).txt', 'a.txt'])
    expect(await contentsOf(await rootOf(other))).toEqual(['a (2).txt: same', 'a.txt: same'])
  })

  it('has one of them where a name in use is an error, and the other one stays where it is', async () => {
    const { world, other, add, addFolder, read, idOf, rootOf, inTrash, start, get } = at
    const one = add('a.txt', ROOT, 'same')
    const two = add('a.txt', addFolder('Twin'), 'same')
    await read()
    const to = { parentId: await rootOf(other), groupCloudId: undefined, onConflict: 'FAIL' } as const
    const id = await start({ ids: [await idOf(one), await idOf(two)], ...to })
    await runJob({ ...at.deps, openDriver: asOne }, new Map(), id, NEVER)
    expect(await get(id)).toMatchObject({ state: 'FAILED', failedItems: 1 })
    expect(world.names('other')).toEqual(['a.txt'])
    expect(inTrash()).toEqual(['a.txt'])
  })
})

describe('a move that ends early', () => {
  /** Before the first call of this kind, `act` is done. */
  function actBefore(operation: 'get' | 'trash', act: () => Promise<unknown>): void {
    let done: Promise<unknown> | null = null
    at.before = (name) => {
      if (name !== operation || done) return undefined
      done = act()
      return done
    }
  }

  /** At once, with what is deleted in the background still to come. */
  async function deleteOwner(): Promise<void> {
    const { pool: sql, enqueue, viewer } = at.world
    const passwords = { verify: async () => true } as never
    const unused = { forget: async () => undefined } as never
    const owner = { pool: sql, enqueue, passwords, mailer: unused, activity: unused, events: at.world.events }
    await deleteUser(owner, { ...viewer, sessionId: newId() }, { password: 'any', deleteRemote: true })
  }

  it('since its user is deleted leaves all originals in their account', async () => {
    const { deps, idOf, inTrash, start, plant } = at
    const folder = await plant()
    const id = await start({ ids: [await idOf(folder)] })
    await deleteOwner()
    await runJob(deps, new Map(), id, NEVER)
    expect(inTrash()).toEqual([])
  })

  it('since its user is deleted while it reads leaves all originals in their account', async () => {
    const { deps, idOf, inTrash, start, plant } = at
    const folder = await plant()
    const id = await start({ ids: [await idOf(folder)] })
    actBefore('get', deleteOwner)
    await runJob(deps, new Map(), id, NEVER)
    expect(inTrash()).toEqual([])
  })

  it('since it was cancelled leaves the originals that are still there', async () => {
    const { world, jobs, deps, add, read, idOf, inTrash, start, get } = at
    const ids = await Promise.all([add('a.txt'), add('b.txt'), add('c.txt')])
    await read()
    const id = await start({ ids: await Promise.all(ids.map(idOf)) })
    actBefore('trash', () => jobs.service.cancel(world.viewer, id))
    await runJob(deps, new Map(), id, NEVER)
    expect(await get(id)).toMatchObject({ state: 'CANCELLED' })
    expect(inTrash()).toEqual(['a.txt'])
  })
})

it('names the session or the key that has started it, for the activity log', async () => {
  const { world, deps, add, read, idOf, start, jobs } = at
  const ref = add('a.txt', ROOT, 'bytes')
  await read()
  const fileId = await idOf(ref)
  const byKey = { userId: world.viewer.userId, sessionId: null, key: { id: newId(), scopes: [] } }
  const sessionId = newId()
  const copy = { kind: 'COPY', ids: [fileId], parentId: null, groupCloudId: at.pool } as const
  const ids = [
    (await jobs.service.start(byKey, copy)).id,
    (await jobs.service.start({ userId: world.viewer.userId, sessionId }, copy)).id,
    await start({ kind: 'TRASH', ids: [fileId] }),
  ]
  const starters: unknown[] = []
  const onEnded: (typeof deps)['onEnded'] = ({ sessionId, key }) => starters.push([sessionId, key?.id])
  for (const id of ids) await runJob({ ...deps, onEnded }, new Map(), id, NEVER)
  expect(starters).toEqual([
    [null, byKey.key.id],
    [sessionId, undefined],
    [world.viewer.sessionId, undefined],
  ])
})
