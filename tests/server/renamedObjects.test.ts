import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Driver, EntryRef } from '../../server/providers/driver.ts'
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

it('is not another file of the user with that name', async () => {
  const [stored] = world.cloud.objects('drive').filter(({ kind }) => kind === 'file')
  add('south.txt', Buffer.from('the south wall'))
  world.cloud.tree('drive').remove(stored?.ref as EntryRef)
  await rename('south.txt')
  expect(await refOf()).toMatch(/wall\.txt$/)
})
