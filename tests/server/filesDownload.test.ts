import { createHash, randomBytes } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { publicId } from '../../server/lib/ids.ts'
import { type FilesServer, type SignedIn, startFilesServer } from '../setup/filesServer.ts'

let server: FilesServer
let ada: SignedIn

beforeAll(async () => {
  server = await startFilesServer()
  ada = await server.signIn()
})
afterAll(() => server.close())

async function download(id: string, headers: Record<string, string> = {}, query = '', method = 'GET') {
  const response = await fetch(`${server.url}/api/v1/files/${publicId('File', id)}/download${query}`, {
    method,
    headers: { cookie: ada.cookie, ...headers },
  })
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
}

describe('the bytes', () => {
  it.each([0, 1, 4096, 512 * 1024, 512 * 1024 + 1, 5_000_000])(
    'of %d bytes arrive as they were stored',
    async (size) => {
      const content = randomBytes(size)
      const { status, headers, body } = await download(await ada.make({ content }))
      expect(status).toBe(200)
      expect(headers.get('content-length')).toBe(String(size))
      expect(headers.get('etag')).toBe(`"${createHash('sha256').update(content).digest('hex')}"`)
      expect(body.equals(content)).toBe(true)
    },
  )

  it('of several pieces are read in their order, ranges across them too', async () => {
    const pieces = [randomBytes(700_000), randomBytes(3), randomBytes(600_000)]
    const content = Buffer.concat(pieces)
    const id = await ada.make({ pieces })
    expect((await download(id)).body.equals(content)).toBe(true)
    const { body } = await download(id, { range: 'bytes=699999-700004' })
    expect(body.equals(content.subarray(699_999, 700_005))).toBe(true)
  })

  it('that are missing on disk are an error and not a short file', async () => {
    const id = await ada.make({ content: 'gone' })
    const { rows } = await server.pool.query(
      'select object_ref from pieces p join copies c on c.id = p.copy_id where c.file_id = $1',
      [id],
    )
    await server.store.delete(rows[0].object_ref)
    const { status, headers } = await download(id)
    expect(status).toBe(500)
    expect(headers.get('content-type')).toContain('problem+json')
  })

  it('that are fewer than they should be are cut off, so that nobody takes them for all', async () => {
    const id = await ada.make({ content: randomBytes(600_000), size: 2_000_000 })
    await expect(download(id)).rejects.toThrow()
  })
})

describe('ranges', () => {
  const content = Buffer.from('0123456789')
  let id: string
  beforeAll(async () => {
    id = await ada.make({ name: 'digits.txt', content })
  })

  it.each([
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=2-5', '2345', 'bytes 2-5/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
  ])('%s', async (range, expected, contentRange) => {
    const { status, headers, body } = await download(id, { range })
    expect({ status, text: body.toString(), range: headers.get('content-range') }).toEqual({
      status: 206,
      text: expected,
      range: contentRange,
    })
  })

  it.each(['bytes=0-1,4-5', 'items=0-1', 'bytes=5-2', 'bytes=-', 'bytes=a-b', 'bytes'])(
    '%s is ignored',
    async (range) => {
      const { status, body } = await download(id, { range })
      expect({ status, text: body.toString() }).toEqual({ status: 200, text: '0123456789' })
    },
  )

  it.each(['bytes=10-', 'bytes=99-100', 'bytes=-0'])('%s cannot be satisfied', async (range) => {
    const { status, headers } = await download(id, { range })
    expect({ status, range: headers.get('content-range') }).toEqual({ status: 416, range: 'bytes */10' })
  })

  it('HEAD tells the same without the bytes, and knows no range', async () => {
    const { status, headers, body } = await download(id, { range: 'bytes=0-1' }, '', 'HEAD')
    expect({ status, length: headers.get('content-length'), bytes: body.length }).toEqual({
      status: 200,
      length: '10',
      bytes: 0,
    })
    expect(headers.get('accept-ranges')).toBe('bytes')
  })

  it('If-Range gives the range only of the same content', async () => {
    const { headers } = await download(id)
    const [etag, modified] = [headers.get('etag') ?? '', headers.get('last-modified') ?? '']
    const statusWith = async (ifRange: string) =>
      (await download(id, { range: 'bytes=0-1', 'if-range': ifRange })).status
    expect(await statusWith(etag)).toBe(206)
    expect(await statusWith(modified)).toBe(206)
    expect(await statusWith('"other"')).toBe(200)
    expect(await statusWith(`W/${etag}`)).toBe(200)
    expect(await statusWith('Mon, 01 Jan 2001 00:00:00 GMT')).toBe(200)
  })

  it('If-None-Match and If-Modified-Since spare what is known', async () => {
    const { headers } = await download(id)
    const [etag, modified] = [headers.get('etag') ?? '', headers.get('last-modified') ?? '']
    const answer = async (given: Record<string, string>) => {
      const { status, body } = await download(id, given)
      return [status, body.length]
    }
    expect(await answer({ 'if-none-match': `"x", W/${etag}` })).toEqual([304, 0])
    expect(await answer({ 'if-none-match': '*' })).toEqual([304, 0])
    expect(await answer({ 'if-none-match': '"x"', 'if-modified-since': modified })).toEqual([200, 10])
    expect(await answer({ 'if-modified-since': modified })).toEqual([304, 0])
    expect(await answer({ 'if-modified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' })).toEqual([200, 10])
  })

  it('If-Match and If-Unmodified-Since refuse another content', async () => {
    const { headers } = await download(id)
    expect((await download(id, { 'if-match': headers.get('etag') ?? '' })).status).toBe(200)
    expect((await download(id, { 'if-match': '"other"' })).status).toBe(412)
    expect((await download(id, { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' })).status).toBe(412)
  })
})

describe('how it may be shown', () => {
  const open = async (mimeType: string, query = '?disposition=inline') =>
    (await download(await ada.make({ content: 'x', mimeType }), {}, query)).headers

  it.each([
    ['image/png', 'image/png'],
    ['video/mp4', 'video/mp4'],
    ['audio/mpeg', 'audio/mpeg'],
    ['text/plain', 'text/plain; charset=utf-8'],
    ['text/markdown', 'text/plain; charset=utf-8'],
    ['text/javascript', 'text/plain; charset=utf-8'],
  ])('%s inline as %s, in a sandbox', async (mimeType, type) => {
    const headers = await open(mimeType)
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('content-disposition')).toMatch(/^inline;/)
    expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none';/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('cache-control')).toBe('private, no-cache')
    expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
  })

  it('a PDF inline without the sandbox that its viewer does not work in', async () => {
    const headers = await open('application/pdf')
    expect(headers.get('content-disposition')).toMatch(/^inline;/)
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none';/)
  })

  it.each([
    'text/html',
    'image/svg+xml',
    'text/xml',
    'application/xhtml+xml',
    'application/zip',
    'image/tiff',
    'x/y\r\nz',
  ])('%j never', async (mimeType) => {
    const headers = await open(mimeType)
    expect(headers.get('content-disposition')).toMatch(/^attachment;/)
    expect(headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none';/)
    expect(headers.get('content-type')).not.toMatch(/html|xml|svg/)
    expect(headers.get('x-frame-options')).toBe('DENY')
  })

  it('everything is saved when nothing else is asked for', async () => {
    expect((await open('image/png', '')).get('content-disposition')).toMatch(/^attachment;/)
  })

  it.each([
    ['plain.txt', `filename="plain.txt"; filename*=UTF-8''plain.txt`],
    [
      'Übersicht "neu" 50%.txt',
      `filename="_bersicht _neu_ 50_.txt"; filename*=UTF-8''%C3%9Cbersicht%20%22neu%22%2050%25.txt`,
    ],
    ["it's (1)*.txt", `filename="it's (1)*.txt"; filename*=UTF-8''it%27s%20%281%29%2A.txt`],
    ['報告書.txt', `filename="_.txt"; filename*=UTF-8''%E5%A0%B1%E5%91%8A%E6%9B%B8.txt`],
    ['exe\u202etxt.exe', `filename="exetxt.exe"; filename*=UTF-8''exetxt.exe`],
  ])('the name %j survives', async (name, expected) => {
    const { headers } = await download(await ada.make({ name, content: 'x' }))
    expect(headers.get('content-disposition')).toBe(`attachment; ${expected}`)
  })
})

describe('a client that leaves or dawdles', () => {
  it('makes the server read no further', async () => {
    const size = 64 * 1024 * 1024
    const id = await ada.make({ content: Buffer.alloc(size) })
    const path = `/api/v1/files/${publicId('File', id)}/download`
    let ours: Socket | undefined
    const onRequest = (message: unknown) => {
      const { request, socket } = message as { readonly request: IncomingMessage; readonly socket: Socket }
      if (request.url === path) ours = socket
    }
    subscribe('http.server.request.start', onRequest)
    const response = await new Promise<IncomingMessage>((resolve) =>
      httpRequest(server.url + path, { headers: { cookie: ada.cookie } }, resolve).end(),
    )
    response.pause()
    unsubscribe('http.server.request.start', onRequest)
    // What the system keeps for both ends is less than that.
    let written = -1
    const stands = () => {
      const before = written
      written = ours?.bytesWritten ?? -1
      return written === before && ours?.writableNeedDrain
    }
    await expect.poll(stands).toBe(true)
    expect(written).toBeLessThan(size / 2)
    response.destroy()
    await expect.poll(() => ours?.destroyed).toBe(true)
    expect(server.logs).not.toContain(expect.stringContaining('cut off'))
    expect((await download(id, { range: 'bytes=-1' })).status).toBe(206)
  })
})
