import { randomUUID } from 'node:crypto'
import { childrenOf } from '../../server/lib/s3/xml.ts'
import { createS3Client, type S3Client, type S3Limits } from '../../server/providers/amazon-s3/client.ts'
import { amazonS3Module } from '../../server/providers/amazon-s3/module.ts'
import { deleteObject, md5Of, putObject } from '../../server/providers/amazon-s3/objects.ts'
import type { Credentials, Driver } from '../../server/providers/driver.ts'
import { createHostGuard } from '../../server/providers/shared/hostGuard.ts'
import { createHttp, type Http } from '../../server/providers/shared/http.ts'
import { startFaultProxy } from '../fakes/s3/faultProxy.ts'
import type { S3Server } from '../fakes/s3/swift.ts'
import type { Harness } from './harness.ts'
import { call } from './kit.ts'

export const CHUNK = 256 * 1024
/** More than two pages of this. */
const PAGE = 10
const http = createHttp({ emulatorUrl: null, guard: createHostGuard(true) })

/** A new bucket, and access to it that is not the driver's. */
export type TestBucket = { readonly name: string; readonly client: S3Client; readonly credentials: Credentials }

export async function makeBucket(
  { endpoint, accessKey, secretKey, conditions }: S3Server,
  prefix = '',
  name = `test-${randomUUID()}`,
): Promise<TestBucket> {
  const place = { endpoint, region: 'us-east-1', bucket: name, style: 'path', accessKey, secretKey } as const
  const client = createS3Client({ http, bucket: place })
  ;(await client.send(call(), 'test', { method: 'PUT' })).dispose()
  return {
    name,
    client,
    credentials: { expiresAt: null, ...place, prefix, capacityBytes: null, etags: 'md5', conditions },
  }
}

/** A driver with small parts and pages. `send`: is called instead of each request. */
export function openDriver(
  credentials: Credentials,
  limits: Partial<S3Limits> = {},
  send: (request: Parameters<Http['send']>, next: Http['send']) => ReturnType<Http['send']> = (request, next) =>
    next(...request),
): Driver {
  const sending: Pick<Http, 'send'> = { send: (...request) => send(request, http.send) }
  return amazonS3Module({ http: sending, limits: { partBytes: CHUNK, pageSize: PAGE, ...limits } }).open(credentials)
}

export async function storeText({ client }: TestBucket, key: string, text: string | Buffer): Promise<void> {
  const body = Buffer.from(text)
  await deleteObject(client, call(), 'test', key)
  await putObject(client, call(), 'test', { key, body, md5: md5Of(body), mimeType: 'text/plain' }, {})
}

/** An account of a new bucket, behind a proxy that makes faults. */
export async function s3Harness(server: S3Server, prefix = ''): Promise<Harness> {
  const bucket = await makeBucket(server, prefix)
  const proxy = await startFaultProxy({
    target: server.endpoint,
    store: (path, bytes) => storeText(bucket, decodeURIComponent(path.slice(bucket.name.length + 2)), bytes),
  })
  const open = () => openDriver({ ...bucket.credentials, endpoint: proxy.endpoint })
  return {
    driver: open(),
    reopen: open,
    chunkBytes: CHUNK,
    manyEntries: 2 * PAGE + 5,
    keepsNames: true,
    keepsHash: true,
    faults: new Set([
      'rateLimit',
      'serverError',
      'reset',
      'cutUp',
      'cutDown',
      'shortBody',
      'lostReply',
      'truncate',
      'vanish',
    ]),
    plan: proxy.plan,
    expireAccess: () => proxy.set('refusesKeys'),
    fillQuota: () => proxy.set('full'),
    overwrite: (ref, text) => storeText(bucket, prefix + ref.slice(1), text),
    async unfinished() {
      const uploads = await bucket.client.ask(call(), 'test', { method: 'GET', query: { uploads: '' } })
      return childrenOf(uploads, 'Upload').length
    },
    receivedBytes: proxy.received,
    close: proxy.close,
  }
}
