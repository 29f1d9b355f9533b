import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { escapeUri } from '../../lib/s3/sign.ts'
import { childrenOf, escapeXml, textOf, type XmlElement } from '../../lib/s3/xml.ts'
import type { S3Client } from './client.ts'
import { isMissing, isUploadGone, S3Error } from './errors.ts'

// The requests that the store consists of. Bodies are verified by the service (Content-MD5), and its ETag by us where it is an MD5.

export type Body = { readonly chunks: readonly Buffer[]; readonly md5: Buffer }
export type Part = { readonly number: number; readonly etag: string; readonly size: number }
export type Upload = { readonly key: string; readonly uploadId: string }
export type Listed = { readonly key: string; readonly size: number; readonly modifiedAt: number }
export type OpenUpload = Upload & { readonly begunAt: number }
type Page<Item> = { readonly items: readonly Item[]; readonly next: Marker | null }
export type Marker = Readonly<Record<string, string>>

/** Services check what was requested before they begin, and send spaces while they copy or assemble. */
const PATIENCE_MS = 300_000
const TYPE = { 'content-type': 'application/octet-stream' }

export type S3Objects = ReturnType<typeof createS3Objects>

export function createS3Objects(client: S3Client) {
  async function head(key: string): Promise<{ readonly size: number; readonly etag: string } | null> {
    try {
      const { headers } = await client.send({ operation: 'head', method: 'HEAD', key })
      return { size: Number(headers['content-length']), etag: etagOf(headers.etag) }
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  async function write(
    operation: string,
    key: string,
    { chunks: body, md5 }: Body,
    more: { query?: Record<string, string>; until?: number | undefined; headers?: Record<string, string> },
  ): Promise<string> {
    const headers = { ...more.headers, 'content-md5': md5.toString('base64') }
    const { query = {}, until } = more
    const answer = await client.send({ operation, method: 'PUT', key, query, headers, body, until })
    const etag = etagOf(answer.headers.etag)
    if (!isOpaque(answer.headers) && isMd5(etag) && etag !== md5.toString('hex')) throw altered(operation)
    return etag
  }

  /** Whether the object has this content by now, although completing its upload failed or was not answered. */
  async function isComplete(key: string, size: number): Promise<boolean> {
    return (await head(key))?.size === size
  }

  return {
    head,

    /** Replaces the object. The write ends before `until`, or fails. */
    put: (key: string, body: Body, until?: number) => write('put', key, body, { until, headers: TYPE }),

    /** Bytes `start` to `end` inclusive. Null when it does not exist, or has fewer bytes than `start`. */
    async get(
      key: string,
      { start, end, etag, signal }: { start: number; end: number; etag?: string; signal?: AbortSignal | undefined },
    ): Promise<{ readonly body: IncomingMessage; readonly total: number; readonly etag: string } | null> {
      const headers = { range: `bytes=${start}-${end}`, ...(etag !== undefined && { 'if-match': `"${etag}"` }) }
      try {
        const body = await client.open({ operation: 'get', method: 'GET', key, headers, signal })
        return { body, total: totalOf(body), etag: etagOf(body.headers.etag) }
      } catch (error) {
        if (isMissing(error) || (error instanceof S3Error && error.status === 416)) return null
        throw error
      }
    },

    /** Resolves also when it does not exist. */
    async delete(key: string): Promise<void> {
      await client.send({ operation: 'delete', method: 'DELETE', key }).catch((error: unknown) => {
        if (!isMissing(error)) throw error
      })
    },

    async beginUpload(key: string): Promise<string> {
      const xml = await client.ask({ operation: 'begin', method: 'POST', key, query: { uploads: '' }, headers: TYPE })
      const uploadId = textOf(xml, 'UploadId')
      if (!uploadId) throw new S3Error('begin', { status: 500, code: 'NoUploadId' })
      return uploadId
    },

    async sendPart({ key, uploadId }: Upload, number: number, body: Body): Promise<Part> {
      const query = { partNumber: String(number), uploadId }
      const etag = await write('part', key, body, { query })
      return { number, etag, size: sizeOf(body.chunks) }
    },

    /** Copies bytes `start` to `end` inclusive of another object, without reading them. */
    async copyPart(
      { key, uploadId }: Upload,
      number: number,
      { from, start, end, etag }: { from: string; start: number; end: number; etag?: string },
    ): Promise<Part> {
      const path = [client.bucket, ...from.split('/')].map(escapeUri).join('/')
      const headers = {
        'x-amz-copy-source': `/${path}`,
        'x-amz-copy-source-range': `bytes=${start}-${end}`,
        ...(etag !== undefined && { 'x-amz-copy-source-if-match': `"${etag}"` }),
      }
      const query = { partNumber: String(number), uploadId }
      const xml = await client.ask({ operation: 'copy', method: 'PUT', key, query, headers, patienceMs: PATIENCE_MS })
      return { number, etag: etagOf(textOf(xml, 'ETag') ?? undefined), size: end - start + 1 }
    },

    /**
     * Gives the parts their key. Resolves also when an earlier call whose answer was lost has done it.
     * @throws S3Error, also when the upload does not exist and the object is not what these parts are
     */
    async completeUpload({ key, uploadId }: Upload, parts: readonly Part[], until?: number): Promise<void> {
      const size = parts.reduce((sum, part) => sum + part.size, 0)
      const list = parts.map(
        ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>"${escapeXml(etag)}"</ETag></Part>`,
      )
      const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list.join('')}</CompleteMultipartUpload>`
      const headers = { 'content-type': 'application/xml' }
      const request = { operation: 'complete', method: 'POST', key, query: { uploadId }, headers, body } as const
      try {
        const xml = await client.ask({ ...request, until, patienceMs: PATIENCE_MS })
        checkTag(etagOf(textOf(xml, 'ETag') ?? undefined), parts)
      } catch (error) {
        if (!(isUploadGone(error) && (await isComplete(key, size)))) throw error
      }
    },

    /** All parts that the upload has in the store, by number. @throws S3Error when it does not exist */
    async listParts({ key, uploadId }: Upload): Promise<Part[]> {
      const parts: Part[] = []
      for (let marker: Marker | null = {}; marker !== null; ) {
        const query: Marker = { uploadId, ...marker }
        const xml: XmlElement = await client.ask({ operation: 'list parts', method: 'GET', key, query })
        for (const part of childrenOf(xml, 'Part')) {
          const etag = etagOf(textOf(part, 'ETag') ?? undefined)
          parts.push({ number: Number(textOf(part, 'PartNumber')), etag, size: Number(textOf(part, 'Size')) })
        }
        marker = nextOf(xml, { NextPartNumberMarker: 'part-number-marker' })
      }
      return parts
    },

    /** Resolves also when the upload does not exist any more. */
    async abortUpload({ key, uploadId }: Upload): Promise<void> {
      const request = { operation: 'abort', method: 'DELETE', key, query: { uploadId } } as const
      await client.send(request).catch((error: unknown) => {
        // Swift reports one that was completed like a key without an object.
        if (!isUploadGone(error) && !isMissing(error)) throw error
      })
    },

    /** A page of keys, in the order of their bytes. */
    async list(prefix: string, marker: Marker = {}): Promise<Page<Listed>> {
      const query = { 'list-type': '2', prefix, ...marker }
      const xml = await client.ask({ operation: 'list', method: 'GET', query })
      const items = childrenOf(xml, 'Contents').map((item) => ({
        key: textOf(item, 'Key') ?? '',
        size: Number(textOf(item, 'Size') ?? Number.NaN),
        modifiedAt: Date.parse(textOf(item, 'LastModified') ?? ''),
      }))
      return { items, next: nextOf(xml, { NextContinuationToken: 'continuation-token' }) }
    },

    /** A page of uploads that are not complete. */
    async listUploads(prefix: string, marker: Marker = {}): Promise<Page<OpenUpload>> {
      const query = { uploads: '', prefix, ...marker }
      const xml = await client.ask({ operation: 'list uploads', method: 'GET', query })
      const items = childrenOf(xml, 'Upload').map((item) => ({
        key: textOf(item, 'Key') ?? '',
        uploadId: textOf(item, 'UploadId') ?? '',
        begunAt: Date.parse(textOf(item, 'Initiated') ?? ''),
      }))
      return { items, next: nextOf(xml, { NextKeyMarker: 'key-marker', NextUploadIdMarker: 'upload-id-marker' }) }
    },
  }
}

const BATCH = 1_000

/** All pages of a list, as batches of at most 1,000. */
export async function* pages<Item>(
  read: (marker?: Marker) => Promise<{ readonly items: readonly Item[]; readonly next: Marker | null }>,
): AsyncIterable<readonly Item[]> {
  for (let marker: Marker | undefined; ; ) {
    const { items, next } = await read(marker)
    for (let at = 0; at < items.length; at += BATCH) yield items.slice(at, at + BATCH)
    if (next === null) return
    marker = next
  }
}

/** The id in a key: `…/<id>`, or `…/<id>-1-1` of a tail. */
export function idIn(key: string): string | null {
  return /\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:-\d+-\d+)?$/.exec(key)?.[1] ?? null
}

const sizeOf = (chunks: readonly Buffer[]): number => chunks.reduce((sum, chunk) => sum + chunk.length, 0)

export function bodyOf(bytes: Buffer): Body {
  return { chunks: [bytes], md5: createHash('md5').update(bytes).digest() }
}

function etagOf(text: string | undefined): string {
  return (text ?? '').replace(/^"|"$/g, '')
}

function isMd5(etag: string): boolean {
  return /^[\da-f]{32}$/.test(etag)
}

/** With keys that the bucket's owner manages, the ETag is not the MD5 of the content. */
function isOpaque(headers: IncomingMessage['headers']): boolean {
  const kind = headers['x-amz-server-side-encryption']
  return String(kind ?? '').startsWith('aws:kms') || 'x-amz-server-side-encryption-customer-algorithm' in headers
}

/** The usual ETag of an object in parts: the MD5 of their MD5s, and their number. */
function checkTag(etag: string, parts: readonly Part[]): void {
  const [, sum, count] = /^([\da-f]{32})-(\d+)$/.exec(etag) ?? []
  if (sum === undefined || Number(count) !== parts.length || !parts.every((part) => isMd5(part.etag))) return
  const whole = createHash('md5')
  for (const part of parts) whole.update(part.etag, 'hex')
  if (whole.digest('hex') !== sum) throw altered('complete')
}

function altered(operation: string): S3Error {
  return new S3Error(operation, { status: 400, code: 'AnotherContentWasStored' })
}

/** Size of the object that a response has a range of. */
function totalOf({ headers, statusCode }: IncomingMessage): number {
  if (statusCode === 200) return Number(headers['content-length'])
  return Number(/\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? Number.NaN)
}

function nextOf(xml: XmlElement, names: Marker): Marker | null {
  if (textOf(xml, 'IsTruncated') !== 'true') return null
  const found = Object.entries(names).flatMap(([name, parameter]) => {
    const text = textOf(xml, name)
    return text ? [[parameter, text] as const] : []
  })
  return found.length === 0 ? null : Object.fromEntries(found)
}
