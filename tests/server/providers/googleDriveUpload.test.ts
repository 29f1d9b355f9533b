import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Driver, Entry } from '../../../server/providers/driver.ts'
import { type GoogleStage, startGoogle } from './googleStage.ts'
import {
  bytesOf,
  call,
  contentOf,
  digestOf,
  failure,
  newEntry,
  progressOf,
  readAll,
  type TestContent,
} from './providerHarness.ts'

const CHUNK = 256 * 1024
let stage: GoogleStage
let drive: Driver

beforeEach(async () => {
  stage = await startGoogle({ chunkBytes: CHUNK, smallBytes: 1000 })
  drive = stage.open()
})
afterEach(() => stage.close())

const put = (content: TestContent, progress = progressOf(), driver = drive, name = 'thing.bin'): Promise<Entry> =>
  driver.put(call(), newEntry(driver.root, name, content.size), content, progress)
const large = contentOf.bind(null, bytesOf(3 * CHUNK + 17))
const names = async (): Promise<string[]> => (await stage.objects()).map(({ name }) => name)

async function expectStored(entry: Entry, content: TestContent): Promise<void> {
  expect(entry).toMatchObject({ size: content.size, hash: digestOf('md5', content.bytes), kind: 'file' })
  expect((await readAll(drive.get(call(), entry.ref))).equals(content.bytes)).toBe(true)
  expect(await names()).toEqual(['thing.bin'])
  expect(stage.bugs()).toEqual([])
}

describe('an upload', () => {
  for (const size of [0, 1, 1000, 1001, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK]) {
    it(`of ${size} bytes is there`, async () => {
      const content = contentOf(bytesOf(size))
      const progress = progressOf()
      await expectStored(await put(content, progress), content)
      expect(progress.told.at(-1)).toBe(size)
    })
  }

  it('asks for ids once for many files', async () => {
    for (const name of ['a', 'b', 'c']) await put(contentOf(bytesOf(10)), progressOf(), drive, name)
    expect(stage.count('drive.files.generateIds')).toBe(1)
  })

  it('goes on from where Drive says, after 503 with a part of a chunk kept', async () => {
    stage.plan({ kind: 'serverError', operation: 'drive.upload.chunk', bytes: CHUNK })
    const content = contentOf(bytesOf(6 * CHUNK + 1))
    await expectStored(await put(content, progressOf(), stage.open({ chunkBytes: 2 * CHUNK })), content)
    expect(content.opened).toEqual([0, CHUNK])
  })

  it('goes on after a chunk whose answer was lost, without sending it again', async () => {
    stage.plan({ kind: 'lostReply', operation: 'drive.upload.chunk' })
    const content = large()
    await expectStored(await put(content), content)
    expect(content.opened).toEqual([0, CHUNK])
  })

  it('is found when the last answer is lost, at the end of parts and for a small file', async () => {
    stage.plan({ kind: 'lostReply', operation: 'drive.upload.chunk', after: 3 })
    const content = large()
    await expectStored(await put(content), content)
    stage.plan({ kind: 'lostReply', operation: 'drive.files.create' })
    const small = await put(contentOf(bytesOf(500)), progressOf(), drive, 'small.bin')
    expect(small.size).toBe(500)
    expect(await names()).toEqual(['thing.bin', 'small.bin'])
  })

  it('is adopted by a later put, with the session or without one of Drive', async () => {
    const content = large()
    stage.plan({ kind: 'lostReply', operation: 'drive.upload.chunk', after: 3 })
    stage.plan({ kind: 'refuse', operation: 'drive.upload.status' })
    const progress = progressOf()
    await failure(put(content, progress), 'Transient')
    await expectStored(await put(content, progressOf(progress.saved.at(-1)), stage.open()), content)
    expect(content.opened).toEqual([0])
    stage.loseSessions()
    await expectStored(await put(content, progressOf(progress.saved.at(-1)), stage.open()), content)
    expect(content.opened).toEqual([0])
  })

  it('continues in a new driver from the saved session, and sends nothing twice', async () => {
    const stop = new AbortController()
    const content = large()
    const progress = progressOf(null, (bytes) => bytes >= 2 * CHUNK && stop.abort(new Error('killed')))
    const entry = newEntry(drive.root, 'thing.bin', content.size)
    await expect(drive.put(call(stop.signal), entry, content, progress)).rejects.toThrow('killed')
    const again = progressOf(progress.saved.at(-1))
    const stored = await put(content, again, stage.open())
    await expectStored(stored, content)
    expect(content.opened).toEqual([0, 2 * CHUNK])
    expect(again.told[0]).toBe(2 * CHUNK)
  })

  it('is Transient when nothing of a chunk was kept, and begins at 0 when it is continued', async () => {
    const content = large()
    const progress = progressOf()
    stage.plan({ kind: 'serverError', operation: 'drive.upload.chunk', bytes: 0 })
    await failure(put(content, progress), 'Transient')
    await expectStored(await put(content, progressOf(progress.saved.at(-1))), content)
    expect(content.opened).toEqual([0, 0])
  })

  it('sends what is missing after a connection that broke in the middle of a chunk', async () => {
    stage.plan({ kind: 'cutUp', operation: 'drive.upload.chunk', bytes: 3 * CHUNK - 5 })
    const content = contentOf(bytesOf(5 * CHUNK))
    await expectStored(await put(content, progressOf(), stage.open({ chunkBytes: 4 * CHUNK })), content)
    expect(content.opened).toEqual([0, 2 * CHUNK])
  })

  it('begins anew when Drive knows the session no more, also in mid-upload', async () => {
    const content = large()
    const once = [stage.loseSessions]
    const progress = progressOf(null, (bytes) => bytes === CHUNK && once.pop()?.())
    await expectStored(await put(content, progress), content)
    expect(content.opened).toEqual([0, 0])
    expect(progress.saved).toHaveLength(3)
  })

  it('is found when another process has finished it meanwhile, by another session', async () => {
    const content = large()
    const progress = progressOf()
    stage.plan({ kind: 'expired', operation: 'drive.upload.chunk', after: 1 })
    await failure(put(content, progress), 'AuthExpired')
    const [first = '', second = ''] = progress.saved
    // The one that only knows the id opens a session of its own.
    const once = [() => put(content, progressOf(second), stage.open())]
    const racing = { ...progressOf(first), save: async () => void (await once.pop()?.()) }
    await expectStored(await put(content, racing), content)
  })

  it('tells of an access that ended in mid-upload, and continues with another', async () => {
    stage.plan({ kind: 'expired', operation: 'drive.upload.chunk', after: 1 })
    const progress = progressOf()
    const content = large()
    await failure(put(content, progress), 'AuthExpired')
    await expectStored(await put(content, progressOf(progress.saved.at(-1)), stage.open()), content)
  })

  it('is RateLimited with the time to wait, and asks no more', async () => {
    stage.plan({ kind: 'rateLimit', operation: 'drive.upload.chunk', retryAfter: 7 })
    const error = await failure(put(large()), 'RateLimited')
    expect(error.detail.retryAfterMs).toBe(7000)
    expect(stage.count('drive.upload.status')).toBe(0)
  })

  it('is QuotaExceeded at its start, in one request, and at its end, and leaves nothing', async () => {
    for (const operation of ['drive.upload.start', 'drive.upload.chunk']) {
      stage.plan({ kind: 'full', operation })
      await failure(put(large()), 'QuotaExceeded')
    }
    stage.plan({ kind: 'full', operation: 'drive.files.create' })
    await failure(put(contentOf(bytesOf(10))), 'QuotaExceeded')
    expect(await names()).toEqual([])
  })

  it('removes what Drive stored shorter, and is Corrupt', async () => {
    stage.plan({ kind: 'truncate', operation: 'drive.upload.chunk' })
    await failure(put(large()), 'Corrupt')
    stage.plan({ kind: 'truncate', operation: 'drive.files.create' })
    await failure(put(contentOf(bytesOf(10))), 'Corrupt')
    expect(await names()).toEqual([])
  })

  it('says what Drive says when that is not there: the caller looks', async () => {
    stage.plan({ kind: 'vanish', operation: 'drive.upload.chunk' })
    const entry = await put(large())
    await failure(drive.stat(call(), entry.ref), 'NotFound')
  })

  it('is Corrupt when the content ends early, and nothing of it stays', async () => {
    for (const size of [100, 2 * CHUNK]) {
      const content = contentOf(bytesOf(size))
      const entry = newEntry(drive.root, 'thing.bin', size + 50)
      const progress = progressOf()
      await failure(drive.put(call(), entry, content, progress), 'Corrupt')
    }
    expect(await names()).toEqual([])
  })

  it('is NotFound when the folder is in the trash, and leaves nothing there', async () => {
    const folder = await drive.ensureFolder(call(), drive.root, 'Home')
    await stage.alter({ id: folder, trashed: true })
    const content = contentOf(bytesOf(10))
    await failure(drive.put(call(), newEntry(folder, 'x', 10), content, progressOf()), 'NotFound')
    expect(await names()).toEqual(['Home'])
  })

  it('sends nothing for a name or a size that Drive refuses', async () => {
    const content = contentOf(bytesOf(1))
    for (const name of ['', 'a'.repeat(256), 'a\0b', 'lone \ud800']) {
      await failure(put(content, progressOf(), drive, name), 'BadName')
    }
    const entry = newEntry(drive.root, 'huge', 6_000_000_000_000)
    await failure(drive.put(call(), entry, content, progressOf()), 'TooLarge')
    expect(stage.log()).toEqual([])
  })

  it('keeps session addresses out of errors, and sends bytes to Google alone', async () => {
    stage.plan({ kind: 'serverError', operation: 'drive.upload.chunk', count: 0 })
    const progress = progressOf()
    const error = await failure(put(large(), progress), 'Transient')
    const uri = (JSON.parse(progress.saved.at(-1) ?? '') as { uri: string }).uri
    expect(uri).toContain('upload_id=')
    expect(JSON.stringify([error.message, error.detail, String(error.detail.cause)])).not.toContain('upload_id')
    stage.clearFaults()
    const elsewhere = (progress.saved.at(-1) ?? '').replace('www.googleapis.com', 'evil.example')
    const content = large()
    await expectStored(await put(content, progressOf(elsewhere)), content)
  })
})

describe('a session that is given up', () => {
  it('is cancelled, and what came of it is removed; twice does no harm', async () => {
    const progress = progressOf()
    stage.plan({ kind: 'expired', operation: 'drive.upload.chunk', after: 1 })
    await failure(put(large(), progress), 'AuthExpired')
    const session = progress.saved.at(-1) ?? ''
    await drive.abandon(call(), session)
    await drive.abandon(call(), session)
    const done = progressOf()
    await put(large(), done)
    await drive.abandon(call(), done.saved.at(-1) ?? '')
    await drive.abandon(call(), 'not a session')
    expect(await names()).toEqual([])
    expect(stage.bugs()).toEqual([])
  })
})
