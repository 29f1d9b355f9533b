import type { FastifyRequest } from 'fastify'
import { InvalidInputError } from '../../domain/errors.ts'
import type { OnConflict } from '../../domain/files/contract.ts'
import type { Checksum, Concatenation, NewUpload, Upload } from '../../domain/uploads/contract.ts'
import { publicId } from '../../lib/ids.ts'
import { HttpError } from '../errors.ts'
import { databaseId } from '../request.ts'

export const TUS_VERSION = '1.0.0'
export const TUS_EXTENSIONS =
  'creation,creation-with-upload,creation-defer-length,expiration,checksum,termination,concatenation'
/** Where numbers stop being exact. What there is room for is said when an upload begins. */
export const TUS_MAX_SIZE = Number.MAX_SAFE_INTEGER
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

/** A whole number of bytes. @throws InvalidInputError, HttpError 413 beyond TUS_MAX_SIZE */
export function bytesOf(request: FastifyRequest, header: 'upload-length' | 'upload-offset'): number {
  const text = request.headers[header]
  if (typeof text !== 'string' || !/^\d+$/.test(text)) return invalid(header, `${header} is a whole number of bytes.`)
  const value = Number(text)
  if (value <= TUS_MAX_SIZE) return value
  throw new HttpError('TOO_LARGE', `An upload has at most ${TUS_MAX_SIZE} bytes.`, {
    'tus-max-size': String(TUS_MAX_SIZE),
  })
}

/** `Upload-Length` of a request that may say it. @throws as bytesOf */
export function lengthOf(request: FastifyRequest): number | undefined {
  return request.headers['upload-length'] === undefined ? undefined : bytesOf(request, 'upload-length')
}

/** null: `Upload-Defer-Length: 1`, it is said later. @throws as bytesOf */
function sizeOf(request: FastifyRequest): number | null {
  const deferred = request.headers['upload-defer-length']
  if (deferred === undefined) return bytesOf(request, 'upload-length')
  if (deferred !== '1') return invalid('upload-defer-length', 'Upload-Defer-Length is 1.')
  if (request.headers['upload-length'] === undefined) return null
  return invalid('upload-defer-length', 'An upload has either Upload-Length or Upload-Defer-Length.')
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

/** What a creation asks for; `folders`: names of folders below the parent that are made when they are missing. */
export type Creation = (NewUpload | Concatenation) & { readonly folders: readonly string[] }

/** @throws InvalidInputError, NotFoundError, HttpError 413 */
export function inputOf(request: FastifyRequest): Creation {
  const metadata = metadataOf(request)
  const { filename, filetype, groupCloudId, parentId, onConflict, relativePath } = metadata
  const concat = concatOf(request)
  const isPart = concat === 'partial'
  if (!filename && !isPart) return invalid('upload-metadata', 'Upload-Metadata must hold the filename.')
  const where = {
    name: filename ?? '',
    mimeType: filetype ?? undefined,
    metadata,
    groupCloudId: groupCloudId ? databaseId('GroupCloud', groupCloudId) : undefined,
    parentId: parentId ? databaseId('File', parentId) : null,
    onConflict: onConflictOf(onConflict),
    folders: isPart ? [] : foldersOf(relativePath),
  }
  if (concat === null || isPart) return { ...where, size: sizeOf(request), isPart }
  if (request.headers['upload-length'] !== undefined) {
    return invalid('upload-length', 'The length of a final upload follows from its parts.')
  }
  return { ...where, concat, partIds: partIdsOf(concat) }
}

/**
 * The folders of a path as browsers and Uppy give it, the file's own name at its end. Uppy sends `null` for a file that was not
 * in a folder.
 */
function foldersOf(relativePath: string | null | undefined): string[] {
  if (!relativePath || relativePath === 'null') return []
  return relativePath
    .split('/')
    .slice(0, -1)
    .filter((name) => name !== '')
}

/** `Upload-Concat`; null: none. @throws InvalidInputError */
function concatOf(request: FastifyRequest): string | null {
  const header = request.headers['upload-concat']
  if (header === undefined) return null
  if (header === 'partial' || /^final; *\S/.test(String(header))) return String(header)
  return invalid(
    'upload-concat',
    'Upload-Concat is “partial”, or “final;” and the addresses of the parts with spaces between.',
  )
}

/** Database ids of the parts of a final upload, whose addresses may be whole or paths. @throws NotFoundError */
function partIdsOf(concat: string): string[] {
  const addresses = concat.slice('final;'.length).trim().split(/ +/)
  return addresses.map((address) => databaseId('Upload', address.split('/').at(-1) ?? ''))
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
export function headersOf({ size, offset, metadata, concat, expiresAt, fileId }: Upload): Record<string, string> {
  return {
    'upload-offset': String(offset),
    ...(size === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(size) }),
    ...(concat && { 'upload-concat': concat }),
    'upload-metadata': formatMetadata(metadata),
    'upload-expires': expiresAt.toUTCString(),
    ...(fileId && { 'skypool-file-id': publicId('File', fileId) }),
  }
}

function invalid(path: string, message: string): never {
  throw new InvalidInputError([{ path, message }])
}
