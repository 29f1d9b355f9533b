import { createHash } from 'node:crypto'
import { escapeUri } from '../../lib/s3/sign.ts'
import { childrenOf, escapeXml, textOf, type XmlElement } from '../../lib/s3/xml.ts'
import type { Call } from '../driver.ts'
import { isFailure, ProviderError, type ProviderErrorWhere } from '../errors.ts'
import type { HttpResponse } from '../shared/http.ts'
import { KIND, type S3Client } from './client.ts'
import { failureOf } from './errors.ts'

/** An object as a list or its metadata describes it. */
export type S3Object = {
  readonly key: string
  readonly size: number
  /** Without quotes. */
  readonly etag: string
  readonly modifiedAt: Date | null
  /** MD5 of the content in lower-case hex, as stored with the object; null in lists. */
  readonly storedMd5: string | null
  /** Whether the service says that the ETag is not the MD5 of the content. */
  readonly isOpaque: boolean
  /** Headers to store a copy with; empty in lists. */
  readonly metadata: Readonly<Record<string, string>>
}

/** What a client stores with an object; in the notation of rclone, which verifies with it. */
export type Stored = { readonly md5: string; readonly mimeType: string | null; readonly modifiedAt?: Date | undefined }

export function storedHeaders({ md5, mimeType, modifiedAt }: Stored): Record<string, string> {
  return {
    'content-type': mimeType !== null && /^[\x20-\x7e]+$/.test(mimeType) ? mimeType : 'application/octet-stream',
    'x-amz-meta-md5chksum': base64Of(md5),
    ...(modifiedAt && { 'x-amz-meta-mtime': String(modifiedAt.getTime() / 1000) }),
  }
}

export const base64Of = (hex: string): string => Buffer.from(hex, 'hex').toString('base64')
export const md5Of = (bytes: string | Uint8Array): string => createHash('md5').update(bytes).digest('hex')

/** @throws NotFound, also where that is not certain: see `find` */
export async function head(client: S3Client, call: Call, operation: string, key: string): Promise<S3Object> {
  try {
    const response = await client.send(call, operation, { method: 'HEAD', key })
    response.dispose()
    return objectOf(key, response)
  } catch (error) {
    const status = failureOf(error)?.status
    if (status === 404) throw new ProviderError('NotFound', { provider: KIND, operation, status }, GONE)
    // Responses to HEAD have no reason.
    if (status !== undefined && status < 500 && status !== 429) await readFirst(client, call, operation, key)
    throw error
  }
}

const GONE = { message: 'It does not exist.' }

/** The object, by a response that names the reason if it does not exist: a missing bucket is another one. @throws NotFound */
export async function find(client: S3Client, call: Call, operation: string, key: string): Promise<S3Object> {
  try {
    return await head(client, call, operation, key)
  } catch (error) {
    if (!isFailure(error, 'NotFound')) throw error
    await readFirst(client, call, operation, key)
    throw new ProviderError('Transient', { provider: KIND, operation }, { message: 'It appears and disappears.' })
  }
}

/** For the reason of a refusal. An empty object has no first byte. */
async function readFirst(client: S3Client, call: Call, operation: string, key: string): Promise<void> {
  const request = { method: 'GET', key, headers: { range: 'bytes=0-0' } } as const
  const response = await client.send(call, operation, request).catch((error: unknown) => {
    if (failureOf(error)?.status !== 416) throw error
    return null
  })
  response?.dispose()
}

function objectOf(key: string, response: HttpResponse): S3Object {
  const { header } = response
  const etag = etagOf(header('etag'))
  const modified = Date.parse(header('last-modified') ?? '')
  return {
    key,
    size: Number(header('content-length')),
    etag,
    modifiedAt: Number.isNaN(modified) ? null : new Date(modified),
    storedMd5: md5InMetadata(header('x-amz-meta-md5chksum')),
    isOpaque: isOpaque(header),
    metadata: metadataIn(response),
  }
}

const KEPT =
  /^(?:content-(?:type|disposition|encoding|language)|cache-control|expires|x-amz-meta-.*|x-amz-storage-class)$/

function metadataIn({ header, headerNames }: HttpResponse): Record<string, string> {
  return Object.fromEntries(
    headerNames()
      .filter((name) => KEPT.test(name))
      .map((name) => [name, header(name) ?? '']),
  )
}

/** With keys that the user manages, a service reports another ETag than the MD5 of the content. */
function isOpaque(header: HttpResponse['header']): boolean {
  const encryption = header('x-amz-server-side-encryption') ?? ''
  return encryption.startsWith('aws:kms') || header('x-amz-server-side-encryption-customer-algorithm') !== null
}

export const etagOf = (text: string | null): string => (text ?? '').replace(/^"|"$/g, '')
/** The ETag of an object that was stored by one request is its MD5, unless the service encrypts with other keys. */
export const md5InTag = (etag: string): string | null => (/^[\da-f]{32}$/i.test(etag) ? etag.toLowerCase() : null)

function md5InMetadata(text: string | null): string | null {
  const bytes = Buffer.from(text ?? '', 'base64')
  return bytes.length === 16 ? bytes.toString('hex') : null
}

export type S3Page = {
  readonly objects: readonly S3Object[]
  /** Keys up to the delimiter, which each stand for all keys that begin so. */
  readonly prefixes: readonly string[]
  /** Continues the list; null at its end. */
  readonly token: string | null
}
export type ListRequest = {
  readonly prefix: string
  readonly delimiter?: '/'
  readonly token?: string | null
  /** Only keys after this one. */
  readonly after?: string | null
  readonly limit: number
}

/** A page of keys, in the order of their bytes. @throws Transient when the response is incomplete or does not fit the request */
export async function listPage(client: S3Client, call: Call, operation: string, request: ListRequest): Promise<S3Page> {
  const { prefix, delimiter, token, after, limit } = request
  const xml = await client.ask(call, operation, {
    method: 'GET',
    query: {
      'list-type': '2',
      'encoding-type': 'url',
      'max-keys': String(limit),
      prefix,
      ...(delimiter && { delimiter }),
      ...(token && { 'continuation-token': token }),
      ...(after && { 'start-after': after }),
    },
  })
  const refuse = (message: string): never => {
    throw new ProviderError('Transient', { provider: KIND, operation }, { message })
  }
  const isTruncated = textOf(xml, 'IsTruncated')
  if (xml.name !== 'ListBucketResult' || isTruncated === null) return refuse('The response is not a list.')
  const read = textOf(xml, 'EncodingType') === 'url' ? unescapeKey : (text: string) => text
  const objects = childrenOf(xml, 'Contents').flatMap((item) => listed(item, read) ?? [])
  const prefixes = childrenOf(xml, 'CommonPrefixes').flatMap((item) => read(textOf(item, 'Prefix') ?? '') ?? [])
  const keys = [...objects.map(({ key }) => key), ...prefixes]
  if (!keys.every((key) => key.startsWith(prefix))) return refuse('The list has other keys than requested.')
  const next = isTruncated === 'true' ? textOf(xml, 'NextContinuationToken') : null
  if (isTruncated === 'true' && (!next || next === token)) return refuse('The list does not continue.')
  return { objects, prefixes, token: next }
}

/** Null for what cannot be a key. */
function unescapeKey(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

/** Null where the key cannot be read: other clients can store keys that are no text. */
function listed(item: XmlElement, read: (text: string) => string | null): S3Object | null {
  const key = read(textOf(item, 'Key') ?? '')
  const size = Number(textOf(item, 'Size') ?? Number.NaN)
  const modified = Date.parse(textOf(item, 'LastModified') ?? '')
  if (key === null || !Number.isSafeInteger(size)) return null
  const etag = etagOf(textOf(item, 'ETag'))
  // In whole seconds, as in the metadata of the object.
  const modifiedAt = Number.isNaN(modified) ? null : new Date(Math.floor(modified / 1000) * 1000)
  return { key, size, etag, modifiedAt, storedMd5: null, isOpaque: false, metadata: {} }
}

/** Whether any key begins so. */
export async function hasKeys(client: S3Client, call: Call, operation: string, prefix: string): Promise<boolean> {
  const { objects, prefixes } = await listPage(client, call, operation, { prefix, limit: 1 })
  return objects.length + prefixes.length > 0
}

export type NewObject = Stored & { readonly key: string; readonly body: Uint8Array }

/** Stores a content that the service verifies by its MD5. @throws Conflict, with `condition` */
export async function putObject(
  client: S3Client,
  call: Call,
  operation: string,
  object: NewObject,
  condition: WriteCondition,
): Promise<void> {
  const { key, body } = object
  const headers = { ...storedHeaders(object), 'content-md5': base64Of(object.md5), ...condition }
  const response = await client.send(call, operation, { method: 'PUT', key, body, headers })
  response.dispose()
}

/** With it, nothing is overwritten. Not all services support it. */
export type WriteCondition = { readonly 'if-none-match'?: '*' }
export const UNLESS_THERE: WriteCondition = { 'if-none-match': '*' }

/** Whether the service refused the condition, and not the write. */
export function isConditionRefused(error: unknown): boolean {
  const failure = failureOf(error)
  return failure?.status === 501 || failure?.code === 'NotImplemented'
}

/** Stores an object of no bytes that stands for a folder. `movedFrom`: the folder whose content is being moved into it. */
export async function putMarker(
  client: S3Client,
  call: Call,
  operation: string,
  key: string,
  movedFrom?: string,
): Promise<void> {
  const headers = {
    'content-type': 'application/x-directory',
    'content-md5': base64Of(md5Of('')),
    ...(movedFrom !== undefined && { [MOVED_FROM]: md5Of(movedFrom) }),
  }
  const response = await client.send(call, operation, { method: 'PUT', key, body: '', headers })
  response.dispose()
}

/** As a digest: keys are longer than some services let metadata be, and not all characters are possible. */
const MOVED_FROM = 'x-amz-meta-skypool-moved-from'

/** Whether the object is a folder's that the content of the folder `from` is being moved into. */
export const isMovedFrom = ({ metadata }: S3Object, from: string): boolean => metadata[MOVED_FROM] === md5Of(from)

/** Resolves also when there is none. */
export async function deleteObject(client: S3Client, call: Call, operation: string, key: string): Promise<void> {
  const response = await client.send(call, operation, { method: 'DELETE', key }).catch((error: unknown) => {
    if (!isFailure(error, 'NotFound')) throw error
    return null
  })
  response?.dispose()
}

/** Up to 1,000 keys. @throws the error of the first key that could not be deleted */
export async function deleteObjects(
  client: S3Client,
  call: Call,
  operation: string,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return
  const objects = keys.map((key) => `<Object><Key>${escapeXml(key)}</Key></Object>`).join('')
  const body = `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>${objects}</Delete>`
  const headers = { 'content-type': 'application/xml', 'content-md5': base64Of(md5Of(body)) }
  const xml = await client.ask(call, operation, { method: 'POST', query: { delete: '' }, body, headers })
  const failed = childrenOf(xml, 'Error').find((item) => textOf(item, 'Code') !== 'NoSuchKey')
  if (!failed) return
  const code = textOf(failed, 'Code') === 'AccessDenied' ? 'Forbidden' : 'Transient'
  throw new ProviderError(code, { provider: KIND, operation }, { message: 'Not every object could be deleted.' })
}

/** Services check what was requested before they copy, and send spaces while they do. */
export const COPY_PATIENCE_MS = 300_000

/** What a copy is made of; if `exactly`, it must still be this version. */
export function copySource(client: S3Client, { key, etag }: S3Object, exactly: boolean): Record<string, string> {
  const path = [client.bucket, ...key.split('/')].map(escapeUri).join('/')
  return { 'x-amz-copy-source': `/${path}`, ...(exactly && { 'x-amz-copy-source-if-match': `"${etag}"` }) }
}

/** Copies an object with its metadata. @throws NotFound, SourceChanged */
export async function copyObject(
  client: S3Client,
  call: Call,
  operation: string,
  { source, key, exactly }: { readonly source: S3Object; readonly key: string; readonly exactly: boolean },
): Promise<void> {
  const headers = copySource(client, source, exactly)
  await client.ask(call, operation, { method: 'PUT', key, headers, patienceMs: COPY_PATIENCE_MS }).catch(sourceChanged)
}

/** For `catch`. The condition of a copy is about its source, and says nothing about the target. */
export function sourceChanged(error: unknown): never {
  if (!isFailure(error, 'Conflict')) throw error
  throw new SourceChanged(error.where)
}

/** What is copied has another ETag than expected. */
export class SourceChanged extends ProviderError {
  constructor(where: ProviderErrorWhere) {
    super('Transient', where, { message: 'The original changed while it was copied.' })
  }
}
