import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import { amazonS3Module } from '../../../server/providers/amazon-s3/module.ts'
import { createHostGuard } from '../../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { webdavModule } from '../../../server/providers/webdav/module.ts'
import { call, rejection } from '../../conformance/kit.ts'

const MIB = 1024 ** 2
/** `HOSTILE_SIZES=full`: 1 GB, against the limits that are built in; otherwise both are an eighth of that. */
const IS_FULL = process.env.HOSTILE_SIZES === 'full'
/** What each server sends, unless its client leaves before. */
const SENT = IS_FULL ? 1024 * MIB : 128 * MIB
const MOST_GROWTH = IS_FULL ? 140 * MIB : 28 * MIB
const SMALL = { bytes: 32 * MIB, text: 8 * MIB, resources: 25_000 }

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** What is in use, without garbage. */
function inUse(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

type Sent = { bytes: number; growth: number }

/** Starts a server that answers each request with `head` and then with `part`s without end, and measures how memory grows. */
async function sending(
  status: number,
  head: string,
  part: (at: number) => string,
): Promise<{ url: string; sent: Sent }> {
  const sent: Sent = { bytes: 0, growth: 0 }
  const before = inUse()
  server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'application/xml' }).write(head)
    let measuredAt = 0
    let at = 0
    const more = (): void => {
      for (let room = true; room && sent.bytes < SENT && !response.destroyed; ) {
        const bytes = Buffer.from(part(at++))
        sent.bytes += bytes.length
        room = response.write(bytes)
        if (sent.bytes - measuredAt < SENT / 64) continue
        measuredAt = sent.bytes
        sent.growth = Math.max(sent.growth, inUse() - before)
      }
      if (sent.bytes >= SENT) response.end()
    }
    response.on('drain', more)
    more()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent }
}

const guard = createHostGuard(['127.0.0.1'])
const webdav = (url: string) =>
  webdavModule({ guard, ...(!IS_FULL && { limits: SMALL }) }).open({
    expiresAt: null,
    root: `${url}/dav/`,
    user: 'ann',
    password: 'pw',
  })

const s3 = (url: string) =>
  amazonS3Module({ http: createHttp({ emulatorUrl: null, guard }) }).open({
    ...{ expiresAt: null, endpoint: url, region: 'r', bucket: 'bucket', style: 'path' },
    ...{ accessKey: 'k', secretKey: 's' },
  })

const HEAD = '<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">'
const resource = (name: string, more = '') =>
  `<d:response><d:href>/dav/${name}</d:href><d:propstat><d:prop><d:getcontentlength>5</d:getcontentlength>${more}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response>`
const long = 'x'.repeat(16_000)
const etag = (text: string) => `<d:getetag>${text}</d:getetag>`

describe('a server that answers with 1 GB', { timeout: 300_000 }, () => {
  it.each<[string, string, (at: number) => string]>([
    ['entries', HEAD, (at) => Array.from({ length: 300 }, (_, index) => resource(`${at}-${index}`)).join('')],
    ['entries with long etags', HEAD, (at) => resource(`${at}`, etag(`${at}${long}`))],
    ['entries with long names', HEAD, (at) => resource(`${at}${long}`)],
    [
      'entries with comments',
      HEAD,
      (at) => resource(`${at}`, `<!--${long}-->${etag(`${at}-0123456789abcdef`)}<!--${long}-->`),
    ],
    ['one name', `${HEAD}<d:response><d:href>/dav/`, () => long],
    ['spaces', HEAD, () => ' '.repeat(65_536)],
    ['entities', `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "${long}">`, (at) => `<!ENTITY a${at} "&a;&a;&a;">`],
  ])('of %s as WebDAV is refused, and memory does not grow', async (what, head, part) => {
    const { url, sent } = await sending(207, head, part)
    const driver = webdav(url)
    await rejection(driver.list(call(), driver.root, null), 'Permanent')
    expect(sent.growth).toBeLessThan(MOST_GROWTH)
    expect(sent.bytes).toBeLessThan(SENT)
    if (IS_FULL)
      console.log(`${what}: ${Math.round(sent.bytes / MIB)} MiB sent, ${Math.round(sent.growth / MIB)} MiB more in use`)
  })

  it.each<[string, string, (at: number) => string]>([
    [
      'objects',
      '<ListBucketResult><IsTruncated>true</IsTruncated>',
      (at) => `<Contents><Key>${at}</Key><Size>1</Size></Contents>`.repeat(300),
    ],
    ['one key', '<ListBucketResult><IsTruncated>true</IsTruncated><Contents><Key>', () => long],
    ['entities', `<!DOCTYPE a [<!ENTITY a "${long}">`, (at) => `<!ENTITY a${at} "&a;&a;&a;">`],
  ])('of %s as S3 is refused, and memory does not grow', async (what, head, part) => {
    const { url, sent } = await sending(200, head, part)
    const driver = s3(url)
    await rejection(driver.list(call(), driver.root, null), 'Permanent')
    expect(sent.growth).toBeLessThan(MOST_GROWTH)
    expect(sent.bytes).toBeLessThan(SENT)
    if (IS_FULL)
      console.log(`${what}: ${Math.round(sent.bytes / MIB)} MiB sent, ${Math.round(sent.growth / MIB)} MiB more in use`)
  })
})
