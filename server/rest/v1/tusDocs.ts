import { z } from 'zod'
import type { Documented } from '../request.ts'
import { noContent } from '../schemas.ts'
import { BODY_TYPE } from './tusHeaders.ts'

const version = { 'tus-resumable': z.literal('1.0.0') }
const checksum = {
  'upload-checksum': z
    .string()
    .optional()
    .describe('`sha1`, `sha256` or `md5`, a space, the base64 digest of this body.'),
}
const bytes = z.file()
const progress = {
  'Tus-Resumable': { type: 'string', description: 'The version spoken: `1.0.0`.' },
  'Upload-Offset': { type: 'integer', description: 'Bytes that are safely stored.' },
  'Upload-Length': { type: 'integer', description: 'Bytes of the whole file.' },
  'Upload-Metadata': { type: 'string', description: 'As it was sent.' },
  'Upload-Expires': { type: 'string', description: 'When an upload that rests is given up.' },
} as const
const spoken = {
  'Tus-Version': { type: 'string', description: 'Versions spoken.' },
  'Tus-Extension': { type: 'string', description: 'Extensions spoken, with commas between.' },
  'Tus-Max-Size': { type: 'integer', description: 'The most bytes that `Upload-Length` may say.' },
  'Tus-Checksum-Algorithm': { type: 'string', description: 'Digests that `Upload-Checksum` may use.' },
} as const

/** What the tus routes read and answer by themselves: headers and raw bytes that no JSON schema validates. */
export const TUS_DOCS = {
  options: { response: { 204: noContent }, answerHeaders: { 204: spoken } },
  create: {
    headers: z.object({
      ...version,
      'upload-length': z.int().optional().describe('Bytes of the whole file; left out with the two headers below.'),
      'upload-defer-length': z
        .literal('1')
        .optional()
        .describe('Instead of `Upload-Length`: the PATCH that knows the length says it.'),
      'upload-concat': z
        .string()
        .optional()
        .describe(
          '`partial` makes a part that becomes no file; `final;` and the addresses of complete parts, with spaces between, makes one file of them.',
        ),
      'upload-metadata': z
        .string()
        .optional()
        .describe(
          '`filename`, and if you like `filetype`, `groupCloudId`, `parentId`, `onConflict`, `relativePath` (missing folders on it are made), each with a base64 value. Parts need none.',
        ),
      'idempotency-key': z.string().max(255).optional(),
      ...checksum,
    }),
    consumes: [BODY_TYPE],
    body: bytes,
    response: {
      201: z.null().describe('`Location` is the address of the upload, `Upload-Offset` how much of it is here.'),
    },
    answerHeaders: { 201: { Location: { type: 'string', description: 'Address of the upload.' }, ...progress } },
  },
  head: {
    headers: z.object(version),
    response: { 200: z.null().describe('`Upload-Offset`, `Upload-Length`, `Upload-Metadata` and `Upload-Expires`.') },
    answerHeaders: { 200: progress },
  },
  append: {
    headers: z.object({
      ...version,
      'upload-offset': z.int().describe('Where these bytes begin.'),
      'upload-length': z.int().optional().describe('Bytes of the whole file, once, where they were not said before.'),
      ...checksum,
    }),
    consumes: [BODY_TYPE],
    body: bytes,
    response: { 204: z.null().describe('`Upload-Offset` says how much is safely stored.') },
    answerHeaders: { 204: progress },
  },
  remove: { headers: z.object(version), response: { 204: noContent } },
} satisfies Record<string, Documented>
