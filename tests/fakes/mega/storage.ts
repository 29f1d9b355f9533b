import type { Exchange } from '../core/service.ts'
import { chunkSizes } from './crypto.ts'
import { newHandle, type State, type Upload, type User } from './state.ts'

const ERANGE = '-7'
const EEXPIRED = '-8'
const HANDLE_BYTES = 27
const LARGEST_PART = 64 * 1024 * 1024

/** The storage server: `/ul/ID/OFFSET` takes parts of an upload, `/dl/ID/START-END` returns bytes. */
export async function storage(state: State, exchange: Exchange): Promise<void> {
  const [, way, id = '', place = ''] = /^\/(ul|dl)\/([\w-]+)(?:\/([\d-]*))?$/.exec(exchange.url.pathname) ?? []
  if (way === 'ul') return takePart(state, exchange, id, place)
  if (way === 'dl') return sendBytes(state, exchange, id, place)
  await exchange.begin('unknown')
  await exchange.send(404)
}

async function takePart(state: State, exchange: Exchange, id: string, place: string): Promise<void> {
  const upload = state.uploads.get(id)
  await exchange.begin('upload', upload?.user.email ?? null)
  const bytes = await exchange.readBody(LARGEST_PART)
  if (exchange.take('serverError')) return exchange.send(503)
  if (!upload) return exchange.send(200, {}, EEXPIRED)
  const offset = Number(place || '0')
  if (!isPart(upload.size, offset, bytes.length)) return exchange.send(200, {}, ERANGE)
  upload.parts.set(offset, bytes)
  await exchange.send(200, { 'Content-Type': 'application/octet-stream' }, (await finish(state, upload)) ?? '')
}

/** Parts begin and end between chunks. */
function isPart(size: number, offset: number, length: number): boolean {
  const ends = [0]
  for (const chunk of chunkSizes(size)) ends.push((ends.at(-1) ?? 0) + chunk)
  return ends.includes(offset) && ends.includes(offset + length) && (length > 0 || size === 0)
}

/** The handle, once all parts are there; the same one for a part that is sent again. */
async function finish(state: State, upload: Upload): Promise<string | null> {
  if (upload.handle !== null) return upload.handle
  const inOrder = [...upload.parts].sort(([one], [other]) => one - other)
  let reached = 0
  for (const [offset, bytes] of inOrder) if (offset === reached) reached += bytes.length
  if (reached !== upload.size) return null
  const blob = state.blobs.create()
  for (const [, bytes] of inOrder) await blob.append(bytes)
  upload.parts.clear()
  upload.content = { blob, id: newHandle(12) }
  upload.handle = newHandle(HANDLE_BYTES)
  state.contents.set(upload.content.id, upload.content)
  return upload.handle
}

async function sendBytes(state: State, exchange: Exchange, id: string, place: string): Promise<void> {
  const content = state.contents.get(id)
  const owner = [...state.users.values()].find(({ nodes }) =>
    [...nodes.values()].some((node) => node.content === content),
  )
  await exchange.begin('download', owner?.email ?? null)
  if (exchange.take('serverError')) return exchange.send(503)
  if (!content || !owner) return exchange.send(404)
  const [start = 0, last = content.blob.size - 1] = place === '' ? [] : place.split('-').map(Number)
  const end = Math.min(last + 1, content.blob.size)
  if (!spend(owner, end - start)) return exchange.send(509, { 'X-MEGA-Time-Left': owner.transfer?.secondsLeft })
  const type = { 'Content-Type': 'application/octet-stream' }
  await exchange.sendObject(200, type, end - start, content.blob.read(start, end))
}

/** False when the transfer quota is used up. */
function spend({ transfer }: User, bytes: number): boolean {
  if (!transfer) return true
  transfer.bytesLeft -= bytes
  return transfer.bytesLeft >= 0
}
