import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createFilesService } from '../../server/domain/files/service.ts'
import type { Driver, Entry, EntryRef } from '../../server/providers/driver.ts'
import { ProviderError } from '../../server/providers/errors.ts'
import { ROOT } from '../fakes/memory/cloud.ts'
import { pathDriver } from '../fakes/memory/paths.ts'
import { startTransfersWorld, type TransfersWorld } from '../setup/transfersWorld.ts'

// A file of a pool that is renamed gets its new name in its account, too: here, at a service that names entries by their paths.

const CONTENT = Buffer.from('the north wall')

let world: TransfersWorld
let drive: string
let id: string

beforeEach(async () => {
  world = await startTransfersWorld({ capabilities: { duplicateNames: false } })
  drive = await world.account('drive')
  world.drivers.set(drive, pathDriver(world.drivers.get(drive) as Driver, world.cloud, 'drive'))
  const received = await world.receive(await world.groupCloud([drive]), CONTENT, 'wall.txt')
  id = received.fileId
  await world.settleDown()
})
afterEach(async () => {
  expect(world.errors).toEqual([])
  await world.close()
})

async function rename(name: string): Promise<void> {
  await world.pool.query('update files set name = $2 where id = $1', [id, name])
  await world.housekeeping.files.renameObjects(id, new AbortController().signal)
}

async function refOf(): Promise<string> {
  const text = 'select p.object_ref as ref from pieces p join copies c on c.id = p.copy_id where c.file_id = $1'
  return (await world.pool.query(text, [id])).rows[0].ref
}

/** Puts a file where the service stores those of pools. */
function add(name: string, content: Buffer): EntryRef {
  const [stored] = world.cloud.objects('drive').filter(({ kind }) => kind === 'file')
  const parent = stored?.parent ?? ROOT
  return world.cloud.tree('drive').add({ parent, name, kind: 'file', bytes: content, mimeType: null }).ref
}

it('has the new name', async () => {
  await rename('south.txt')
  expect(world.names('drive')).toEqual(['south.txt'])
  expect(await refOf()).toMatch(/south\.txt$/)
  expect((await world.read(id)).equals(CONTENT)).toBe(true)
})

it('is found by its new name when the answer to the renaming was lost', async () => {
  world.cloud.fault = (operation) => (operation === 'move' ? { kind: 'lostReply' } : null)
  await rename('south.txt').catch(() => null)
  expect(world.names('drive')).toEqual(['south.txt'])
  expect(await refOf()).toMatch(/wall\.txt$/)
  world.cloud.fault = () => null
  // As a check marks it that does not find the object under its old path.
  await world.pool.query("update copies set state = 'MISSING' where file_id = $1", [id])
  await rename('south.txt')
  expect(await refOf()).toMatch(/south\.txt$/)
})

it('gets the name of a later renaming, too, when the answer to the first was lost', async () => {
  world.cloud.fault = (operation) => (operation === 'move' ? { kind: 'lostReply' } : null)
  await rename('south.txt').catch(() => null)
  world.cloud.fault = () => null
  await rename('east.txt')
  expect(world.names('drive')).toEqual(['east.txt'])
  expect(await refOf()).toMatch(/east\.txt$/)
})

/** As at a service that renames by copying, when it is interrupted before it deletes the original. */
async function renameHalf(name: string): Promise<void> {
  const driver = world.drivers.get(drive) as Driver
  const move: Driver['move'] = async (_, __, to) => {
    add(to.name ?? '', CONTENT)
    throw new ProviderError('Transient', { provider: 'memory', operation: 'move' }, { message: 'Interrupted.' })
  }
  world.drivers.set(drive, { ...driver, move })
  await rename(name).catch(() => null)
  world.drivers.set(drive, driver)
  expect(world.names('drive').toSorted()).toEqual([name, 'wall.txt'])
}

it('is not there twice when a renaming by copying was interrupted', async () => {
  await renameHalf('south.txt')
  await rename('south.txt')
  expect(world.names('drive')).toEqual(['south.txt'])
  expect(await refOf()).toMatch(/south\.txt$/)
  expect((await world.read(id)).equals(CONTENT)).toBe(true)
})

describe('of a deleted file', () => {
  const purge = () => createFilesService({ ...world.engineDeps(), contents: world.contents }).remove(world.viewer, [id])

  it('is deleted under its new name when the answer to the renaming was lost', async () => {
    world.cloud.fault = (operation) => (operation === 'move' ? { kind: 'lostReply' } : null)
    await rename('south.txt').catch(() => null)
    world.cloud.fault = () => null
    // A later renaming that was not done any more.
    await world.pool.query("update files set name = 'east.txt' where id = $1", [id])
    await purge()
    await world.settleDown()
    expect(world.names('drive')).toEqual([])
  })

  it('is deleted under both names when a renaming by copying was interrupted', async () => {
    await renameHalf('south.txt')
    await purge()
    await world.settleDown()
    expect(world.names('drive')).toEqual([])
  })

  it('is deleted when the file was deleted during the renaming', async () => {
    const driver = world.drivers.get(drive) as Driver
    const move: Driver['move'] = async (call, ref, to) => {
      await purge()
      // As after a removal that looked for the object under both names at the wrong moments.
      await world.pool.query('delete from object_removals')
      return (await driver.move?.(call, ref, to)) as Entry
    }
    world.drivers.set(drive, { ...driver, move })
    await rename('south.txt')
    expect(world.names('drive')).toEqual(['south.txt'])
    await world.settleDown()
    expect(world.names('drive')).toEqual([])
  })

  it('is not another file of the user with the new name, if it had to be kept', async () => {
    const driver = world.drivers.get(drive) as Driver
    const move: Driver['move'] = async () => {
      throw new ProviderError('Transient', { provider: 'memory', operation: 'move' }, { message: 'Broken.' })
    }
    world.drivers.set(drive, { ...driver, move })
    await rename('south.txt').catch(() => null)
    add('south.txt', Buffer.from('the south wall'))
    const [stored] = world.cloud.objects('drive').filter(({ name }) => name === 'wall.txt')
    world.cloud.tree('drive').remove(stored?.ref as EntryRef)
    await purge()
    await world.settleDown()
    expect(world.names('drive')).toEqual(['south.txt'])
  })
})

it('is not another file of the user with that name', async () => {
  const [stored] = world.cloud.objects('drive').filter(({ kind }) => kind === 'file')
  add('south.txt', Buffer.from('the south wall'))
  world.cloud.tree('drive').remove(stored?.ref as EntryRef)
  await rename('south.txt')
  expect(await refOf()).toMatch(/wall\.txt$/)
})
