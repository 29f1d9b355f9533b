import { escapeUri, queryOf, type SigningKey } from './sign.ts'

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
