import type { FastifyRequest } from 'fastify'
import { InvalidInputError } from '../../domain/errors.ts'
import type { Checksum, OnConflict, Upload, UploadInput } from '../../domain/services.ts'
import { publicId } from '../../lib/ids.ts'
import { HttpError } from '../errors.ts'
import { databaseId } from '../request.ts'

export const TUS_VERSION = '1.0.0'
export const TUS_EXTENSIONS = 'creation,creation-with-upload,expiration,checksum,termination'
export const BODY_TYPE = 'application/offset+octet-stream'

const ALGORITHMS = ['sha1', 'sha256', 'md5'] as const
export const CHECKSUM_ALGORITHMS = ALGORITHMS.join(',')

/** It is kept with the upload: room for a long name and a long path beside it. */
const LONGEST_METADATA = 6_000

type Metadata = Record<string, string | null>

const ON_CONFLICT: Readonly<Record<string, OnConflict>> = { rename: 'RENAME', replace: 'REPLACE', fail: 'FAIL' }

/** `onConflict` of both upload doors: rename, replace or fail, in any case. @throws InvalidInputError */
export function onConflictOf(text: string | null | undefined): OnConflict | undefined {
  if (!text) return undefined
  return ON_CONFLICT[text.toLowerCase()] ?? invalid('onConflict', 'onConflict is rename, replace or fail.')
}

/** A whole number of bytes. @throws InvalidInputError, also beyond 2^53 - 1, where numbers stop being exact */
export function bytesOf(request: FastifyRequest, header: 'upload-length' | 'upload-offset'): number {
  const text = request.headers[header]
  const value = typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? value : invalid(header, `${header} is a whole number of bytes.`)
}

/** `Upload-Metadata`: pairs of a key and a base64 value. @throws InvalidInputError */
function metadataOf(request: FastifyRequest): Metadata {
  const header = request.headers['upload-metadata']
  if (typeof header !== 'string' || header === '') return {}
  if (header.length > LONGEST_METADATA) {
    return invalid('upload-metadata', `Upload-Metadata can have at most ${LONGEST_METADATA} characters.`)
  }
  return Object.fromEntries(header.split(',').map(pairOf))
}

function pairOf(pair: string): [string, string | null] {
  const match = /^ *([^\s,]+)(?: ([A-Za-z0-9+/]*={0,2}))? *$/.exec(pair)
  if (!match?.[1]) return invalid('upload-metadata', 'Upload-Metadata is a list of keys, each with a base64 value.')
  const value = match[2] === undefined ? null : Buffer.from(match[2], 'base64').toString()
  // The one character that PostgreSQL cannot store.
  if (value?.includes('\0')) return invalid('upload-metadata', 'Upload-Metadata cannot hold NUL characters.')
  return [match[1], value]
}

/** Metadata in the form that a HEAD answers with. */
function formatMetadata(metadata: Upload['metadata']): string {
  return Object.entries(metadata)
    .map(([key, value]) => (value === null ? key : `${key} ${Buffer.from(value).toString('base64')}`))
    .join(',')
}

/** What a creation asks for. @throws InvalidInputError, NotFoundError */
export function inputOf(request: FastifyRequest): UploadInput & { size: number; metadata: Metadata } {
  const metadata = metadataOf(request)
  const { filename, filetype, groupCloudId, parentId, onConflict } = metadata
  if (!filename) return invalid('upload-metadata', 'Upload-Metadata must hold the filename.')
  return {
    name: filename,
    mimeType: filetype ?? undefined,
    size: bytesOf(request, 'upload-length'),
    metadata,
    groupCloudId: groupCloudId ? databaseId('GroupCloud', groupCloudId) : undefined,
    parentId: parentId ? databaseId('File', parentId) : null,
    onConflict: onConflictOf(onConflict),
  }
}

/** `Upload-Checksum: <algorithm> <base64>`. @throws InvalidInputError */
export function checksumOf(request: FastifyRequest): Checksum | undefined {
  const header = request.headers['upload-checksum']
  if (header === undefined) return undefined
  const [name, digest] = String(header).split(' ')
  const algorithm = ALGORITHMS.find((known) => known === name)
  if (algorithm && digest) return { algorithm, digest: Buffer.from(digest, 'base64') }
  return invalid('upload-checksum', `Upload-Checksum is one of ${CHECKSUM_ALGORITHMS} and a base64 digest.`)
}

/** @throws HttpError 415 */
export function checkBodyType(request: FastifyRequest): void {
  if (request.headers['content-type'] === BODY_TYPE) return
  throw new HttpError('UNSUPPORTED_MEDIA_TYPE', `The bytes of an upload come as ${BODY_TYPE}.`)
}

/** Headers that describe an upload. */
export function headersOf({ size, offset, metadata, expiresAt, fileId }: Upload): Record<string, string> {
  return {
    'upload-offset': String(offset),
    'upload-length': String(size),
    'upload-metadata': formatMetadata(metadata),
    'upload-expires': expiresAt.toUTCString(),
    ...(fileId && { 'skypool-file-id': publicId('File', fileId) }),
  }
}

function invalid(path: string, message: string): never {
  throw new InvalidInputError([{ path, message }])
}
