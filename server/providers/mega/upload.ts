import type { Call, NewEntry } from '../driver.ts'
import { isFailure } from '../errors.ts'
import { sessionFormat } from '../shared/session.ts'
import { createContentCipher, createContentMac, partEnd } from './content.ts'
import { fromBase64, newFileKey, toBase64 } from './crypto.ts'
import { failed, KIND, MEGA, megaError, megaNumber } from './errors.ts'
import type { MegaContext } from './files.ts'

/**
 * The saved state of an upload or a copy. It is a credential: with it, anyone can send bytes, and read the file once it is stored.
 */
export type Session = {
  readonly parent: string
  readonly name: string
  readonly size: number
  /** An attribute of the node, by which it is found when a response was lost. */
  readonly mark: string
  /** When it began (ms since 1970): older nodes are not looked at. */
  readonly since: number
  /** Null for a copy, and before MEGA has named an address. */
  readonly upload: Sending | null
}

/** Bytes that are on their way. They become a file only with a last call. */
export type Sending = {
  readonly url: string
  readonly key: string
  readonly nonce: string
  /** Bytes that MEGA has confirmed, up to the end of a chunk; `mac` is the state of their MAC. */
  readonly offset: number
  readonly mac: string
}

export const { sessionText, readSession } = sessionFormat(isSession)

function isSession(value: unknown): value is Session {
  if (typeof value !== 'object' || value === null) return false
  const { parent, name, size, mark, since, upload } = value as Record<string, unknown>
  const isTexts = [parent, name, mark].every((text) => typeof text === 'string')
  const isNumbers = typeof size === 'number' && typeof since === 'number'
  return isTexts && isNumbers && (upload === null || isSending(upload))
}

function isSending(value: unknown): value is Sending {
  if (typeof value !== 'object' || value === null) return false
  const { url, key, nonce, offset, mac } = value as Record<string, unknown>
  return [url, key, nonce, mac].every((text) => typeof text === 'string') && typeof offset === 'number'
}

export function sessionFor({ parent, name, size }: NewEntry, text: string | null): Session | null {
  const saved = readSession(text)
  return saved?.parent === parent && saved.name === name && saved.size === size ? saved : null
}

/** Asks for the address of an upload. @throws QuotaExceeded */
export async function beginSending({ client }: MegaContext, call: Call, size: number): Promise<Sending> {
  const { p } = (await client.ask(call, 'put', { a: 'u', s: size, ssl: 2 })) as { p?: unknown }
  if (typeof p !== 'string') throw failed('put', 'Transient', 'The response has no address.')
  const { key, nonce } = newFileKey()
  return { url: p, key: toBase64(key), nonce: toBase64(nonce), offset: 0, mac: toBase64(Buffer.alloc(16)) }
}

/** All bytes of an upload were sent: its handle, for the call that makes a file of it, and the MAC of the content. */
export type Sent = { readonly handle: string; readonly mac: Buffer }

/** The address does not exist any more, or does not accept what comes next: the upload starts over. */
export class SendingLost extends Error {}

/**
 * Sends the rest of a content in parts, from one read of it. `take`: the next bytes of the content. `confirm` is called after each
 * part. @throws SendingLost
 */
export async function sendRest(
  { client, limits }: MegaContext,
  call: Call,
  from: Sending,
  size: number,
  take: (length: number) => AsyncGenerator<Uint8Array>,
  confirm: (state: Sending) => Promise<void>,
): Promise<Sent> {
  const key = { key: fromBase64(from.key), nonce: fromBase64(from.nonce) }
  const mac = createContentMac(key, { offset: from.offset, state: fromBase64(from.mac) })
  async function* encrypted(start: number, length: number): AsyncGenerator<Uint8Array> {
    const cipher = createContentCipher(key, start)
    for await (const bytes of take(length)) {
      mac.update(bytes)
      yield cipher.update(bytes)
    }
  }
  for (let { offset } = from; ; ) {
    const end = partEnd(offset, size, limits.partBytes)
    const body = { length: end - offset, bytes: encrypted(offset, end - offset) }
    const handle = await sendPart(client, call, `${from.url}/${offset}`, body)
    if (end === size) {
      if (handle === null) throw new SendingLost('MEGA does not have all parts.')
      return { handle, mac: mac.digest() }
    }
    if (handle !== null) throw new SendingLost('MEGA takes a part for the end.')
    offset = end
    await confirm({ ...from, offset, mac: toBase64(mac.state) })
  }
}

const LOST_STATUSES = new Set([403, 404, 410])
const LOST_NUMBERS: ReadonlySet<number> = new Set([MEGA.failed, MEGA.range, MEGA.expired])

/** Storing the last part can take a while. */
const PATIENCE_MS = 120_000

/** @returns the upload's handle when MEGA has everything, null for other parts */
async function sendPart(
  client: MegaContext['client'],
  call: Call,
  url: string,
  body: { readonly length: number; readonly bytes: AsyncIterable<Uint8Array> },
): Promise<string | null> {
  const headers = { 'content-type': 'application/octet-stream' }
  try {
    const response = await client.send(call, 'put', { method: 'POST', url, headers, body, patienceMs: PATIENCE_MS })
    const text = await response.text()
    if (text === '') return null
    if (/^-\d+$/.test(text)) throw megaError(Number(text), { provider: KIND, operation: 'put' })
    if (/^[\w-]{36}$/.test(text)) return text
    throw failed('put', 'Transient', 'The response of the storage server is not readable.')
  } catch (error) {
    const isLost =
      LOST_NUMBERS.has(megaNumber(error) ?? 0) ||
      (isFailure(error, 'Transient') && LOST_STATUSES.has(error.where.status ?? 0))
    if (isLost) throw new SendingLost('The upload does not exist any more.', { cause: error })
    throw error
  }
}
