import { pipeline, type Readable, Transform } from 'node:stream'
import { destroyOnAbort } from '../../lib/concurrency.ts'
import type { ByteRange, Call, Download, EntryRef } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { emptyDownload, exactDownload } from '../shared/download.ts'
import type { HttpResponse } from '../shared/http.ts'
import { createContentCipher, createContentMac } from './content.ts'
import { type FileKey, unpackFileKey } from './crypto.ts'
import { failed, KIND, MEGA, megaError, transferQuotaUsed } from './errors.ts'
import { type MegaContext, requireKey, requireNode } from './files.ts'
import { type MegaNode, NODE } from './nodes.ts'

const WHERE = { provider: KIND, operation: 'get' }

/** Where files can be downloaded: an address works for hours, and is asked for again when it does not. */
export type Addresses = Map<string, { readonly url: string; readonly until: number }>

const ADDRESS_MS = 5 * 60_000
const MAX_ADDRESSES = 500

/** Driver.get. A content that is read as a whole is checked by its MAC: the body breaks with Corrupt at its end. */
export async function download(
  context: MegaContext,
  addresses: Addresses,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
): Promise<Download> {
  const node = await fileOf(context, call, ref)
  const key = unpackFileKey(requireKey(context, 'get', node).key)
  if (node.s === 0) return emptyDownload()
  const { start, end } = range ?? { start: 0, end: node.s - 1 }
  const response = await openBytes(context, addresses, call, node, { start, end })
  const { body } = exactDownload(response, end - start + 1, WHERE)
  const isWhole = start === 0 && end === node.s - 1
  return { body: decrypted(call, body, key, start, isWhole) }
}

async function fileOf(context: MegaContext, call: Call, ref: EntryRef): Promise<MegaNode> {
  const { tree } = context
  call.signal.throwIfAborted()
  // A file that is known is still there, or MEGA says so: its content never changes.
  const isKnown = tree.isLoaded && tree.get(ref) !== null
  if (!isKnown) await tree.sync(call)
  const node = requireNode(context, 'get', ref)
  if (node.t === NODE.file) return node
  throw failed('get', 'Permanent', 'A folder has no content.')
}

/** Statuses with which a storage server refuses an address that has expired (SDK: ask for a fresh one). */
const REFUSED = new Set([403, 404])

async function openBytes(
  { client }: MegaContext,
  addresses: Addresses,
  call: Call,
  { h, s }: MegaNode,
  { start, end }: ByteRange,
): Promise<HttpResponse> {
  const known = addresses.get(h)
  const open = (url: string) => client.send(call, 'get', { method: 'GET', url: `${url}/${start}-${end}` })
  if (known && known.until > Date.now()) {
    try {
      return await open(known.url)
    } catch (error) {
      const status = error instanceof ProviderError ? (error.where.status ?? 0) : 0
      if (!REFUSED.has(status)) throw error
      addresses.delete(h)
    }
  }
  const { url, size } = readAddress(await client.ask(call, 'get', { a: 'g', g: 1, n: h, ssl: 2 }))
  if (size !== s) throw failed('get', 'Corrupt', `MEGA has ${size} of ${s} bytes.`)
  const [oldest] = addresses.keys()
  if (addresses.size >= MAX_ADDRESSES && oldest !== undefined) addresses.delete(oldest)
  addresses.set(h, { url, until: Date.now() + ADDRESS_MS })
  return open(url)
}

function readAddress(result: unknown): { readonly url: string; readonly size: number } {
  const { g, s, e, tl } = (result ?? {}) as { g?: unknown; s?: unknown; e?: unknown; tl?: unknown }
  if (typeof e === 'number' && e < 0) {
    if (e !== MEGA.overQuota) throw megaError(e, WHERE)
    throw transferQuotaUsed(WHERE, typeof tl === 'number' ? tl * 1000 : null)
  }
  if (typeof g === 'string' && typeof s === 'number') return { url: g, size: s }
  throw failed('get', 'Transient', 'The response has no address.')
}

function decrypted(call: Call, source: Readable, key: FileKey, start: number, isWhole: boolean): Readable {
  const cipher = createContentCipher(key, start)
  const mac = isWhole ? createContentMac(key) : null
  const body = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const plain = cipher.update(chunk)
      mac?.update(plain)
      done(null, plain)
    },
    flush(done) {
      const isRight = !mac || mac.digest().equals(key.mac)
      done(isRight ? null : failed('get', 'Corrupt', 'The stored bytes do not belong to the key of the file.'))
    },
  })
  pipeline(source, body, () => undefined)
  return destroyOnAbort(call.signal, body)
}
