import { randomBytes } from 'node:crypto'
import type { Blob } from '../../core/blobs.ts'
import { type Exchange, ExchangeEnded } from '../../core/service.ts'
import { backendError, badRequest, playDriveFaults, playServerError, storageFull } from '../errors.ts'
import type { Google } from '../google.ts'
import type { Call } from './call.ts'
import { store, type Target } from './receive.ts'

/** An upload under way; its address is all that is needed to go on with it. */
export type Session = {
  readonly id: string
  readonly call: Call
  readonly target: Target
  /** As said at the start; null = not yet known. */
  size: number | null
  readonly blob: Blob
  readonly expiresAt: number
  state: 'open' | 'done' | 'cancelled'
  /** Of a done one: every later question is answered alike. */
  answer: unknown
  /** Requests of one session are taken one after the other. */
  busy: Promise<unknown>
  /** Whose turn it is. */
  current: Exchange | null
}

const GRAIN = 256 * 1024
const LIFE_MS = 7 * 24 * 3600 * 1000

export async function startSession(call: Call, target: Target, size: number | null): Promise<void> {
  const { google, exchange } = call
  const id = `AB${randomBytes(60).toString('base64url')}`
  const session: Session = {
    id,
    call,
    target,
    size,
    blob: google.store.blobs.create(),
    expiresAt: google.store.clock() + LIFE_MS,
    state: 'open',
    answer: null,
    busy: Promise.resolve(),
    current: null,
  }
  google.sessions.set(id, session)
  const address = new URL(exchange.url)
  address.searchParams.set('upload_id', id)
  await exchange.send(200, {
    Location: address.href,
    'X-GUploader-UploadID': id,
    'Content-Type': 'text/html; charset=UTF-8',
  })
}

/** PUT or POST of a chunk, question where it stands, DELETE: at the address of a session. */
export async function continueSession(exchange: Exchange, google: Google): Promise<void> {
  const session = google.sessions.get(exchange.url.searchParams.get('upload_id') ?? '')
  const header = exchange.request.headers['content-range']
  const what = exchange.method === 'DELETE' ? 'cancel' : /^bytes \*/.test(header ?? '') ? 'status' : 'chunk'
  await exchange.begin(`drive.upload.${what}`, session?.call.user.email)
  playDriveFaults(exchange)
  const plain = { 'Content-Type': 'text/plain; charset=utf-8' }
  if (!session || session.expiresAt <= google.store.clock()) return exchange.send(404, plain, 'Not Found')
  // Whoever asks again has given up what was sent before, also when its connection still stands.
  session.current?.request.destroy()
  const turn = session.busy.then(() => {
    session.current = exchange
    if (session.state === 'cancelled') return exchange.send(499, plain, '')
    if (what === 'cancel') return cancel(exchange, session)
    return takePart({ ...session.call, exchange }, session, header)
  })
  session.busy = turn
    .catch(() => undefined)
    .then(() => {
      session.current = null
    })
  await turn
}

async function cancel(exchange: Exchange, session: Session): Promise<void> {
  // What has become a file stays one.
  if (session.state === 'open') await session.blob.remove()
  session.state = 'cancelled'
  await exchange.send(499, { 'Content-Type': 'text/plain; charset=utf-8' })
}

async function takePart(call: Call, session: Session, header: string | undefined): Promise<void> {
  const { exchange } = call
  if (session.state === 'done') return exchange.sendJson(200, session.answer)
  const range = header === undefined ? wholeBody(exchange, session) : contentRange(header)
  if (!range) throw badRequest('Failed to parse Content-Range header.')
  const { total } = range
  if (total !== null && session.size !== null && total !== session.size) {
    throw badRequest(`Invalid request. The total size ${total} does not match the ${session.size} bytes said before.`)
  }
  session.size ??= total
  if (range.end > range.start) await append(call, session, range)
  else playServerError(exchange)
  if (session.size === null || session.blob.size < session.size) return incomplete(exchange, session)
  if (exchange.take('full') || !call.google.hasRoom(call.user, session.size)) throw storageFull()
  session.answer = await store(call, session.target, session.blob)
  session.state = 'done'
  await exchange.sendJson(200, session.answer)
}

type Range = { readonly start: number; readonly end: number; readonly total: number | null }

/** null = not a Content-Range; a question about the state has `start` = `end`. */
function contentRange(header: string): Range | null {
  const [, from, to, of] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+|\*)$/.exec(header) ?? []
  if (of === undefined) return null
  const total = of === '*' ? null : Number(of)
  if (from === undefined || to === undefined) return { start: 0, end: 0, total }
  const range = { start: Number(from), end: Number(to) + 1, total }
  return range.start < range.end && (total === null || range.end <= total) ? range : null
}

function wholeBody({ request }: Exchange, { size }: Session): Range {
  const length = request.headers['content-length']
  const total = length === undefined ? size : Number(length)
  return { start: 0, end: total ?? Number.POSITIVE_INFINITY, total }
}

/** Keeps what is new of the body, whole grains of it unless it is the end. */
async function append(call: Call, session: Session, range: Range): Promise<void> {
  const { exchange } = call
  const { blob } = session
  checkRange(exchange, session, range)
  const broken = exchange.take('serverError')
  const isLast = session.size !== null && range.end === session.size
  const aim = Number.isFinite(range.end) && !isLast ? blob.size + grains(range.end - blob.size) : range.end
  const limit = broken ? Math.min(aim, blob.size + grains(broken.bytes ?? 0)) : aim
  const received = await receive(exchange, blob, range.start, limit)
  if (broken) throw backendError(broken)
  if (Number.isFinite(range.end) && received !== range.end - range.start) {
    throw badRequest(
      `Invalid request. There were ${received} byte(s) in the request body. There should have been ${range.end - range.start} byte(s) according to the Content-Range header.`,
    )
  }
  if (!Number.isFinite(range.end)) session.size = blob.size
}

function checkRange(exchange: Exchange, { blob, size }: Session, { start, end }: Range): void {
  if (start > blob.size) {
    const offset = `the upload offset is ${start} byte(s), which exceeds already uploaded size of ${blob.size} byte(s).`
    throw badRequest(`Invalid request. According to the Content-Range header, ${offset}`)
  }
  const length = Number(exchange.request.headers['content-length'] ?? end - start)
  if (Number.isFinite(end) && length !== end - start) {
    const should = `There should have been ${end - start} byte(s) according to the Content-Range header.`
    throw badRequest(`Invalid request. There were ${length} byte(s) in the request body. ${should}`)
  }
  if (end !== size && end - start < GRAIN) {
    throw badRequest(
      `Invalid request. The number of bytes uploaded is required to be equal or greater than ${GRAIN}, except for the final request (it's recommended to be the exact multiple of ${GRAIN}). The received request contained ${end - start} bytes, which does not meet this requirement.`,
    )
  }
}

const grains = (bytes: number): number => Math.max(0, Math.floor(bytes / GRAIN) * GRAIN)

/** Appends from `blob.size` up to `limit`. A body that breaks off leaves whole grains. Gives how long the body was. */
async function receive(exchange: Exchange, blob: Blob, start: number, limit: number): Promise<number> {
  const before = blob.size
  let at = start
  let waiting: Buffer[] = []
  let held = 0
  const keep = async (): Promise<void> => {
    const all = Buffer.concat(waiting)
    const whole = grains(blob.size - before + all.length) - (blob.size - before)
    if (whole <= 0) return
    await blob.append(all.subarray(0, whole))
    waiting = [all.subarray(whole)]
    held = all.length - whole
  }
  try {
    for await (const chunk of exchange.body()) {
      const part = chunk.subarray(Math.max(0, blob.size + held - at), Math.max(0, limit - at))
      at += chunk.length
      waiting.push(part)
      held += part.length
      if (held >= GRAIN) await keep()
    }
  } catch (error) {
    if (error instanceof ExchangeEnded) await keep()
    throw error
  }
  await blob.append(Buffer.concat(waiting))
  return at - start
}

function incomplete(exchange: Exchange, { blob }: Session): Promise<void> {
  return exchange.send(308, blob.size > 0 ? { Range: `bytes=0-${blob.size - 1}` } : {})
}
