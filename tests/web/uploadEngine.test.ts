import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createFolderMaker, type FolderDoor } from '../../web/features/Transfers/folderMaker.ts'
import { detailText } from '../../web/features/Transfers/messages.ts'
import { createResumeStore, forgetTransfers } from '../../web/features/Transfers/resumeStore.ts'
import { createTransfersStore } from '../../web/features/Transfers/transfersStore.ts'
import { type BatchEnd, UploadEngine } from '../../web/features/Transfers/uploadEngine.ts'
import { fileEntries } from '../../web/lib/dropEntries.ts'
import { startFakeTus } from './support/fakeTus.ts'

// Real requests on a busy machine.

const TARGET = { parentId: 'file_folder', groupCloudId: 'gcl_1', place: 'Trip' }
const BIG = 9 * 1024 * 1024

let server: Awaited<ReturnType<typeof startFakeTus>>

beforeEach(async () => {
  server = await startFakeTus()
  ;(window as unknown as { happyDOM: { setURL: (url: string) => void } }).happyDOM.setURL(server.origin)
})

afterEach(async () => {
  localStorage.clear()
  await server.close()
})

const noFolders: FolderDoor = { create: () => Promise.reject(new Error('unused')), find: () => Promise.resolve(null) }

function setUp(door: FolderDoor = noFolders) {
  const store = createTransfersStore()
  const resumes = createResumeStore('user_1')
  const ends: BatchEnd[] = []
  let ids = 0
  const engine = new UploadEngine({
    store,
    resumes,
    folders: createFolderMaker(door),
    endpoint: server.endpoint,
    newId: () => `id-${++ids}`,
    loadTus: () => import('../../web/features/Transfers/tusUpload.ts'),
    onUploaded: () => undefined,
    onBatchEnd: (end) => ends.push(end),
  })
  const states = () => store.all().map(({ state }) => state)
  const until = (check: () => void) => vi.waitFor(check, { timeout: 120_000, interval: 10 })
  return { store, resumes, engine, ends, states, until }
}

const file = (name: string, bytes: string | Uint8Array<ArrayBuffer> = 'hello') =>
  new File([bytes], name, { type: 'text/plain', lastModified: 5 })
const bigFile = (name = 'big.bin') => file(name, new Uint8Array(BIG).fill(7))

test('a small file goes in one request, with everything the server needs to know', async () => {
  const { engine, store, ends, until } = setUp()
  engine.upload(fileEntries([file('Grüße.txt')]), TARGET)
  await until(() => expect(ends).toEqual([{ batchId: 'id-1', uploaded: 1, moved: [], failures: [] }]))
  expect(server.requests.map(({ method }) => method)).toEqual(['POST'])
  expect(server.requests[0]?.key).toBe('id-2-1')
  expect(server.files[0]?.bytes.toString()).toBe('hello')
  expect(server.files[0]?.metadata).toEqual({
    filename: 'Grüße.txt',
    filetype: 'text/plain',
    groupCloudId: 'gcl_1',
    parentId: 'file_folder',
    onConflict: 'FAIL',
  })
  expect(store.all()[0]).toMatchObject({ state: 'done', fileId: 'file_1', sent: 5 })
})

test('a file whose folder is gone when it has arrived is said to be where it is', async () => {
  const { engine, store, ends, until } = setUp()
  server.gone.add('file_folder')
  engine.upload(fileEntries([file('a.txt')]), TARGET)
  await until(() => expect(ends).toMatchObject([{ uploaded: 1, moved: [{ name: 'a.txt', movedTo: 'My Drive' }] }]))
  expect(store.all().map(detailText)).toEqual(['Now in My Drive, because “Trip” is gone · 5 Bytes'])
  engine.upload(fileEntries([file('b.txt')]), { ...TARGET, parentId: 'file_other' })
  await until(() => expect(ends).toMatchObject([{}, { uploaded: 1, moved: [] }]))
  expect(store.all().map(detailText)[1]).toBe('Trip · 5 Bytes')
})

test('an empty file is a file too', async () => {
  const { engine, states, until } = setUp()
  engine.upload(fileEntries([file('empty.txt', '')]), TARGET)
  await until(() => expect(states()).toEqual(['done']))
  expect(server.files[0]?.bytes.length).toBe(0)
})

test('three files at a time, in order', async () => {
  const { engine, states, until } = setUp()
  let open: () => void = () => undefined
  server.gate.open = new Promise((resolve) => {
    open = resolve
  })
  engine.upload(fileEntries(['1', '2', '3', '4', '5'].map((name) => file(name))), TARGET)
  await until(() => expect(server.requests).toHaveLength(3))
  expect(states()).toEqual(['running', 'running', 'running', 'queued', 'queued'])
  open()
  await until(() => expect(states().every((state) => state === 'done')).toBe(true))
  expect(server.mostAtOnce()).toBe(3)
})

test('a cut connection goes on where it stopped', async () => {
  const { engine, states, resumes, until } = setUp()
  server.faults.push({ method: 'PATCH', cut: true })
  engine.upload(fileEntries([bigFile()]), TARGET)
  await until(() => expect(states()).toEqual(['done']))
  expect(server.requests.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'HEAD', 'PATCH'])
  expect(server.files[0]?.bytes.equals(Buffer.alloc(BIG, 7))).toBe(true)
  expect(resumes.list()).toEqual([])
})

test('pause keeps what has arrived, resume sends the rest', async () => {
  const { engine, store, states, resumes, until } = setUp()
  engine.upload(fileEntries([bigFile()]), TARGET)
  const [id = ''] = store.all().map((transfer) => transfer.id)
  await until(() => expect(resumes.list()).toHaveLength(1))
  engine.pause(id)
  expect(states()).toEqual(['paused'])
  engine.resume(id)
  await until(() => expect(states()).toEqual(['done']))
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  expect(server.files).toHaveLength(1)
})

test('a paused file frees its place for the next one', async () => {
  const { engine, store, states, until } = setUp()
  server.gate.open = new Promise(() => undefined)
  engine.upload(fileEntries(['1', '2', '3', '4'].map((name) => file(name))), TARGET)
  await until(() => expect(server.requests).toHaveLength(3))
  engine.pause(store.all()[0]?.id ?? '')
  expect(states()).toEqual(['paused', 'running', 'running', 'running'])
})

test('cancel deletes what the server has and takes the row away', async () => {
  const { engine, store, resumes, until } = setUp()
  engine.upload(fileEntries([bigFile()]), TARGET)
  await until(() => expect(resumes.list()).toHaveLength(1))
  engine.cancel(store.all()[0]?.id ?? '')
  await until(() => expect(server.uploads.size).toBe(0))
  expect(store.all()).toEqual([])
  expect(resumes.list()).toEqual([])
})

test("a refused file says why in the server's words and can be tried again", async () => {
  const { engine, store, ends, states, until } = setUp()
  const body = JSON.stringify({ code: 'STORAGE_FULL', detail: '5 Bytes are needed, 2 Bytes are free.' })
  server.faults.push({ method: 'POST', status: 507, body })
  engine.upload(fileEntries([file('a.txt')]), TARGET)
  await until(() => expect(states()).toEqual(['failed']))
  expect(store.all()[0]?.error).toBe('5 Bytes are needed, 2 Bytes are free.')
  expect(ends).toMatchObject([{ uploaded: 0, failures: [{ name: 'a.txt' }] }])
  engine.resume(store.all()[0]?.id ?? '')
  await until(() => expect(states()).toEqual(['done']))
})

test('a busy server is asked again without a word', async () => {
  const { engine, states, until } = setUp()
  server.faults.push({ method: 'POST', status: 503 })
  engine.upload(fileEntries([file('a.txt')]), TARGET)
  await until(() => expect(states()).toEqual(['done']))
  expect(server.requests.map(({ key }) => key)).toEqual(['id-2-1', 'id-2-1'])
})

test('a taken name is asked about, and the answer can count for all', async () => {
  const { engine, store, states, ends, until } = setUp()
  engine.upload(fileEntries([file('a.txt'), file('b.txt')]), TARGET)
  await until(() => expect(states()).toEqual(['done', 'done']))
  engine.upload(fileEntries([file('a.txt'), file('b.txt'), file('c.txt')]), TARGET)
  await until(() => expect(states().slice(2)).toEqual(['asking', 'asking', 'done']))
  expect(ends).toHaveLength(1)
  engine.answerConflict(store.all()[2]?.id ?? '', 'RENAME', true)
  await until(() => expect(ends).toHaveLength(2))
  expect(server.files.slice(3).map(({ metadata }) => metadata.onConflict)).toEqual(['RENAME', 'RENAME'])
  expect(ends[1]).toMatchObject({ uploaded: 3, failures: [] })
})

test('skip leaves the file there alone', async () => {
  const { engine, store, states, ends, until } = setUp()
  engine.upload(fileEntries([file('a.txt')]), TARGET)
  await until(() => expect(states()).toEqual(['done']))
  engine.upload(fileEntries([file('a.txt', 'other')]), TARGET)
  await until(() => expect(states()[1]).toBe('asking'))
  engine.answerConflict(store.all()[1]?.id ?? '', 'SKIP', false)
  expect(states()[1]).toBe('skipped')
  expect(ends[1]).toMatchObject({ uploaded: 0, failures: [] })
  expect(server.files).toHaveLength(1)
})

test('after a reload the same file goes on where it was', async () => {
  const before = setUp()
  before.engine.upload(fileEntries([bigFile()]), TARGET)
  await before.until(() => expect(before.resumes.list()).toHaveLength(1))
  before.engine.stop()

  const { engine, resumes, states, until } = setUp()
  expect(resumes.list()).toMatchObject([{ name: 'big.bin', size: BIG, parentId: 'file_folder', place: 'Trip' }])
  expect(engine.continueUploads([file('another.bin')], resumes.list())).toEqual([])
  engine.continueUploads([bigFile()], resumes.list())
  await until(() => expect(states()).toEqual(['done']))
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(1)
  expect(server.files[0]?.bytes.length).toBe(BIG)
  expect(resumes.list()).toEqual([])
})

test('logout forgets the names of unfinished uploads', () => {
  const entry = { uploadUrl: '/u/1', name: 'secret.pdf', size: 1, lastModified: 1 }
  createResumeStore('user_1').remember({ ...entry, parentId: null, groupCloudId: null, place: 'My Drive' })
  forgetTransfers()
  expect(createResumeStore('user_1').list()).toEqual([])
})

test('a dropped folder is made once, also when it is there already', async () => {
  const asked: string[] = []
  const door: FolderDoor = {
    create: (name, parentId) => {
      asked.push(`${parentId}/${name}`)
      return Promise.resolve(name === 'Old' ? { taken: true } : { id: `made_${name}` })
    },
    find: () => Promise.resolve('found_Old'),
  }
  const { engine, states, until } = setUp(door)
  const entries = [
    { kind: 'FOLDER', folders: ['Old'] },
    { kind: 'FILE', file: file('a.txt'), folders: ['Old'] },
    { kind: 'FOLDER', folders: ['Old', 'Empty'] },
    { kind: 'FILE', file: file('b.txt'), folders: ['Old'] },
  ] as const
  engine.upload(entries, TARGET)
  await until(() => expect(states()).toEqual(['done', 'done']))
  expect(server.files.map(({ metadata }) => metadata.parentId)).toEqual(['found_Old', 'found_Old'])
  expect(asked.sort()).toEqual(['file_folder/Old', 'found_Old/Empty'])
})

test('a file in the way of a folder is said in words', async () => {
  const door: FolderDoor = { create: () => Promise.resolve({ taken: true }), find: () => Promise.resolve(null) }
  const { engine, store, states, until } = setUp(door)
  engine.upload([{ kind: 'FILE', file: file('a.txt'), folders: ['Notes'] }], TARGET)
  await until(() => expect(states()).toEqual(['failed']))
  expect(store.all()[0]?.error).toBe('A file named Notes already exists. Rename it, then retry.')
})

test('a stopped engine sends nothing more, not even what waits for the connection', async () => {
  const { engine, states, until } = setUp()
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  await server.close()
  engine.upload(fileEntries([file('a.txt')]), TARGET)
  await until(() => expect(states()).toEqual(['offline']))
  engine.stop()
  engine.retryOffline()
  expect(states()).toEqual(['offline'])
  vi.restoreAllMocks()
  server = await startFakeTus()
})

test('what waits for a connection has not failed, and goes on when it is back', async () => {
  const { engine, ends, states, until } = setUp()
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const dead = server.gate.open
  server.gate.open = Promise.reject(new Error('cut'))
  server.gate.open.catch(() => undefined)
  engine.upload(fileEntries([file('a.txt')]), TARGET)
  await until(() => expect(states()).toEqual(['offline']))
  expect(ends).toEqual([])
  vi.restoreAllMocks()
  server.gate.open = dead
  engine.retryOffline()
  await until(() => expect(states()).toEqual(['done']))
  expect(ends).toMatchObject([{ uploaded: 1, failures: [] }])
})
