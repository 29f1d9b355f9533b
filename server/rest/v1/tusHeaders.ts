import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { InvalidInputError } from '../../domain/errors.ts'
import type { OnConflict } from '../../domain/files/contract.ts'
import { namesOfPath } from '../../domain/files/service.ts'
import type { Checksum, Concatenation, NewUpload, Upload } from '../../domain/uploads/contract.ts'
import { publicId } from '../../lib/ids.ts'
import { HttpError } from '../errors.ts'
import { type Documented, databaseId } from '../request.ts'
import { noContent } from '../schemas.ts'

export const TUS_VERSION = '1.0.0'
export const TUS_EXTENSIONS =
  'creation,creation-with-upload,creation-defer-length,expiration,checksum,termination,concatenation'
/** The largest exact number. Available space is checked when an upload is created. */
export const TUS_MAX_SIZE = Number.MAX_SAFE_INTEGER
export const BODY_TYPE = 'application/offset+octet-stream'

const ALGORITHMS = ['sha1', 'sha256', 'md5'] as const
export const CHECKSUM_ALGORITHMS = ALGORITHMS.join(',')

/** Characters of `Upload-Metadata`, which is stored with the upload: enough for a long name and a long path. */
const MAX_METADATA = 6_000

type Metadata = Record<string, string | null>

const ON_CONFLICT: Readonly<Record<string, OnConflict>> = { rename: 'RENAME', replace: 'REPLACE', fail: 'FAIL' }

/** `onConflict` of tus and multipart uploads: rename, replace or fail, case-insensitive. @throws InvalidInputError */
export function onConflictOf(text: string | null | undefined): OnConflict | undefined {
  if (!text) return undefined
  return ON_CONFLICT[text.toLowerCase()] ?? invalid('onConflict', 'onConflict must be rename, replace or fail.')
}

/** Leaves the body as a stream, whatever its type. */
export function acceptRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
}

/** Refuses requests of another tus version. */
export async function checkVersion(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('tus-resumable', TUS_VERSION)
  if (request.method === 'OPTIONS' || request.method === 'GET') return
  if (request.headers['tus-resumable'] === TUS_VERSION) return
  throw new HttpError('PRECONDITION_FAILED', `The header Tus-Resumable must be ${TUS_VERSION}.`, {
    'tus-version': TUS_VERSION,
  })
}

/** A whole number of bytes. @throws InvalidInputError, HttpError 413 beyond TUS_MAX_SIZE */
export function bytesOf(request: FastifyRequest, header: 'upload-length' | 'upload-offset'): number {
  const text = request.headers[header]
  if (typeof text !== 'string' || !/^\d+$/.test(text))
    return invalid(header, `${header} must be a whole number of bytes.`)
  const value = Number(text)
  if (value <= TUS_MAX_SIZE) return value
  throw new HttpError('TOO_LARGE', `An upload can have at most ${TUS_MAX_SIZE} bytes.`, {
    'tus-max-size': String(TUS_MAX_SIZE),
  })
}

/** Length of the body; undefined: not known beforehand (chunked). */
export function bodyLengthOf({ headers }: FastifyRequest): number | undefined {
  return headers['content-length'] === undefined ? undefined : Number(headers['content-length'])
}

/** `Upload-Length`, where it is optional. @throws as bytesOf */
export function lengthOf(request: FastifyRequest): number | undefined {
  return request.headers['upload-length'] === undefined ? undefined : bytesOf(request, 'upload-length')
}

/** null: `Upload-Defer-Length: 1`, the length follows later. @throws as bytesOf */
function sizeOf(request: FastifyRequest): number | null {
  const deferred = request.headers['upload-defer-length']
  if (deferred === undefined) return bytesOf(request, 'upload-length')
  if (deferred !== '1') return invalid('upload-defer-length', 'Upload-Defer-Length must be 1.')
  if (request.headers['upload-length'] === undefined) return null
  return invalid('upload-defer-length', 'Only one of Upload-Length and Upload-Defer-Length is allowed.')
}

/** `Upload-Metadata`: pairs of a key and a base64 value. @throws InvalidInputError */
export function metadataOf(request: FastifyRequest): Metadata {
  const header = request.headers['upload-metadata']
  if (typeof header !== 'string' || header === '') return {}
  if (header.length > MAX_METADATA) {
    return invalid('upload-metadata', `Upload-Metadata can have at most ${MAX_METADATA} characters.`)
  }
  return Object.fromEntries(header.split(',').map(pairOf))
}

function pairOf(pair: string): [string, string | null] {
  const match = /^ *([^\s,]+)(?: ([A-Za-z0-9+/]*={0,2}))? *$/.exec(pair)
  if (!match?.[1])
    return invalid('upload-metadata', 'Upload-Metadata must be a list of keys, each with a base64 value.')
  const value = match[2] === undefined ? null : Buffer.from(match[2], 'base64').toString()
  // The only character that PostgreSQL cannot store.
  if (value?.includes('\0')) return invalid('upload-metadata', 'Upload-Metadata cannot contain NUL characters.')
  return [match[1], value]
}

/** Metadata as in the response to HEAD. */
function formatMetadata(metadata: Upload['metadata']): string {
  return Object.entries(metadata)
    .map(([key, value]) => (value === null ? key : `${key} ${Buffer.from(value).toString('base64')}`))
    .join(',')
}

/** Input of a creation; `folders`: names of folders below the parent, created if missing. */
type Creation = (NewUpload | Concatenation) & { readonly folders: readonly string[] }

/** @throws InvalidInputError, NotFoundError, HttpError 413 */
export function inputOf(request: FastifyRequest): Creation {
  const metadata = metadataOf(request)
  const { filename, filetype, groupCloudId, parentId, onConflict, relativePath } = metadata
  const concat = concatOf(request)
  const isPart = concat === 'partial'
  if (!filename && !isPart) return invalid('upload-metadata', 'Upload-Metadata must contain the filename.')
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
    return invalid('upload-length', 'A final upload has no Upload-Length: it follows from its parts.')
  }
  return { ...where, concat, partIds: partIdsOf(concat) }
}

/**
 * The folders of a path as browsers and Uppy send it, with the file name at the end. Uppy sends `null` for a file outside
 * any folder. @throws InvalidInputError as namesOfPath
 */
function foldersOf(relativePath: string | null | undefined): string[] {
  if (!relativePath || relativePath === 'null') return []
  const names = relativePath.split('/').slice(0, -1)
  return namesOfPath(names.filter((name) => name !== '').join('/'), 'relativePath')
}

/** `Upload-Concat`; null: none. @throws InvalidInputError */
function concatOf(request: FastifyRequest): string | null {
  const header = request.headers['upload-concat']
  if (header === undefined) return null
  if (header === 'partial' || /^final; *\S/.test(String(header))) return String(header)
  return invalid(
    'upload-concat',
    'Upload-Concat must be “partial”, or “final;” and the URLs of the parts separated by spaces.',
  )
}

/** Database ids of the parts of a final upload, given as URLs or paths. @throws NotFoundError */
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
  return invalid('upload-checksum', `Upload-Checksum must be one of ${CHECKSUM_ALGORITHMS} and a base64 digest.`)
}

/** @throws HttpError 415 */
export function checkBodyType(request: FastifyRequest): void {
  if (request.headers['content-type'] === BODY_TYPE) return
  throw new HttpError('UNSUPPORTED_MEDIA_TYPE', `Upload bytes must be sent as ${BODY_TYPE}.`)
}

/** Response headers that describe an upload. */
export function headersOf({
  size,
  offset,
  metadata,
  concat,
  expiresAt,
  fileId,
  parentId,
}: Upload): Record<string, string> {
  return {
    'upload-offset': String(offset),
    ...(size === null ? { 'upload-defer-length': '1' } : { 'upload-length': String(size) }),
    ...(concat && { 'upload-concat': concat }),
    'upload-metadata': formatMetadata(metadata),
    'upload-expires': expiresAt.toUTCString(),
    ...(fileId && { 'skypool-file-id': publicId('File', fileId) }),
    ...(fileId && parentId && { 'skypool-parent-id': publicId('File', parentId) }),
  }
}

function invalid(path: string, message: string): never {
  throw new InvalidInputError([{ path, message }])
}

const version = { 'tus-resumable': z.literal('1.0.0') }
const checksum = {
  'upload-checksum': z
    .string()
    .optional()
    .describe('`sha1`, `sha256` or `md5`, a space, and the base64 digest of this body.'),
}
const bytes = z.file()
const progress = {
  'Tus-Resumable': { type: 'string', description: 'The protocol version: `1.0.0`.' },
  'Upload-Offset': { type: 'integer', description: 'Bytes safely stored.' },
  'Upload-Length': { type: 'integer', description: 'Bytes of the whole file.' },
  'Upload-Metadata': { type: 'string', description: 'As it was sent.' },
  'Upload-Expires': { type: 'string', description: 'When an inactive upload is deleted.' },
} as const
/** `Upload-Expires` is described in the text: what has arrived does not expire, and a documented header is always there. */
const { 'Upload-Metadata': _ofOwners, 'Upload-Expires': _untilArrived, ...linkProgress } = progress
const UNTIL_ARRIVED = '`Upload-Expires` (until the last byte): when an inactive upload is deleted.'
const spoken = {
  'Tus-Version': { type: 'string', description: 'Supported versions.' },
  'Tus-Extension': { type: 'string', description: 'Supported extensions, separated by commas.' },
  'Tus-Max-Size': { type: 'integer', description: 'Maximum of `Upload-Length` in bytes.' },
  'Tus-Checksum-Algorithm': { type: 'string', description: 'Algorithms supported by `Upload-Checksum`.' },
} as const

/** Documentation of the tus routes: headers and raw bodies, which no JSON schema validates. */
export const TUS_DOCS = {
  options: { response: { 204: noContent }, responseHeaders: { 204: spoken } },
  create: {
    headers: z.object({
      ...version,
      'upload-length': z
        .int()
        .optional()
        .describe('Bytes of the whole file; omitted with `Upload-Defer-Length` and for a final upload.'),
      'upload-defer-length': z.literal('1').optional().describe('Instead of `Upload-Length`: a later PATCH sends it.'),
      'upload-concat': z
        .string()
        .optional()
        .describe(
          '`partial` creates a part, which does not become a file by itself; `final;` and the URLs of complete parts, separated by spaces, joins them into one file.',
        ),
      'upload-metadata': z
        .string()
        .optional()
        .describe(
          '`filename`, optionally `filetype`, `groupCloudId`, `parentId`, `onConflict`, `relativePath` (missing folders are created), each with a base64 value. Not needed for parts.',
        ),
      'idempotency-key': z.string().max(255).optional(),
      ...checksum,
    }),
    consumes: [BODY_TYPE],
    body: bytes,
    response: {
      201: z.null().describe('`Location` is the URL of the upload, `Upload-Offset` the bytes received.'),
    },
    responseHeaders: { 201: { Location: { type: 'string', description: 'URL of the upload.' }, ...progress } },
  },
  head: {
    headers: z.object(version),
    response: { 200: z.null().describe('`Upload-Offset`, `Upload-Length`, `Upload-Metadata` and `Upload-Expires`.') },
    responseHeaders: { 200: progress },
  },
  append: {
    headers: z.object({
      ...version,
      'upload-offset': z.int().describe('Position of the first byte of this body.'),
      'upload-length': z.int().optional().describe('Bytes of the whole file, once, if not sent before.'),
      ...checksum,
    }),
    consumes: [BODY_TYPE],
    body: bytes,
    response: {
      204: z
        .null()
        .describe(
          '`Upload-Offset`: bytes safely stored. After the last byte, `Skypool-File-Id` is the file and `Skypool-Parent-Id` its folder (absent: the root, where it also goes if its folder is gone by then).',
        ),
    },
    responseHeaders: { 204: progress },
  },
  remove: { headers: z.object(version), response: { 204: noContent } },
} satisfies Record<string, Documented>

/** The same for uploads through an upload link, which have one file each, of a size that is known from the beginning. */
export const TUS_LINK_DOCS = {
  create: {
    headers: z.object({
      ...version,
      'upload-length': z.int().describe('Bytes of the whole file.'),
      'upload-metadata': z
        .string()
        .describe('`filename`, optionally `filetype` and `visitorName`, each with a base64 value.'),
      ...checksum,
    }),
    consumes: [BODY_TYPE],
    body: bytes,
    response: {
      201: z
        .null()
        .describe(`\`Location\` is the URL of the upload, \`Upload-Offset\` the bytes received. ${UNTIL_ARRIVED}`),
    },
    responseHeaders: { 201: { Location: { type: 'string', description: 'URL of the upload.' }, ...linkProgress } },
  },
  head: {
    headers: z.object(version),
    response: { 200: z.null().describe(`\`Upload-Offset\` and \`Upload-Length\`. ${UNTIL_ARRIVED}`) },
    responseHeaders: { 200: linkProgress },
  },
  append: {
    headers: z.object({
      ...version,
      'upload-offset': z.int().describe('Position of the first byte of this body.'),
      ...checksum,
    }),
    consumes: [BODY_TYPE],
    body: bytes,
    response: { 204: z.null().describe(`\`Upload-Offset\`: bytes safely stored. ${UNTIL_ARRIVED}`) },
    responseHeaders: { 204: linkProgress },
  },
  remove: TUS_DOCS.remove,
} satisfies Record<string, Documented>
