import { childrenOf, escapeXml, textOf } from '../../lib/s3/xml.ts'
import type { Call } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import type { HttpBody } from '../shared/http.ts'
import { KIND, type S3Client } from './client.ts'
import {
  base64Of,
  COPY_PATIENCE_MS,
  copySource,
  etagOf,
  type S3Object,
  sourceChanged,
  type WriteCondition,
} from './objects.ts'

const MAX_PARTS = 10_000
const MIB = 1024 * 1024

/** An upload in parts, which has a key only when it is completed. */
export type Multipart = { readonly key: string; readonly uploadId: string }
export type Part = { readonly number: number; readonly size: number; readonly etag: string }

/** Size of all parts but the last: whole MiB, so many that 10,000 parts are enough. */
export function partBytesFor(size: number, atLeast: number): number {
  return size <= atLeast * MAX_PARTS ? atLeast : Math.ceil(size / MAX_PARTS / MIB) * MIB
}

export async function createMultipart(
  client: S3Client,
  call: Call,
  operation: string,
  key: string,
  headers: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const xml = await client.ask(call, operation, { method: 'POST', key, query: { uploads: '' }, headers })
  const uploadId = textOf(xml, 'UploadId')
  if (uploadId) return uploadId
  throw new ProviderError('Transient', { provider: KIND, operation }, { message: 'No upload was started.' })
}

/** Sends a part, which the service verifies by its MD5. @throws NotFound when the upload does not exist any more */
export async function sendPart(
  client: S3Client,
  call: Call,
  operation: string,
  { key, uploadId }: Multipart,
  { number, body, md5 }: { readonly number: number; readonly body: HttpBody; readonly md5: string },
): Promise<string> {
  const query = { partNumber: String(number), uploadId }
  const headers = { 'content-md5': base64Of(md5) }
  const response = await client.send(call, operation, { method: 'PUT', key, query, headers, body })
  response.dispose()
  return etagOf(response.header('etag'))
}

export type CopiedPart = {
  readonly number: number
  readonly source: S3Object
  readonly start: number
  readonly end: number
  /** See copySource. */
  readonly exactly: boolean
}

/** Copies a range of an object into a part. @throws SourceChanged */
export async function copyPart(
  client: S3Client,
  call: Call,
  operation: string,
  { key, uploadId }: Multipart,
  { number, source, start, end, exactly }: CopiedPart,
): Promise<string> {
  const request = {
    method: 'PUT',
    key,
    query: { partNumber: String(number), uploadId },
    headers: { ...copySource(client, source, exactly), 'x-amz-copy-source-range': `bytes=${start}-${end}` },
    patienceMs: COPY_PATIENCE_MS,
  } as const
  const xml = await client.ask(call, operation, request).catch(sourceChanged)
  return etagOf(textOf(xml, 'ETag'))
}

/** The parts that are stored, by number. Null when the upload was completed, aborted or never existed. */
export async function listParts(
  client: S3Client,
  call: Call,
  operation: string,
  { key, uploadId }: Multipart,
): Promise<readonly Part[] | null> {
  const parts: Part[] = []
  for (let marker = 0; ; ) {
    const query = { uploadId, 'max-parts': '1000', ...(marker > 0 && { 'part-number-marker': String(marker) }) }
    const xml = await client.ask(call, operation, { method: 'GET', key, query }).catch(nothingWhen('NotFound'))
    if (xml === null) return null
    for (const part of childrenOf(xml, 'Part')) {
      const [number, size] = [Number(textOf(part, 'PartNumber')), Number(textOf(part, 'Size') ?? Number.NaN)]
      parts.push({ number, size, etag: etagOf(textOf(part, 'ETag')) })
    }
    if (textOf(xml, 'IsTruncated') !== 'true') return parts
    const next = Number(textOf(xml, 'NextPartNumberMarker'))
    if (!(next > marker)) {
      throw new ProviderError('Transient', { provider: KIND, operation }, { message: 'The list does not continue.' })
    }
    marker = next
  }
}

/** The service assembles a large object before it responds. */
const COMPLETE_PATIENCE_MS = 300_000

/** Gives the parts their key. Resolves again when repeated, on most services. @throws NotFound, Conflict */
export async function completeMultipart(
  client: S3Client,
  call: Call,
  operation: string,
  { key, uploadId }: Multipart,
  parts: readonly Part[],
  condition: WriteCondition,
): Promise<void> {
  const list = parts.map(
    ({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>"${escapeXml(etag)}"</ETag></Part>`,
  )
  const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${list.join('')}</CompleteMultipartUpload>`
  await client.ask(call, operation, {
    method: 'POST',
    key,
    query: { uploadId },
    headers: { 'content-type': 'application/xml', ...condition },
    body,
    patienceMs: COMPLETE_PATIENCE_MS,
  })
}

/** Resolves also when the upload does not exist any more. */
export async function abortMultipart(
  client: S3Client,
  call: Call,
  operation: string,
  { key, uploadId }: Multipart,
): Promise<void> {
  try {
    const response = await client.send(call, operation, { method: 'DELETE', key, query: { uploadId } })
    response.dispose()
  } catch (error) {
    if (!isFailure(error, 'NotFound')) throw error
  }
}
