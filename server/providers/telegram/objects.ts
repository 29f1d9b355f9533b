import { randomBytes } from 'node:crypto'
import type { ByteRange, Call, EntryRef } from '../driver.ts'
import { isFailure, nothingWhen } from '../errors.ts'
import type { BotApi, Message } from './api.ts'
import { contentIn, contentLength, decrypt, encryptedLength, placeOf, type Stored } from './cipher.ts'
import { failed, KIND } from './errors.ts'

// An object is one or more messages with documents. The last one that is sent, its head, makes it exist: it holds the object's
// metadata and either the whole content, or the list of the messages with its parts. The ref names the head. So the channel alone
// has all that is needed to read an object, and there is no separate index that could be wrong.

/** Bots can download 20 MB (https://core.telegram.org/bots/api#getfile). */
export const DOCUMENT_BYTES = 19 * 1024 * 1024
/** Room for metadata in a head with content. */
const METADATA_BYTES = 64 * 1024
/** A list of them fits well into a head, and into a session. */
const MAX_PARTS = 2000

export type TelegramLimits = { readonly documentBytes: number }

export const partBytes = ({ documentBytes }: TelegramLimits): number => contentLength(documentBytes)
/** The largest content that is stored in the head itself. */
export const headBytes = (limits: TelegramLimits): number => Math.max(0, partBytes(limits) - METADATA_BYTES)
export const MAX_OBJECT_BYTES = MAX_PARTS * contentLength(DOCUMENT_BYTES)

/** A document in the channel. */
export type Place = { readonly messageId: number; readonly fileId: string }
export type Part = Place & { readonly size: number; readonly salt: string }
/** `objectId` is random and not used twice; `headBytes`: size of the head's document. */
export type ObjectRef = Place & {
  readonly objectId: string
  readonly size: number
  readonly isWhole: boolean
  readonly headBytes: number
}

/** One account. */
export type Channel = {
  readonly api: BotApi
  readonly chat: string
  readonly key: Buffer
  readonly limits: TelegramLimits
  /** File ids that replace those of refs, by message: another bot has others. */
  readonly fileIds: Map<number, string>
  /** Lists of parts by ref, the newest last. */
  readonly lists: Map<EntryRef, readonly Part[]>
  /** The highest known number of a message in the channel; null: not known yet. */
  newest: number | null
}

export const newObjectId = (): string => randomBytes(16).toString('base64url')

/** `index` null: the head. */
export const fileNameOf = (objectId: string, index: number | null): string => `${objectId}.${index ?? 'head'}`

export function refText({ messageId, objectId, size, isWhole, headBytes, fileId }: ObjectRef): EntryRef {
  return [messageId, objectId, size, isWhole ? 'w' : 'p', headBytes, fileId].join('~') as EntryRef
}

/** Null for what is no ref of this driver. */
export function readRef(ref: EntryRef): ObjectRef | null {
  const [, messageId, objectId = '', size, kind, headBytes, fileId = ''] =
    /^(\d{1,15})~([\w-]{22})~(\d{1,15})~([wp])~(\d{1,9})~([\w-]+)$/.exec(ref) ?? []
  if (messageId === undefined) return null
  const isWhole = kind === 'w'
  return { messageId: Number(messageId), objectId, size: Number(size), isWhole, headBytes: Number(headBytes), fileId }
}

/** @throws NotFound */
export function requireRef(ref: EntryRef, operation: string): ObjectRef {
  const object = readRef(ref)
  if (object) return object
  throw failed(operation, 'NotFound', 'This is no object of the channel.')
}

/** The encrypted part of a head before its content: the length of the JSON in 4 bytes, and the JSON. */
export type Metadata = { readonly name: string; readonly mimeType: string | null; readonly parts: readonly Part[] }

export function metadataBytes(metadata: Metadata): Buffer {
  const json = Buffer.from(JSON.stringify({ v: 1, ...metadata }))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(json.length)
  return Buffer.concat([length, json])
}

/** The content of an object, or a range of it. */
export async function* readObject(
  channel: Channel,
  call: Call,
  ref: EntryRef,
  range: ByteRange | null,
): AsyncGenerator<Buffer> {
  const object = requireRef(ref, 'get')
  const start = range?.start ?? 0
  const end = range ? range.end + 1 : object.size
  if (object.isWhole) {
    yield* readWhole(channel, call, object, start, end)
    return
  }
  let at = 0
  for (const [index, part] of (await partsOf(channel, call, 'get', ref)).entries()) {
    const [from, to] = [Math.max(start - at, 0), Math.min(end - at, part.size)]
    at += part.size
    if (from < to) yield* readPart(channel, call, `${object.objectId} ${index}`, part, from, to)
  }
}

async function* readPart(
  channel: Channel,
  call: Call,
  purpose: string,
  part: Part,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  const { offset } = placeOf(start)
  const stored: Stored = { length: part.size, where: { provider: KIND, operation: 'get' } }
  const { body, from } = await open(channel, call, stored, part, offset)
  const salt = Buffer.from(part.salt, 'base64url')
  yield* decrypt({ key: channel.key, purpose }, stored, { body, from, salt }, { start, end })
}

/** Of a head, whose metadata has a length that only the head tells. */
async function* readWhole(
  channel: Channel,
  call: Call,
  object: ObjectRef,
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  const { content } = await openHead(channel, call, 'get', object)
  let at = 0
  for await (const bytes of content) {
    const wanted = bytes.subarray(Math.max(0, start - at), Math.max(0, end - at))
    at += bytes.length
    if (wanted.length > 0) yield wanted
    // Not before the last block is checked, where the whole content is read.
    if (at >= end && end < object.size) return
  }
}

/** The parts of an object, from its head. @throws NotFound, Corrupt */
export async function partsOf(
  channel: Channel,
  call: Call,
  operation: string,
  ref: EntryRef,
): Promise<readonly Part[]> {
  const known = channel.lists.get(ref)
  if (known) return known
  const { metadata, content } = await openHead(channel, call, operation, requireRef(ref, operation))
  await content.return(undefined)
  remember(channel.lists, ref, metadata.parts)
  return metadata.parts
}

const MAX_REMEMBERED = 16

function remember<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): void {
  known.set(key, value)
  const [oldest] = known.keys()
  if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest)
}

type OpenHead = { readonly metadata: Metadata; readonly content: AsyncGenerator<Buffer> }

async function openHead(channel: Channel, call: Call, operation: string, object: ObjectRef): Promise<OpenHead> {
  const stored: Stored = { length: contentIn(object.headBytes), where: { provider: KIND, operation } }
  const { body } = await open(channel, call, stored, object, 0)
  const by = { key: channel.key, purpose: `${object.objectId} head` }
  const plain = decrypt(by, stored, { body, from: 0, salt: null }, { start: 0, end: stored.length })
  const first = await plain.next()
  return headOf(first.done ? Buffer.alloc(0) : first.value, plain, object, stored)
}

async function headOf(
  block: Buffer,
  plain: AsyncGenerator<Buffer>,
  { size, isWhole }: ObjectRef,
  { length, where }: Stored,
): Promise<OpenHead> {
  const jsonLength = block.length < 4 ? 0 : block.readUInt32BE(0)
  if (length !== 4 + jsonLength + (isWhole ? size : 0)) {
    await plain.return(undefined)
    throw failed(where.operation, 'Corrupt', 'The object has another length than the one that was stored.')
  }
  let read = block
  while (read.length < 4 + jsonLength) {
    const next = await plain.next()
    if (next.done) throw failed(where.operation, 'Transient', 'The download ended early.')
    read = Buffer.concat([read, next.value])
  }
  const metadata = JSON.parse(read.subarray(4, 4 + jsonLength).toString()) as Metadata
  async function* content(): AsyncGenerator<Buffer> {
    try {
      yield read.subarray(4 + jsonLength)
      yield* plain
    } finally {
      await plain.return(undefined)
    }
  }
  return { metadata, content: content() }
}

async function open(channel: Channel, call: Call, { length, where }: Stored, place: Place, offset: number) {
  const { response, size, from } = await openFile(channel, call, where.operation, place, offset)
  if (size === encryptedLength(length) && (from === 0 || from === offset)) return { body: response.body, from }
  response.dispose()
  throw failed(where.operation, 'Transient', `${size ?? 'No'} of ${encryptedLength(length)} bytes were announced.`)
}

/** Opens a document, from `offset` on or from its begin (`from`). `size`: of the whole document, as announced. */
async function openFile(channel: Channel, call: Call, operation: string, place: Place, offset: number) {
  const fileId = channel.fileIds.get(place.messageId) ?? place.fileId
  const response = await channel.api.openFile(call, operation, fileId, offset).catch((error: unknown) => {
    if (!isFailure(error, 'NotFound')) throw error
    return openByMessage(channel, call, operation, place, offset)
  })
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.header('content-range') ?? '')
  const announced = response.header('content-length')
  if (response.status === 206 && range) return { response, from: Number(range[1]), size: Number(range[2]) }
  return { response, from: 0, size: announced === null ? null : Number(announced) }
}

/** The id of a file can be refused although the message is there, as of another bot: then the message tells the present one. */
async function openByMessage(channel: Channel, call: Call, operation: string, { messageId }: Place, offset: number) {
  const { api, chat, fileIds } = channel
  const message: Message | null = await api.find(call, operation, chat, messageId)
  if (!message?.document) throw failed(operation, 'NotFound', 'The message was deleted.')
  const response = await api.openFile(call, operation, message.document.fileId, offset).catch(nothingWhen('NotFound'))
  if (!response) throw failed(operation, 'Transient', 'Telegram does not return the file of a message at the moment.')
  fileIds.set(messageId, message.document.fileId)
  return response
}
