import { type S3Bucket, s3Address, sha256Hex, signedHeaders, UNSIGNED_PAYLOAD } from '../../lib/s3/sign.ts'
import { parseXml, textOf, type XmlElement } from '../../lib/s3/xml.ts'
import type { Call } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { type Http, type HttpBody, type HttpResponse, retryAfterMs } from '../shared/http.ts'
import { failureOf, type S3Failure, s3Error } from './errors.ts'

export const KIND = 'amazon-s3'

export type S3Request = {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Absent: the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  /** In lower case; without absent ones. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: HttpBody
  readonly patienceMs?: number
}

/** Signed requests to one bucket. */
export type S3Client = {
  readonly bucket: string
  /**
   * Resolves with the response of a request that succeeded. Its body must be read or disposed of.
   * @throws ProviderError by `s3ErrorCode`, with the failure for `failureOf`; Transient where the network fails
   */
  send(call: Call, operation: string, request: S3Request): Promise<HttpResponse>
  /** Like `send`, with the response as XML; services can report errors with the status of success. */
  ask(call: Call, operation: string, request: S3Request): Promise<XmlElement>
}

export type S3ClientOptions = {
  readonly http: Pick<Http, 'send'>
  readonly bucket: S3Bucket
  readonly now?: () => number
}

/** A client without retries, except after a wrong clock: then the time of the service is used from there on. */
export function createS3Client({ http, bucket, now = Date.now }: S3ClientOptions): S3Client {
  let aheadMs = 0

  async function once(call: Call, operation: string, request: S3Request): Promise<HttpResponse> {
    const { method, key, query = {}, body, patienceMs } = request
    const url = addressOf(bucket, key, query)
    const headers = signedHeaders(
      { method, url, headers: presentHeaders(request.headers ?? {}), payload: payloadOf(url, request) },
      bucket,
      new Date(now() + aheadMs),
    )
    return http.send(call, {
      where: { provider: KIND, operation },
      method,
      url,
      headers,
      ...(body !== undefined && { body }),
      ...(patienceMs !== undefined && { patienceMs }),
    })
  }

  async function send(call: Call, operation: string, request: S3Request): Promise<HttpResponse> {
    const response = await once(call, operation, request)
    if (response.status < 300) return response
    const error = await errorIn(response, operation)
    if (failureOf(error)?.code === 'SignatureDoesNotMatch' && request.key !== undefined) throw await judged(call, error)
    const theirs = Date.parse(response.header('date') ?? '')
    if (failureOf(error)?.code !== 'RequestTimeTooSkewed' || Number.isNaN(theirs)) throw error
    aheadMs = theirs - now()
    // A stream cannot be read again here: the caller's next attempt uses the corrected time.
    if (typeof request.body === 'object' && !(request.body instanceof Uint8Array)) throw error
    const second = await once(call, operation, request)
    if (second.status < 300) return second
    throw await errorIn(second, operation)
  }

  /** Where the same key is accepted for the bucket, the service only reads this name in another way: the access is not lost. */
  async function judged(call: Call, error: ProviderError): Promise<ProviderError> {
    const query = { 'list-type': '2', 'max-keys': '1' }
    const list = await once(call, error.where.operation, { method: 'GET', query })
    list.dispose()
    return list.status < 300 ? new ProviderError('Permanent', error.where, error.detail) : error
  }

  return {
    bucket: bucket.bucket,
    send,
    async ask(call, operation, request) {
      const response = await send(call, operation, request)
      const where = { provider: KIND, operation, status: response.status }
      const xml = parsed(await response.text())
      if (xml === null) throw new ProviderError('Transient', where, { message: 'The response is not XML.' })
      if (xml.name !== 'Error') return xml
      throw s3Error({ ...failureIn(response, xml), status: 500 }, where, null)
    },
  }
}

/** Refuses names that are not sent as they are: they would be resolved, and name another object. */
function addressOf(bucket: S3Bucket, key: string | undefined, query: Readonly<Record<string, string>>): URL {
  if (key?.split('/').some((name) => name === '.' || name === '..')) {
    throw new ProviderError(
      'BadName',
      { provider: KIND, operation: 'address' },
      { message: 'A key has . or .. in it.' },
    )
  }
  return s3Address(bucket, key, query)
}

function payloadOf(url: URL, { body, headers }: S3Request): string {
  if (body === undefined || typeof body === 'string') return sha256Hex(body ?? '')
  // Over TLS, or with a signed MD5, the bytes need no further protection; a stream would have to be read twice.
  const isProtected = url.protocol !== 'http:' || headers?.['content-md5'] !== undefined
  return body instanceof Uint8Array && !isProtected ? sha256Hex(body) : UNSIGNED_PAYLOAD
}

function presentHeaders(headers: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Reads an error response. */
async function errorIn(response: HttpResponse, operation: string): Promise<ProviderError> {
  const text = await response.text().catch(() => '')
  const failure = failureIn(response, parsed(text))
  return s3Error(failure, { provider: KIND, operation }, retryAfterMs(response.header('retry-after')))
}

function failureIn({ status, header }: HttpResponse, xml: XmlElement | null): S3Failure {
  const error = xml?.name === 'Error' ? xml : null
  return {
    status,
    code: error && textOf(error, 'Code'),
    region: (error && textOf(error, 'Region')) ?? header('x-amz-bucket-region'),
  }
}

/** Null when it is no XML, as from proxies and login pages of networks. */
function parsed(text: string): XmlElement | null {
  try {
    return parseXml(text)
  } catch {
    return null
  }
}

export type S3Limits = {
  /** Size of the parts of an upload, if 10,000 of them are enough; what is not larger is sent in one request. From 5 MiB to 5 GiB. */
  readonly partBytes: number
  /** Parts up to this size are sent from memory; of larger ones, the content is read twice. */
  readonly memoryBytes: number
  /** Parts of one upload that are sent from memory at a time. */
  readonly parallelParts: number
  /** The largest object that is copied by one request. */
  readonly copyBytes: number
  readonly pageSize: number
}
const MIB = 1024 * 1024
export const DEFAULT_LIMITS: S3Limits = {
  partBytes: 8 * MIB,
  memoryBytes: 16 * MIB,
  parallelParts: 3,
  copyBytes: 5 * 1024 * MIB,
  pageSize: 1000,
}
