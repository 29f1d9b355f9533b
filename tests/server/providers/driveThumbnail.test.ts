import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { EntryRef } from '../../../server/providers/driver.ts'
import { googleDriveModule } from '../../../server/providers/google-drive/module.ts'
import type { Http, HttpRequest, HttpResponse } from '../../../server/providers/shared/http.ts'
import { MAX_THUMBNAIL_BYTES } from '../../../server/providers/shared/thumbnail.ts'

/** What Drive, or someone in its place, sends as the picture of a file. */
type Sent = { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly parts?: Buffer[] }

function responseOf({ status = 200, headers = { 'content-type': 'image/jpeg' }, parts = [] }: Sent): HttpResponse {
  const text = async () => Buffer.concat(parts).toString()
  return {
    status,
    header: (name) => headers[name] ?? null,
    headerNames: () => Object.keys(headers),
    body: Readable.from(parts, { objectMode: false }),
    text,
    json: async () => JSON.parse(await text()),
    expectLength: () => undefined,
    dispose: () => undefined,
  }
}

/** Asks for the picture of a file for which Drive names this address. */
async function thumbnailAt(thumbnailLink: string | undefined, sent: Sent) {
  const asked: HttpRequest[] = []
  const http: Http = {
    address: (url) => new URL(url),
    async send(_call, request) {
      const isFile = new URL(request.url).pathname.startsWith('/drive/v3/files/')
      if (!isFile) asked.push(request)
      const json = {
        headers: { 'content-type': 'application/json' },
        parts: [Buffer.from(JSON.stringify({ thumbnailLink }))],
      }
      return responseOf(isFile ? json : sent)
    },
  }
  const module = googleDriveModule({ http, clientId: 'id', clientSecret: 'secret', scope: 'drive' })
  const driver = module.open({ accessToken: 'token', expiresAt: null })
  const call = { signal: new AbortController().signal, requestId: 'test' }
  const thumbnail = await driver.thumbnail?.(call, 'file' as EntryRef, 640)
  return { thumbnail, asked }
}

const LINK = 'https://lh3.googleusercontent.com/drive-storage/abc=s220'
const SMALL = [Buffer.from('picture')]

describe('the picture of a file in Drive', () => {
  it('is asked for in the wanted size, with the token', async () => {
    const { thumbnail, asked } = await thumbnailAt(LINK, { parts: SMALL })
    expect(thumbnail).toEqual(SMALL[0])
    expect(asked).toMatchObject([{ url: LINK.replace('=s220', '=s640'), headers: { authorization: 'Bearer token' } }])
  })

  it.each([
    [undefined],
    ['no address'],
    ['http://lh3.googleusercontent.com/abc=s220'],
    ['https://pictures.example/abc=s220'],
    ['https://googleusercontent.com.example/abc'],
    ['https://notgoogle.com/abc'],
  ])('is not asked for at %s: the token goes to Google alone', async (link) => {
    const { thumbnail, asked } = await thumbnailAt(link, { parts: SMALL })
    expect([thumbnail, asked]).toEqual([null, []])
  })

  const half = Buffer.alloc(MAX_THUMBNAIL_BYTES / 2 + 1)
  it.each<[string, Sent]>([
    ['too large', { parts: [half, half] }],
    ['announced as too large', { headers: { 'content-type': 'image/png', 'content-length': '9999999' }, parts: SMALL }],
    ['a page', { headers: { 'content-type': 'text/html' }, parts: SMALL }],
    ['at another address', { status: 302, headers: { location: 'https://pictures.example/' } }],
    ['refused', { status: 403, parts: SMALL }],
    ['empty', {}],
  ])('is none when it is %s', async (_what, sent) => {
    expect((await thumbnailAt(LINK, sent)).thumbnail).toBeNull()
  })

  it('is asked for again later when Google is overloaded', async () => {
    await expect(thumbnailAt(LINK, { status: 429, parts: SMALL })).rejects.toMatchObject({ code: 'RateLimited' })
    await expect(thumbnailAt(LINK, { status: 503, parts: SMALL })).rejects.toMatchObject({ code: 'Transient' })
  })
})
