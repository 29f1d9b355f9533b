import { Buffer } from 'node:buffer'
import { badRequest, DriveError, invalid, storageFull } from '../errors.ts'
import { type Call, parseJson, readJson, writableFile } from './call.ts'
import { fileMask } from './files.ts'
import { checkNew, type Metadata } from './metadata.ts'
import { store, type Target } from './receive.ts'
import { startSession } from './resumable.ts'

/** Documented for media and multipart; rclone sends up to 8 MiB this way, and is served. */
const MOST_SIMPLE = 16 * 1024 * 1024
const MOST_BYTES = 5 * 1024 ** 4

/** The three ways to send bytes; `id` is that of the file whose content is replaced. */
export async function upload(call: Call, id: string | null): Promise<void> {
  const type = call.query.get('uploadType')
  if (type === 'resumable') return resumable(call, id)
  if (type === 'multipart') return multipart(call, id)
  if (type === 'media') return media(call, id)
  throw badRequest(
    type === null ? 'Upload requests must include an uploadType parameter.' : `Unknown upload type: ${type}`,
  )
}

async function resumable(call: Call, id: string | null): Promise<void> {
  const { headers } = call.exchange.request
  const metadata = await readJson(call)
  const said = headers['x-upload-content-length']
  const size = said === undefined ? null : Number(said)
  if (size !== null && (!Number.isInteger(size) || size < 0 || size > MOST_BYTES)) {
    throw new DriveError(400, 'uploadTooLarge', 'The upload is larger than the allowed size.')
  }
  const target = targetOf(call, id, metadata, String(headers['x-upload-content-type'] ?? ''))
  if (call.exchange.take('full') || !call.google.hasRoom(call.user, size ?? 0)) throw storageFull()
  await startSession(call, target, size)
}

function targetOf(call: Call, id: string | null, metadata: Metadata, type: string): Target {
  const mask = fileMask(call)
  if (id === null) checkNew(call, metadata)
  return { metadata, mask, type, replaces: id === null ? null : writableFile(call, id) }
}

async function media(call: Call, id: string | null): Promise<void> {
  const bytes = await call.exchange.readBody(MOST_SIMPLE)
  await simple(call, targetOf(call, id, {}, call.exchange.request.headers['content-type'] ?? ''), bytes)
}

async function multipart(call: Call, id: string | null): Promise<void> {
  const type = call.exchange.request.headers['content-type'] ?? ''
  const [, quoted, plain] = /^multipart\/related;.*boundary=(?:"([^"]+)"|([^;\s]+))/is.exec(type) ?? []
  const boundary = quoted ?? plain
  if (!boundary) throw badRequest('Missing multipart boundary.')
  const body = await call.exchange.readBody(MOST_SIMPLE)
  const [metadata, content] = partsOf(body, boundary)
  if (!metadata || !content) throw badRequest('Malformed multipart body.')
  if (!/^application\/json/i.test(metadata.type))
    throw invalid('Content-Type', 'The first part must be application/json.')
  await simple(call, targetOf(call, id, parseJson(metadata.body.toString()), content.type), content.body)
}

async function simple(call: Call, target: Target, bytes: Buffer): Promise<void> {
  if (call.exchange.take('full') || !call.google.hasRoom(call.user, bytes.length)) throw storageFull()
  const blob = call.google.store.blobs.create()
  await blob.append(bytes)
  await call.exchange.sendJson(200, await store(call, target, blob))
}

type Part = { readonly type: string; readonly body: Buffer }

function partsOf(body: Buffer, boundary: string): Part[] {
  const mark = Buffer.from(`--${boundary}`)
  const parts: Part[] = []
  for (let at = body.indexOf(mark); at >= 0; ) {
    const start = body.indexOf('\r\n', at) + 2
    const end = body.indexOf(Buffer.concat([Buffer.from('\r\n'), mark]), start - 2)
    if (start < 2 || end < 0) return parts
    const split = body.indexOf('\r\n\r\n', start - 2)
    if (split < 0 || split > end) return parts
    const head = body.subarray(start, Math.max(start, split)).toString()
    const [, type = ''] = /^content-type:\s*(.+?)\s*$/im.exec(head) ?? []
    parts.push({ type, body: body.subarray(split + 4, Math.max(split + 4, end)) })
    at = end + 2
  }
  return parts
}
