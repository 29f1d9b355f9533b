import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { S3Server } from './swift.ts'

/** `replaceKeys`: from now on only the returned ones are known. */
export type S3Emulator = S3Server & { replaceKeys(): { readonly accessKey: string; readonly secretKey: string } }

/**
 * The S3 API on loopback, with everything in memory: buckets by their path, lists, conditions, copies, uploads in parts. Verifies
 * signatures and MD5 sums. For machines without Swift; where that is installed, it is what verifies the driver. With `wantsEveryPart`,
 * as with Ceph, completing an upload is refused unless every part that was sent is named.
 */
export async function startS3Emulator({ minPartBytes = 0, wantsEveryPart = false } = {}): Promise<S3Emulator> {
  let login = { accessKey: 'emulated-access-key', secretKey: randomUUID() }
  const buckets = new Map<string, Bucket>()
  const server = createServer((request, response) => {
    answer({ buckets, minPartBytes, wantsEveryPart, ...login }, request, response).catch((error: unknown) => {
      const { status, code } = error instanceof Refusal ? error : new Refusal(500, 'InternalError')
      const body = request.method === 'HEAD' ? undefined : `<Error><Code>${code}</Code></Error>`
      if (response.headersSent) response.destroy()
      else response.writeHead(status, XML).end(body)
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...login,
    conditions: 'known',
    replaceKeys() {
      login = { accessKey: `emulated-${randomUUID()}`, secretKey: randomUUID() }
      return login
    },
    async close() {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}

type Stored = {
  readonly bytes: Buffer
  readonly etag: string
  readonly modifiedAt: Date
  readonly headers: Readonly<Record<string, string>>
}
type Upload = { readonly key: string; readonly headers: Stored['headers']; readonly parts: Map<number, Stored> }
type Bucket = { readonly objects: Map<string, Stored>; readonly uploads: Map<string, Upload> }
type Service = {
  readonly buckets: Map<string, Bucket>
  readonly accessKey: string
  readonly secretKey: string
  readonly minPartBytes: number
  readonly wantsEveryPart: boolean
}

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(code)
  }
}

const XML = { 'content-type': 'application/xml' }
const md5 = (bytes: Buffer): Buffer => createHash('md5').update(bytes).digest()
const sha256 = (bytes: string | Buffer): string => createHash('sha256').update(bytes).digest('hex')
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()
const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

type Call = {
  readonly service: Service
  readonly bucket: Bucket
  readonly key: string
  readonly query: URLSearchParams
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
}

async function answer(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', 'http://service')
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  verify(service, request, body)
  const [, name = '', path = ''] = /^\/([^/]*)\/?(.*)$/s.exec(pathname) ?? []
  const key = decodeURIComponent(path)
  if (key === '' && request.method === 'PUT') {
    if (service.buckets.has(name)) throw new Refusal(409, 'BucketAlreadyOwnedByYou')
    service.buckets.set(name, { objects: new Map(), uploads: new Map() })
    return void response.writeHead(200).end()
  }
  const bucket = service.buckets.get(name)
  if (!bucket) throw new Refusal(404, 'NoSuchBucket')
  perform({ service, bucket, key, query, request, response, body })
}

/** AWS Signature Version 4, of the headers that the client has signed. */
function verify(
  { accessKey, secretKey }: Service,
  { method, url = '/', headers }: IncomingMessage,
  body: Buffer,
): void {
  const found =
    /^AWS4-HMAC-SHA256 Credential=(.+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([\da-f]{64})$/.exec(
      headers.authorization ?? '',
    )
  if (!found) throw new Refusal(403, 'AccessDenied')
  const [, user, day = '', region = '', names = '', signature = ''] = found
  if (user !== accessKey) throw new Refusal(403, 'InvalidAccessKeyId')
  const payload = String(headers['x-amz-content-sha256'] ?? '')
  const [path = '', search = ''] = url.split('?')
  const signed = names.split(';').map(
    (name) =>
      `${name}:${String(headers[name] ?? '')
        .trim()
        .replace(/ +/g, ' ')}`,
  )
  const canonical = [method, path, search, ...signed, '', names, payload].join('\n')
  const scope = `${day}/${region}/s3/aws4_request`
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretKey}`)
  const wanted = hmac(key, `AWS4-HMAC-SHA256\n${headers['x-amz-date']}\n${scope}\n${sha256(canonical)}`)
  if (!timingSafeEqual(wanted, Buffer.from(signature, 'hex'))) throw new Refusal(403, 'SignatureDoesNotMatch')
  if (payload !== 'UNSIGNED-PAYLOAD' && payload !== sha256(body)) throw new Refusal(400, 'XAmzContentSHA256Mismatch')
  const sum = headers['content-md5']
  if (sum !== undefined && md5(body).toString('base64') !== sum) throw new Refusal(400, 'BadDigest')
}

function perform(call: Call): void {
  const { key, query, request, bucket } = call
  const does: Readonly<Record<string, () => void>> = {
    GET: () => (key === '' ? list(call) : query.has('uploadId') ? listParts(call) : get(call)),
    HEAD: () => get(call),
    PUT: () => (query.has('partNumber') ? putPart(call) : put(call)),
    POST: () => (query.has('delete') ? removeMany(call) : query.has('uploads') ? begin(call) : complete(call)),
    DELETE() {
      const uploadId = query.get('uploadId')
      if (uploadId === null) bucket.objects.delete(key)
      else if (!bucket.uploads.delete(uploadId)) throw new Refusal(404, 'NoSuchUpload')
      call.response.writeHead(204).end()
    },
  }
  const run = does[request.method ?? '']
  if (!run) throw new Refusal(405, 'MethodNotAllowed')
  run()
}

const sendXml = ({ response }: Call, name: string, content: string): void =>
  void response.writeHead(200, XML).end(`<?xml version="1.0" encoding="UTF-8"?><${name}>${content}</${name}>`)

const tags = (values: Readonly<Record<string, string | number | boolean>>): string =>
  Object.entries(values)
    .map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`)
    .join('')

const shown = ({ bytes, etag, modifiedAt }: Stored) =>
  tags({ LastModified: modifiedAt.toISOString(), ETag: `"${etag}"`, Size: bytes.length })

/** Both versions of ListObjects; a token or marker is the last key or prefix of the page before. */
function list(call: Call): void {
  const { bucket, query } = call
  const [prefix, delimiter] = [query.get('prefix') ?? '', query.get('delimiter') ?? '']
  const after = query.get('continuation-token') ?? query.get('start-after') ?? query.get('marker') ?? ''
  const limit = Math.min(Number(query.get('max-keys') ?? 1000), 1000)
  const isEncoded = query.get('encoding-type') === 'url'
  const written = (key: string): string => (isEncoded ? encodeURIComponent(key).replaceAll('%2F', '/') : key)
  const rows = new Map<string, Stored | null>()
  for (const [key, stored] of [...bucket.objects].toSorted(([a], [b]) =>
    Buffer.compare(Buffer.from(a), Buffer.from(b)),
  )) {
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length)
    if (key.startsWith(prefix)) rows.set(end < 0 ? key : key.slice(0, end + 1), end < 0 ? stored : null)
  }
  const rest = [...rows].filter(([name]) => Buffer.compare(Buffer.from(name), Buffer.from(after)) > 0)
  const page = rest.slice(0, limit)
  const isTruncated = rest.length > page.length
  const items = page.map(([name, stored]) =>
    stored
      ? `<Contents>${tags({ Key: written(name) })}${shown(stored)}</Contents>`
      : `<CommonPrefixes>${tags({ Prefix: written(name) })}</CommonPrefixes>`,
  )
  const last = page.at(-1)?.[0] ?? ''
  const next = isTruncated ? tags({ NextContinuationToken: last, NextMarker: written(last) }) : ''
  sendXml(
    call,
    'ListBucketResult',
    tags({ ...(isEncoded && { EncodingType: 'url' }), IsTruncated: isTruncated }) + next + items.join(''),
  )
}

function objectAt({ objects }: Bucket, key: string): Stored {
  const found = objects.get(key)
  if (!found) throw new Refusal(404, 'NoSuchKey')
  return found
}

function get({ bucket, key, request, response }: Call): void {
  const { bytes, etag, modifiedAt, headers } = objectAt(bucket, key)
  const wanted = request.headers['if-match']
  if (wanted !== undefined && wanted !== `"${etag}"`) throw new Refusal(412, 'PreconditionFailed')
  const found = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')
  const [start, end] = found
    ? [Number(found[1]), Math.min(found[2] ? Number(found[2]) : bytes.length, bytes.length - 1)]
    : [0, bytes.length - 1]
  if (found && start > end) throw new Refusal(416, 'InvalidRange')
  response.writeHead(found ? 206 : 200, {
    ...headers,
    etag: `"${etag}"`,
    'last-modified': modifiedAt.toUTCString(),
    'content-length': end - start + 1,
    ...(found && { 'content-range': `bytes ${start}-${end}/${bytes.length}` }),
  })
  response.end(request.method === 'HEAD' ? undefined : bytes.subarray(start, end + 1))
}

const headersOf = ({ headers }: IncomingMessage): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name === 'content-type' || name.startsWith('x-amz-meta-') ? [[name, String(value)]] : [],
    ),
  )

const newObject = (bytes: Buffer, headers: Stored['headers'], etag = md5(bytes).toString('hex')): Stored => ({
  bytes,
  etag,
  headers,
  modifiedAt: new Date(),
})

/** What `x-amz-copy-source` names, or null. */
function sourceOf({ service, request: { headers } }: Call): Stored | null {
  const path = headers['x-amz-copy-source']
  if (path === undefined) return null
  const [, name = '', key = ''] = /^\/?([^/]+)\/(.*)$/s.exec(decodeURIComponent(String(path))) ?? []
  const bucket = service.buckets.get(name)
  if (!bucket) throw new Refusal(404, 'NoSuchBucket')
  const found = objectAt(bucket, key)
  const wanted = headers['x-amz-copy-source-if-match']
  if (wanted !== undefined && wanted !== `"${found.etag}"`) throw new Refusal(412, 'PreconditionFailed')
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(String(headers['x-amz-copy-source-range'] ?? '')) ?? []
  return start === undefined ? found : { ...found, bytes: found.bytes.subarray(Number(start), Number(end) + 1) }
}

function checkCondition({ bucket, key, request }: Call): void {
  if (request.headers['if-none-match'] === '*' && bucket.objects.has(key)) throw new Refusal(412, 'PreconditionFailed')
}

function put(call: Call): void {
  const { bucket, key, request, response, body } = call
  checkCondition(call)
  const source = sourceOf(call)
  const stored = source ? newObject(source.bytes, source.headers) : newObject(body, headersOf(request))
  bucket.objects.set(key, stored)
  if (source) sendXml(call, 'CopyObjectResult', shown(stored))
  else response.writeHead(200, { etag: `"${stored.etag}"` }).end()
}

function begin(call: Call): void {
  const { bucket, key, request } = call
  const id = randomUUID()
  bucket.uploads.set(id, { key, headers: headersOf(request), parts: new Map() })
  sendXml(call, 'InitiateMultipartUploadResult', tags({ Key: key, UploadId: id }))
}

function uploadOf({ bucket, key, query }: Call): Upload {
  const found = bucket.uploads.get(query.get('uploadId') ?? '')
  if (found?.key !== key) throw new Refusal(404, 'NoSuchUpload')
  return found
}

function putPart(call: Call): void {
  const source = sourceOf(call)
  const part = newObject(source?.bytes ?? call.body, {})
  uploadOf(call).parts.set(Number(call.query.get('partNumber')), part)
  if (source) sendXml(call, 'CopyPartResult', shown(part))
  else call.response.writeHead(200, { etag: `"${part.etag}"` }).end()
}

function listParts(call: Call): void {
  const parts = [...uploadOf(call).parts].toSorted(([a], [b]) => a - b)
  const items = parts.map(([number, part]) => `<Part>${tags({ PartNumber: number })}${shown(part)}</Part>`)
  sendXml(call, 'ListPartsResult', tags({ IsTruncated: false }) + items.join(''))
}

function complete(call: Call): void {
  const { bucket, key, query, body } = call
  const { parts, headers } = uploadOf(call)
  checkCondition(call)
  const named = [...body.toString().matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = '']) => [
    /<PartNumber>(\d+)</.exec(part)?.[1],
    /<ETag>(?:"|&quot;|&#34;)?([\da-f]{32})/.exec(part)?.[1],
  ])
  const found = named.map(([number, etag]) => {
    const part = parts.get(Number(number))
    if (part === undefined || part.etag !== etag) throw new Refusal(400, 'InvalidPart')
    return part
  })
  if (found.length === 0) throw new Refusal(400, 'MalformedXML')
  const { wantsEveryPart, minPartBytes } = call.service
  if (wantsEveryPart && found.length < parts.size) throw new Refusal(400, 'InvalidPart')
  if (found.slice(0, -1).some(({ bytes }) => bytes.length < minPartBytes)) throw new Refusal(400, 'EntityTooSmall')
  const sums = Buffer.concat(found.map(({ etag }) => Buffer.from(etag, 'hex')))
  const etag = `${md5(sums).toString('hex')}-${found.length}`
  bucket.objects.set(key, newObject(Buffer.concat(found.map(({ bytes }) => bytes)), headers, etag))
  bucket.uploads.delete(query.get('uploadId') ?? '')
  sendXml(call, 'CompleteMultipartUploadResult', tags({ Key: key, ETag: `"${etag}"` }))
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function removeMany(call: Call): void {
  for (const [, text = ''] of call.body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) {
    const key = text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (_, decimal, hex, name) =>
      name ? (ENTITIES[name] ?? '') : String.fromCodePoint(decimal ? Number(decimal) : Number.parseInt(hex, 16)),
    )
    call.bucket.objects.delete(key)
  }
  sendXml(call, 'DeleteResult', '')
}
