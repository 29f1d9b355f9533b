import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Api, ask, type Harness, MIB, put, reasonOf, startGoogle, USER } from './googleHarness.ts'

const GRAIN = 256 * 1024
const bytes = randomBytes(3 * GRAIN + 10)
const total = bytes.length
const nothing = Buffer.alloc(0)

let google: Harness
let api: Api
beforeAll(async () => {
  google = await startGoogle()
  api = google.api()
})
afterAll(() => google.close())
beforeEach(() => google.clearFaults())

const md5 = (of: Buffer): string => createHash('md5').update(of).digest('hex')
const objects = async (name: string) =>
  (await google.commands.objects({ user: USER })).filter((one) => one.name === name)
const stands = async (address: string, of: number | '*' = '*') => {
  const { status, headers } = await put(google, address, nothing, `*/${of}`)
  return [status, headers.get('range')]
}
const part = (address: string, start: number, end: number, of: number | '*' = total) =>
  put(google, address, bytes.subarray(start, end), `${start}-${end - 1}/${of}`)

describe('a resumable upload to the emulated Drive', () => {
  it('goes chunk by chunk, says where it stands, and ends with the file', async () => {
    const address = await api.begin({ name: 'chunks' })
    expect(await stands(address, total)).toEqual([308, null])
    const first = await part(address, 0, GRAIN)
    expect([first.status, first.headers.get('range'), first.headers.get('location')]).toEqual([
      308,
      `bytes=0-${GRAIN - 1}`,
      null,
    ])
    expect(await stands(address, total)).toEqual([308, `bytes=0-${GRAIN - 1}`])
    const last = await part(address, GRAIN, total)
    expect([last.status, last.json]).toEqual([200, { id: last.json.id, size: String(total), md5Checksum: md5(bytes) }])
    expect((await put(google, address, nothing, `*/${total}`)).json).toEqual(last.json)
  })

  it('takes a size that is known at the end only, and none at all', async () => {
    const open = await api.begin({ name: 'open end' })
    expect((await part(open, 0, GRAIN, '*')).status).toBe(308)
    expect((await part(open, GRAIN, total)).json).toMatchObject({ md5Checksum: md5(bytes) })
    const empty = await api.begin({ name: 'empty' })
    expect((await put(google, empty, nothing, '*/0')).json).toMatchObject({ size: '0', md5Checksum: md5(nothing) })
    const whole = await api.begin({ name: 'whole' })
    expect((await put(google, whole, bytes)).json).toMatchObject({ size: String(total) })
  })

  it('keeps whole grains of 256 KiB, takes what it has again, and refuses gaps and wrong sizes', async () => {
    const address = await api.begin({ name: 'grains' })
    expect((await part(address, 0, 100)).status).toBe(400)
    expect((await part(address, GRAIN, 2 * GRAIN)).status).toBe(400)
    expect((await put(google, address, bytes.subarray(0, 100), `0-${GRAIN - 1}/${total}`)).status).toBe(400)
    expect((await put(google, address, bytes.subarray(0, GRAIN), 'all of it')).status).toBe(400)
    expect((await part(address, 0, GRAIN + 77)).headers.get('range')).toBe(`bytes=0-${GRAIN - 1}`)
    expect((await part(address, 0, 2 * GRAIN)).headers.get('range')).toBe(`bytes=0-${2 * GRAIN - 1}`)
    expect((await part(address, 2 * GRAIN, total, total + 1)).status).toBe(400)
    expect((await part(address, 2 * GRAIN, total)).json).toMatchObject({ md5Checksum: md5(bytes) })
  })

  it('holds to the size said at the start', async () => {
    const address = await api.begin({ name: 'said' }, { 'X-Upload-Content-Length': String(total) })
    expect((await part(address, 0, GRAIN, total + 5)).status).toBe(400)
    expect((await part(address, 0, total)).status).toBe(200)
  })

  it('is gone when cancelled, lost or a week old', async () => {
    const cancelled = await api.begin({ name: 'cancelled' })
    expect((await ask(google, cancelled, { method: 'DELETE' })).status).toBe(499)
    expect((await part(cancelled, 0, GRAIN)).status).toBe(499)
    const lost = await api.begin({ name: 'lost' })
    google.commands.loseSessions({ user: USER })
    expect(await stands(lost)).toEqual([404, null])
    const old = await api.begin({ name: 'old' })
    google.pass(8 * 24 * 3600_000)
    expect(await stands(old)).toEqual([404, null])
    api = google.api()
  })

  it('replaces the bytes of a file', async () => {
    const id = await api.make('replaced', 'before', { appProperties: { a: '1' } })
    const start = await api.call(
      'PATCH',
      `/upload/drive/v3/files/${id}?uploadType=resumable&fields=id,md5Checksum,appProperties`,
      {},
    )
    const end = await put(google, start.headers.get('location') ?? '', bytes)
    expect(end.json).toEqual({ id, md5Checksum: md5(bytes), appProperties: { a: '1' } })
  })

  it('makes a file once, by an id that was asked for', async () => {
    const { ids } = (await api.get('/files/generateIds?count=1')).json as unknown as { ids: [string] }
    const [one, two] = [await api.begin({ name: 'once', id: ids[0] }), await api.begin({ name: 'once', id: ids[0] })]
    expect((await put(google, one, bytes)).json).toMatchObject({ id: ids[0] })
    const again = await put(google, two, bytes)
    expect([again.status, reasonOf(again)]).toEqual([409, 'fileIdInUse'])
    const third = await api.call('POST', '/upload/drive/v3/files?uploadType=resumable', { name: 'once', id: ids[0] })
    expect(third.status).toBe(409)
    expect((await api.post('/files', { name: 'made up', id: '1madeup' })).status).toBe(400)
  })

  it('is refused when there is no room: at once when the size is said, at the end when not', async () => {
    const said = await api.call(
      'POST',
      '/upload/drive/v3/files?uploadType=resumable',
      { name: 'x' },
      { 'X-Upload-Content-Length': String(200 * MIB) },
    )
    expect([said.status, reasonOf(said)]).toEqual([403, 'storageQuotaExceeded'])
    const open = await api.begin({ name: 'full' })
    google.plan({ kind: 'full', operation: 'drive.upload.chunk' })
    expect(reasonOf(await put(google, open, bytes))).toBe('storageQuotaExceeded')
    expect(await objects('full')).toEqual([])
  })
})

describe('an upload in one request', () => {
  const multipart = (metadata: string, content: string) =>
    `--B\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n${metadata}\r\n--B\r\nContent-Type: text/plain\r\n\r\n${content}\r\n--B--\r\n`
  const send = (type: string, contentType: string, body: string) =>
    ask(google, `https://www.googleapis.com/upload/drive/v3/files?uploadType=${type}&fields=name,size,mimeType`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${google.commands.mintToken({ user: USER }).access_token}`,
        'Content-Type': contentType,
      },
      body,
    })

  it('takes metadata and bytes together, or bytes alone', async () => {
    const both = await send('multipart', 'multipart/related; boundary=B', multipart('{"name":"a.txt"}', 'one\r\ntwo'))
    expect(both.json).toEqual({ name: 'a.txt', size: '8', mimeType: 'text/plain' })
    expect((await send('media', 'text/css', 'a{}')).json).toEqual({ name: 'Untitled', size: '3', mimeType: 'text/css' })
    expect(
      (await send('multipart', 'multipart/related; boundary="B"', multipart('{"name":"b"}', ''))).json,
    ).toMatchObject({ size: '0' })
  })

  it('refuses what it cannot read', async () => {
    expect((await send('multipart', 'multipart/related', '')).status).toBe(400)
    expect((await send('multipart', 'multipart/related; boundary=B', '--B--')).status).toBe(400)
    expect((await send('multipart', 'multipart/related; boundary=B', multipart('{', 'x'))).status).toBe(400)
    expect((await send('carrier pigeon', 'text/plain', 'x')).status).toBe(400)
  })
})

describe('faults of an upload', () => {
  const operation = 'drive.upload.chunk'

  it('503 keeps the part that was told, and a cut connection whole grains', async () => {
    const address = await api.begin({ name: 'broken' })
    google.plan({ kind: 'serverError', operation, bytes: GRAIN + 5 })
    expect((await part(address, 0, total)).status).toBe(503)
    expect(await stands(address)).toEqual([308, `bytes=0-${GRAIN - 1}`])
    google.plan({ kind: 'cutUp', operation, bytes: GRAIN + 9 })
    await expect(part(address, GRAIN, total)).rejects.toThrow()
    expect(await stands(address)).toEqual([308, `bytes=0-${2 * GRAIN - 1}`])
    google.plan({ kind: 'serverError', operation, status: 500 })
    expect((await part(address, 2 * GRAIN, total)).status).toBe(500)
    expect((await part(address, 2 * GRAIN, total)).json).toMatchObject({ md5Checksum: md5(bytes) })
  })

  it('a lost reply leaves the file, and its session tells of it', async () => {
    const address = await api.begin({ name: 'unheard' })
    google.plan({ kind: 'lostReply', operation })
    await expect(part(address, 0, total)).rejects.toThrow()
    expect((await put(google, address, nothing, `*/${total}`)).status).toBe(200)
    expect(await objects('unheard')).toHaveLength(1)
  })

  it('401 in the middle of an upload, and 403 with or without a time to wait', async () => {
    const address = await api.begin({ name: 'expired' })
    google.plan({ kind: 'expired', operation })
    expect([(await part(address, 0, GRAIN)).status, (await part(address, 0, GRAIN)).status]).toEqual([401, 308])
    google.plan({ kind: 'rateLimit', operation, retryAfter: 7 })
    const limited = await part(address, GRAIN, total)
    expect([limited.status, reasonOf(limited), limited.headers.get('retry-after')]).toEqual([
      403,
      'userRateLimitExceeded',
      '7',
    ])
    google.plan({ kind: 'rateLimit', operation, status: 429 })
    const more = await part(address, GRAIN, total)
    expect([more.status, reasonOf(more), more.headers.get('retry-after')]).toEqual([429, 'rateLimitExceeded', null])
  })

  it('stores less, nothing, or twice, and says that all is well', async () => {
    google.plan({ kind: 'truncate', operation, bytes: 4 })
    await part(await api.begin({ name: 'shorter' }), 0, total)
    expect(await objects('shorter')).toMatchObject([{ size: total - 4, md5: md5(bytes.subarray(0, -4)) }])
    google.plan({ kind: 'vanish', operation })
    const gone = await part(await api.begin({ name: 'nothing' }), 0, total)
    expect([gone.status, await objects('nothing')]).toEqual([200, []])
    expect((await api.get(`/files/${gone.json.id}`)).status).toBe(404)
    google.plan({ kind: 'duplicate', operation })
    await part(await api.begin({ name: 'twice' }), 0, total)
    const twice = await objects('twice')
    expect(twice.map(({ sha256 }) => sha256)).toEqual([twice[0]?.sha256, twice[0]?.sha256])
    expect(twice).toHaveLength(2)
  })
})
