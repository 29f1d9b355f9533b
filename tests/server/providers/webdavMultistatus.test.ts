import { describe, expect, it } from 'vitest'
import { ProviderError } from '../../../server/providers/errors.ts'
import {
  type DavResource,
  type MultistatusLimits,
  readMultistatus,
} from '../../../server/providers/webdav/multistatus.ts'

const WHERE = { provider: 'webdav', operation: 'list' }
const LIMITS: MultistatusLimits = { bytes: 64 * 1024 * 1024, text: 16 * 1024 * 1024, resources: 1000 }

async function read(text: string | AsyncIterable<Buffer>, limits = LIMITS, step = 7): Promise<DavResource[]> {
  async function* chunks(): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text as string)
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
  }
  const resources: DavResource[] = []
  for await (const resource of readMultistatus(typeof text === 'string' ? chunks() : text, WHERE, limits)) {
    resources.push(resource)
  }
  return resources
}

async function refusal(text: string | AsyncIterable<Buffer>, limits = LIMITS): Promise<ProviderError> {
  const error = await read(text, limits, 64 * 1024).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(ProviderError)
  return error as ProviderError
}

const file = (name: string, inside = ''): string =>
  `<D:response><D:href>/dav/${name}</D:href><D:propstat><D:prop><D:resourcetype/>${inside}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`
const whole = (inside: string): string => `<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">${inside}</D:multistatus>`

/** `head`, then `part` for ever; counts what was taken. */
function endless(head: string, part: string): AsyncIterable<Buffer> & { readonly sent: number } {
  const bytes = Buffer.from(part.repeat(Math.ceil(65_536 / part.length)))
  let sent = 0
  return {
    get sent() {
      return sent
    },
    async *[Symbol.asyncIterator]() {
      yield Buffer.from(head)
      for (;;) {
        sent += bytes.length
        yield bytes
      }
    },
  }
}

describe('a multi-status response', () => {
  it('is read with other prefixes, missing properties, entities, CDATA and names of every script', async () => {
    const text = `<?xml version="1.0" encoding="utf-8"?>
      <multistatus xmlns="DAV:" xmlns:x="http://owncloud.org/ns" xmlns:y="urn:other">
       <response><href> /dav/F%C3%BC%20&amp;/ </href>
        <propstat><prop><resourcetype><collection/></resourcetype><x:fileid>7</x:fileid><y:getetag>no</y:getetag></prop><status>HTTP/1.1 200 OK</status></propstat>
        <propstat><prop><getcontentlength>12</getcontentlength></prop><status>HTTP/1.1 404 Not Found</status></propstat></response>
       <response><href><![CDATA[/dav/文件.txt]]></href>
        <propstat><status>HTTP/1.1 200 OK</status><prop><getcontentlength>5</getcontentlength><getetag>"a&lt;b"</getetag></prop></propstat></response>
       <response><href>/dav/secret</href><status>HTTP/1.1 403 Forbidden</status></response>
      </multistatus>`
    for (const step of [1, 7, 10_000]) {
      const [folder, own, secret, ...none] = await read(text, LIMITS, step)
      expect(folder).toMatchObject({ href: '/dav/F%C3%BC%20&/', isFolder: true, status: null })
      expect(Object.fromEntries(folder?.properties ?? [])).toEqual({ resourcetype: '', fileid: '7' })
      expect(own).toMatchObject({ href: '/dav/文件.txt', isFolder: false })
      expect(Object.fromEntries(own?.properties ?? [])).toEqual({ getcontentlength: '5', getetag: '"a<b"' })
      expect(secret).toMatchObject({ href: '/dav/secret', status: 403 })
      expect(none).toEqual([])
    }
  })

  it('that ends early, or is something else, is no list', async () => {
    const text = whole(file('a.txt') + file('b.txt'))
    for (const end of [0, 30, 60, text.length - 30, text.length - 1]) {
      expect((await refusal(text.slice(0, end))).code).toBe('Transient')
    }
    for (const other of [
      '',
      '<html><body>Sign in</body></html>',
      '{"files":[]}',
      whole('</D:wrong>'),
      whole('&nbsp;'),
    ]) {
      expect((await refusal(other)).code).toBe('Transient')
    }
  })

  it('cannot declare entities', async () => {
    const bomb = `<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>${whole(file('&b;&c;')).slice(21)}`
    const error = await refusal(bomb)
    expect([error.code, error.detail.message]).toEqual(['Permanent', 'The response declares a document type.'])
  })

  it('is bounded in every direction, whatever comes', async () => {
    const head = '<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">'
    const streams = {
      entries: endless(head, file('x')),
      property: endless(`${head}<D:response><D:href>`, 'x'),
      attribute: endless(`${head}<D:response a="`, 'x'),
      name: endless(`${head}<D`, 'x'),
      comment: endless(`${head}<!--`, 'x'),
      comments: endless(head, '<!-- x -->'),
      depth: endless(head, '<D:response>'),
      spaces: endless(head, ' '),
      cdata: endless(`${head}<D:response><D:href><![CDATA[`, 'x'),
      instruction: endless(`${head}<?x `, 'x'),
    }
    const before = process.memoryUsage().rss
    for (const [name, stream] of Object.entries(streams)) {
      expect([name, (await refusal(stream)).code]).toEqual([name, 'Permanent'])
      expect(stream.sent).toBeLessThanOrEqual(LIMITS.bytes + 65_536 * 2)
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
  })

  it('of a large folder is read without keeping its text', async () => {
    async function* large(): AsyncGenerator<Buffer> {
      yield Buffer.from('<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">')
      for (let at = 0; at < 20_000; at += 1) {
        yield Buffer.from(file(`${at}.txt`, `<D:getcontentlength>${at}</D:getcontentlength>`))
      }
      yield Buffer.from('</D:multistatus>')
    }
    let count = 0
    for await (const { properties } of readMultistatus(large(), WHERE, { ...LIMITS, resources: 20_000 })) {
      expect(properties.get('getcontentlength')).toBe(String(count))
      count += 1
    }
    expect(count).toBe(20_000)
    expect((await refusal(large(), { ...LIMITS, resources: 19_999 })).code).toBe('Permanent')
  })
})
