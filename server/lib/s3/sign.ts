import { createHash, createHmac } from 'node:crypto'

/** A key of a service with the S3 API, and the region that its signatures are for. */
export type SigningKey = { readonly accessKey: string; readonly secretKey: string; readonly region: string }

/** What is signed: all of `headers`, and the path and query of `url` as they are sent. */
export type Unsigned = {
  readonly method: string
  readonly url: URL
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** SHA-256 of the body in hex, or UNSIGNED_PAYLOAD. */
  readonly payload: string
}

/** For bodies that are protected by TLS, or by a signed Content-MD5. */
export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'

export const sha256Hex = (body: string | Uint8Array): string => createHash('sha256').update(body).digest('hex')

/** The headers of a request with its signature (AWS Signature Version 4). */
export function signedHeaders(
  { method, url, headers, payload }: Unsigned,
  key: SigningKey,
  now: Date,
): Record<string, string> {
  const stamp = stampOf(now)
  const all: Record<string, string> = { ...headers, 'x-amz-content-sha256': payload, 'x-amz-date': stamp }
  const { signature, names, scope } = sign({ method, url, headers: { ...all, host: url.host }, payload }, key, stamp)
  const credential = `Credential=${key.accessKey}/${scope}`
  const authorization = `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  return { ...all, authorization }
}

/** An address that anyone can read for so many seconds, without a header. */
export function signedAddress(url: URL, key: SigningKey, now: Date, seconds: number): URL {
  const stamp = stampOf(now)
  const signed = new URL(url)
  signed.search = queryOf({
    ...Object.fromEntries(url.searchParams),
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${key.accessKey}/${scopeOf(stamp, key.region)}`,
    'X-Amz-Date': stamp,
    'X-Amz-Expires': String(seconds),
    'X-Amz-SignedHeaders': 'host',
  })
  const unsigned = { method: 'GET', url: signed, headers: { host: url.host }, payload: UNSIGNED_PAYLOAD }
  signed.search += `&X-Amz-Signature=${sign(unsigned, key, stamp).signature}`
  return signed
}

const stampOf = (now: Date): string => now.toISOString().replace(/[:-]|\.\d{3}/g, '')
const scopeOf = (stamp: string, region: string): string => `${stamp.slice(0, 8)}/${region}/s3/aws4_request`

function sign({ method, url, headers: signed, payload }: Unsigned, key: SigningKey, stamp: string) {
  const scope = scopeOf(stamp, key.region)
  const names = Object.keys(signed).sort()
  const canonical = [
    method,
    url.pathname,
    url.search.slice(1),
    ...names.map((name) => `${name}:${(signed[name] ?? '').trim().replace(/ +/g, ' ')}`),
    '',
    names.join(';'),
    payload,
  ].join('\n')
  const signature = hmac(
    keyOfDay(key, stamp.slice(0, 8)),
    `AWS4-HMAC-SHA256\n${stamp}\n${scope}\n${sha256Hex(canonical)}`,
  ).toString('hex')
  return { signature, names, scope }
}

/** Of each key, the one derived for the last day: to derive it takes most of the time of a signature. */
const keysOfDays = new WeakMap<SigningKey, { readonly day: string; readonly key: Buffer }>()

function keyOfDay(signingKey: SigningKey, day: string): Buffer {
  const known = keysOfDays.get(signingKey)
  if (known?.day === day) return known.key
  const { secretKey, region } = signingKey
  const key = [region, 's3', 'aws4_request'].reduce<Buffer>(hmac, hmac(`AWS4${secretKey}`, day))
  keysOfDays.set(signingKey, { day, key })
  return key
}

/** A text for a path or query, with everything escaped that the signature requires (RFC 3986, unreserved characters stay). */
export function escapeUri(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** The query in the order and notation that is signed. */
export function queryOf(values: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(values).map(([name, value]) => [escapeUri(name), escapeUri(value)] as const)
  return pairs
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map((pair) => pair.join('='))
    .join('&')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** A bucket of a service with the S3 API, and the key to it. */
export type S3Bucket = SigningKey & {
  /** Address of the service; can have a path. */
  readonly endpoint: string
  readonly bucket: string
  /** Where the bucket is named: `path` as https://host/bucket, `host` as https://bucket.host. */
  readonly style: 'path' | 'host'
}

/** The address of an object or, without a key, of the bucket. No name in the key may be `.` or `..`: they would be resolved. */
export function s3Address(
  { endpoint, bucket, style }: S3Bucket,
  key: string | undefined,
  query: Readonly<Record<string, string>>,
): URL {
  const url = new URL(endpoint)
  const base = url.pathname.replace(/\/+$/, '') + (style === 'path' ? `/${escapeUri(bucket)}` : '')
  if (style === 'host') url.host = `${bucket}.${url.host}`
  url.pathname = `${base}/${(key ?? '').split('/').map(escapeUri).join('/')}`
  url.search = queryOf(query)
  return url
}
