import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBatcher } from '../../server/lib/concurrency.ts'
import { createObjectStore, type ObjectStore } from '../../server/storage/objectStore.ts'
import { BUTTON_TO_COMMIT, type Chains, checkSteps, startChains, wayOf } from '../tools/shape/chains.ts'

const CONCURRENCY = 'server/lib/concurrency.ts'
const SOURCE = 'server/storage/byteSource.ts'
const STORE = 'server/storage/objectStore.ts'
const TEXT = Buffer.from('Text')

let dataDir: string
let store: ObjectStore
let chains: Chains

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'skypool-chains-'))
  store = await createObjectStore(dataDir)
  chains = startChains()
})

afterEach(async () => {
  chains.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function writeText(): Promise<string> {
  const objectId = randomUUID()
  const writer = store.create(objectId)
  await writer.write(TEXT)
  await writer.sync()
  await writer.close()
  return objectId
}

test('a way goes from the entry to the end, through whatever is between them', () => {
  const inner = {
    kind: 'sql',
    files: ['sql.ts', 'service.ts', 'route.ts', 'service.ts', 'route.ts', 'app.ts'],
  } as const
  const elsewhere = { kind: 'storage', files: ['disk.ts', 'job.ts'] } as const
  const { files, longest } = wayOf([elsewhere, inner], ['route.ts'])
  expect([...files].sort()).toEqual(['route.ts', 'service.ts', 'sql.ts'])
  expect(longest).toEqual(['route.ts', 'service.ts', 'sql.ts'])
})

test('a stream leads to the reads of its bytes', async () => {
  const objectId = await writeText()
  const found = await chains.chainsOf(async () => {
    for await (const chunk of store.open(objectId, TEXT.length).read(0, TEXT.length - 1)) expect(chunk).toEqual(TEXT)
  })
  // Test files run in one process: a server of an earlier file may still be closing its database connections.
  const ofStream = found.filter(({ files }) => files.includes(SOURCE))
  expect(ofStream.length).toBeGreaterThan(0)
  expect(new Set(ofStream.map(({ kind }) => kind))).toEqual(new Set(['storage']))
  expect(wayOf(found, [SOURCE]).longest).toEqual([SOURCE, STORE])
})

test('a batch leads from the first of its items to what is done with it', async () => {
  const objectId = await writeText()
  const sizeOf = createBatcher<string, number | null>({
    limit: 2,
    run: (ids) => Promise.all(ids.map(async (id) => ({ ok: true, value: await store.size(id) }) as const)),
  })
  const found = await chains.chainsOf(async () => expect(await sizeOf(objectId)).toBe(TEXT.length))
  expect(wayOf(found, [CONCURRENCY]).longest).toEqual([CONCURRENCY, 'server/lib/cause.ts', STORE])
})

test('what is reached outside of the walk is not found', async () => {
  const objectId = await writeText()
  expect(await chains.chainsOf(async () => {})).toEqual([])
  chains.stop()
  expect(await chains.chainsOf(async () => void (await store.size(objectId)))).toEqual([])
})

test('the steps from the button to the commit are those of the web client', () => {
  expect(() => checkSteps(BUTTON_TO_COMMIT)).not.toThrow()
  expect(() => checkSteps([{ path: 'web/relay/runMutation.ts', calls: 'skips a step' }])).toThrow('skips a step')
})
