import { randomBytes } from 'node:crypto'
import type { Exchange } from '../../core/service.ts'
import { type Call, PhotosError, type Upload } from './library.ts'

// Google's protocol of uploads: https://developers.google.com/photos/library/guides/resumable-uploads

const GRANULARITY = 262_144
const TOKEN_LIFE_MS = 24 * 3_600_000

/** One request of an upload: of a raw one, or of a resumable one by its command. */
export async function upload(call: Call): Promise<void> {
  const { exchange } = call
  const header = (name: string): string => String(exchange.request.headers[`x-goog-upload-${name}`] ?? '')
  const commands = header('command')
    .split(',')
    .map((command) => command.trim())
  if (header('protocol') === 'raw') return raw(call)
  if (commands.includes('start')) return start(call, header('raw-size'))
  const { searchParams } = exchange.url
  const found = call.photos.uploads.get(searchParams.get('upload_id') ?? '')
  if (!found || found.user !== call.user || found.isCancelled) throw new PhotosError(404, 'NOT_FOUND', 'Not Found')
  if (commands.includes('query')) return answer(call, found)
  if (commands.includes('cancel')) {
    found.isCancelled = true
    return exchange.send(200, { 'X-Goog-Upload-Status': 'cancelled' })
  }
  if (!commands.includes('upload')) throw invalid('The upload command is unknown.')
  if (found.token !== null) throw invalid('The upload is final.')
  await take(exchange, found, Number(header('offset')), commands.includes('finalize'))
  if (commands.includes('finalize')) finish(call, found)
  return answer(call, found)
}

const invalid = (message: string): PhotosError => new PhotosError(400, 'INVALID_ARGUMENT', message)

async function raw(call: Call): Promise<void> {
  const made = create(call, null)
  for await (const chunk of call.exchange.body()) await made.blob.append(chunk)
  if (made.blob.size === 0) throw invalid('The request has no bytes.')
  finish(call, made)
  await call.exchange.send(200, { 'Content-Type': 'text/plain' }, made.token ?? '')
}

function create({ exchange, photos, user, clientId }: Call, size: number | null): Upload {
  const header = exchange.request.headers['x-goog-upload-file-name']
  const fileName = typeof header === 'string' ? Buffer.from(header, 'latin1').toString() : null
  return { user, clientId, size, fileName, blob: photos.blobs.create(), token: null, isCancelled: false }
}

async function start(call: Call, rawSize: string): Promise<void> {
  const { exchange, photos } = call
  const size = Number(rawSize)
  if (rawSize !== '' && (!Number.isInteger(size) || size <= 0)) throw invalid('The raw size is invalid.')
  const id = randomBytes(24).toString('base64url')
  photos.uploads.set(id, create(call, rawSize === '' ? null : size))
  const url = new URL(exchange.url)
  url.search = new URLSearchParams({ upload_id: id, upload_protocol: 'resumable' }).toString()
  await exchange.send(200, {
    'X-Goog-Upload-Status': 'active',
    'X-Goog-Upload-URL': url.href,
    'X-Goog-Upload-Chunk-Granularity': GRANULARITY,
  })
}

/** Whole units of the granularity are kept of what breaks off. */
async function take(exchange: Exchange, { blob, size }: Upload, offset: number, isLast: boolean): Promise<void> {
  if (offset !== blob.size) throw invalid(`The offset ${offset} is not the received size ${blob.size}.`)
  let waiting = Buffer.alloc(0)
  for await (const chunk of exchange.body()) {
    waiting = Buffer.concat([waiting, chunk])
    const whole = Math.floor(waiting.length / GRANULARITY) * GRANULARITY
    if (whole === 0) continue
    await blob.append(waiting.subarray(0, whole))
    waiting = waiting.subarray(whole)
  }
  if (!isLast && waiting.length > 0) throw invalid('The part has another granularity.')
  await blob.append(waiting)
  if (isLast && size !== null && blob.size !== size) throw invalid(`${blob.size} of ${size} bytes were sent.`)
}

function finish({ photos }: Call, found: Upload): void {
  found.token = `CAIS${randomBytes(48).toString('base64url')}`
  photos.tokens.set(found.token, { upload: found, expiresAt: photos.clock() + TOKEN_LIFE_MS })
}

/** Where the upload stands; its token, once it is final. */
function answer({ exchange }: Call, { token, blob }: Upload): Promise<void> {
  const status = {
    'X-Goog-Upload-Status': token === null ? 'active' : 'final',
    'X-Goog-Upload-Size-Received': blob.size,
  }
  return exchange.send(200, { 'Content-Type': 'text/plain', ...status }, token ?? '')
}
