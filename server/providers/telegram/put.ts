import type { Call, Content, Entry, IsNeeded, NewEntry, PutProgress } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { createRunningHash, openSource, type Source } from '../shared/source.ts'
import { MARK, type Message } from './api.ts'
import { encrypt, encryptedLength, newSalt } from './cipher.ts'
import { failed, KIND } from './errors.ts'
import {
  type Channel,
  fileNameOf,
  headBytes,
  MAX_OBJECT_BYTES,
  metadataBytes,
  newObjectId,
  partBytes,
  refText,
} from './objects.ts'
import { readSession, type Session, sessionText } from './session.ts'

type Upload = {
  readonly channel: Channel
  readonly call: Call
  readonly entry: NewEntry
  readonly content: Content
  readonly progress: PutProgress
}

const WHERE = { provider: KIND, operation: 'put' }
/** Messages that are looked at for a lost one: more than others can send while one document is on its way. */
const MAX_LOOKED_AT = 200

/**
 * Driver.put. Contents of more than one document are sent as parts, which have no meaning until the head names them; the head is sent
 * last. If the answer to a document is lost, it is found by its name among the messages since then, and not sent again.
 */
export async function put(upload: Upload): Promise<Entry> {
  const { call, entry, progress, channel } = upload
  if (entry.size > MAX_OBJECT_BYTES)
    throw new ProviderError('TooLarge', WHERE, { message: `${MAX_OBJECT_BYTES} bytes are possible at most.` })
  const saved = readSession(progress.session)
  const known = saved && saved.size === entry.size ? await resume(upload, saved) : null
  const session = known ?? (await start(upload))
  const stored = session.head ? session : await sendAll(upload, session)
  if (stored.lateAfter !== null) await deleteLate(channel, call, stored)
  progress.onProgress(entry.size)
  return entryOf(entry, stored)
}

async function start({ channel, call, entry }: Upload): Promise<Session> {
  channel.newest ??= await newestMessage(channel, call, WHERE.operation)
  const fresh = { parts: [], head: null, pending: null, lateAfter: null }
  return { ...fresh, objectId: newObjectId(), size: entry.size, after: channel.newest }
}

function entryOf({ name, size }: NewEntry, { objectId, head, parts }: Session): Entry {
  if (!head) throw new Error('The upload is not complete.')
  const ref = refText({ ...head, objectId, size, isWhole: parts.length === 0 })
  return { ref, name, kind: 'file', size, modifiedAt: null, hash: null }
}

const save = ({ progress }: Upload, session: Session): Promise<void> => progress.save(sessionText(session))

/** Null when the session was abandoned. */
async function resume(upload: Upload, saved: Session): Promise<Session | null> {
  const { channel, call } = upload
  const session = saved.pending ? await findLost(upload, saved, saved.pending) : saved
  // Parts are deleted from the first on: if it is there, so are the others.
  const [first] = session.parts
  const oldest = first?.messageId ?? session.head?.messageId ?? null
  if (oldest === null) return session
  return (await channel.api.isThere(call, WHERE.operation, channel.chat, oldest)) ? session : null
}

async function sendAll(upload: Upload, given: Session): Promise<Session> {
  const { call, content, entry, progress, channel } = upload
  const isWhole = entry.size <= headBytes(channel.limits)
  const hash = createRunningHash('sha256', entry.size)
  let session = given
  let at = session.parts.reduce((sum, { size }) => sum + size, 0)
  if (at > 0) progress.onProgress(at)
  const source = at < entry.size || isWhole ? openSource(content, at, hash, WHERE) : null
  try {
    while (source && !isWhole && at < entry.size) {
      session = await sendPart(upload, session, source, at)
      at = session.parts.reduce((sum, { size }) => sum + size, 0)
      progress.onProgress(at)
    }
    return await sendHead(upload, session, isWhole ? source : null)
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'Corrupt') await discard(channel, call, session)
    throw error
  } finally {
    source?.close()
  }
}

async function sendPart(upload: Upload, session: Session, source: Source, at: number): Promise<Session> {
  const size = Math.min(partBytes(upload.channel.limits), upload.entry.size - at)
  const index = session.parts.length
  const salt = newSalt()
  const sent = await send(upload, session, { index, salt, length: size, content: source.take(size) })
  const part = { messageId: sent.id, fileId: sent.fileId, size, salt: salt.toString('base64url') }
  return { ...session, parts: [...session.parts, part], after: sent.id, pending: null }
}

async function sendHead(upload: Upload, session: Session, source: Source | null): Promise<Session> {
  const { name, mimeType, size } = upload.entry
  const metadata = metadataBytes({ name, mimeType, parts: session.parts })
  async function* content(): AsyncGenerator<Uint8Array> {
    yield metadata
    if (source) yield* source.take(size)
  }
  const length = metadata.length + (source ? size : 0)
  const sent = await send(upload, session, { index: null, salt: newSalt(), length, content: content() })
  const head = { messageId: sent.id, fileId: sent.fileId, headBytes: encryptedLength(length) }
  const complete = { ...session, head, after: sent.id, pending: null }
  // From here on, the same ref is returned, whatever happens.
  await save(upload, complete)
  return complete
}

type Sending = {
  readonly index: number | null
  readonly salt: Buffer
  readonly length: number
  readonly content: AsyncIterable<Uint8Array>
}

/** One document. Saves before, that it may be stored, and after a refusal, that it is not. */
async function send(upload: Upload, session: Session, { index, salt, length, content }: Sending) {
  const { channel, call } = upload
  const { api, chat, key } = channel
  const purpose = `${session.objectId} ${index ?? 'head'}`
  const document = {
    fileName: fileNameOf(session.objectId, index),
    length: encryptedLength(length),
    bytes: encrypt({ key, purpose }, salt, length, content),
  }
  await save(upload, { ...session, pending: { salt: salt.toString('base64url'), bytes: document.length } })
  const message = await api.sendDocument(call, WHERE.operation, chat, document).catch(async (error: unknown) => {
    if (error instanceof ProviderError && error.code !== 'Transient') await save(upload, session)
    throw error
  })
  return checked(channel, call, message, document.length)
}

/** @throws Corrupt, after a document that is not what was sent was deleted */
async function checked(channel: Channel, call: Call, message: Message, length: number) {
  channel.newest = Math.max(channel.newest ?? 0, message.id)
  if (message.document?.size === length) return { id: message.id, fileId: message.document.fileId }
  await channel.api.deleteMessages(call, WHERE.operation, channel.chat, [message.id])
  throw failed(WHERE.operation, 'Corrupt', `${message.document?.size ?? 'No'} of ${length} bytes were stored.`)
}

/** The session with the document that was stored although its answer was lost, if there is one. */
async function findLost({ channel, call }: Upload, session: Session, pending: Pending): Promise<Session> {
  const { objectId, parts, size } = session
  const sent = parts.reduce((sum, part) => sum + part.size, 0)
  const isHead = sent === size ? true : size <= headBytes(channel.limits)
  const name = fileNameOf(objectId, isHead ? null : parts.length)
  const { newest, messages } = await messagesOf(channel, call, WHERE.operation, objectId, session.after, idsOf(session))
  const lost = messages.find(({ document }) => document?.fileName === name && document.size === pending.bytes)
  const place = lost?.document ? { messageId: lost.id, fileId: lost.document.fileId } : null
  const others = messages.flatMap(({ id }) => (id === lost?.id ? [] : [id]))
  await channel.api.deleteMessages(call, WHERE.operation, channel.chat, others)
  if (!place) {
    return { ...session, pending: null, after: newest, lateAfter: session.lateAfter ?? session.after }
  }
  const found = { ...session, pending: null, after: place.messageId }
  if (isHead) return { ...found, head: { ...place, headBytes: pending.bytes } }
  const part = { ...place, size: Math.min(partBytes(channel.limits), size - sent), salt: pending.salt }
  return { ...found, parts: [...parts, part] }
}
type Pending = NonNullable<Session['pending']>

const idsOf = ({ parts, head }: Session): number[] => [
  ...parts.map(({ messageId }) => messageId),
  ...(head ? [head.messageId] : []),
]

/** The messages after a number that have documents of the object, but for known ones; and the newest number in the channel. */
async function messagesOf(
  channel: Channel,
  call: Call,
  operation: string,
  objectId: string,
  after: number,
  known: readonly number[],
): Promise<{ readonly newest: number; readonly messages: readonly Message[] }> {
  const newest = await newestMessage(channel, call, operation)
  const ids = Array.from({ length: Math.max(0, newest - after - 1) }, (_, index) => after + 1 + index)
  const unknown = ids.filter((id) => !known.includes(id))
  // It was sent soon after the session was saved, or a moment ago.
  const half = MAX_LOOKED_AT / 2
  const likely = unknown.length <= MAX_LOOKED_AT ? unknown : [...unknown.slice(0, half), ...unknown.slice(-half)]
  const messages: Message[] = []
  for (const id of likely) {
    const message = await channel.api.find(call, operation, channel.chat, id)
    if (message?.document?.fileName.startsWith(`${objectId}.`)) messages.push(message)
  }
  return { newest, messages }
}

/** The number of a new message, which is deleted at once: Telegram numbers the messages of a channel one after the other. */
async function newestMessage(channel: Channel, call: Call, operation: string): Promise<number> {
  const { id } = await channel.api.sendText(call, operation, channel.chat, MARK)
  await channel.api.deleteText(call, operation, channel.chat, id)
  channel.newest = id
  return id
}

/** Deletes documents of earlier attempts that Telegram has stored since they were looked for. */
async function deleteLate(channel: Channel, call: Call, session: Session): Promise<void> {
  const { objectId, lateAfter } = session
  if (lateAfter === null) return
  const { messages } = await messagesOf(channel, call, WHERE.operation, objectId, lateAfter, idsOf(session))
  await channel.api.deleteMessages(
    call,
    WHERE.operation,
    channel.chat,
    messages.map(({ id }) => id),
  )
}

/** Deletes all documents of a session, the first part first: see `resume`. */
async function discard(channel: Channel, call: Call, session: Session, operation = WHERE.operation): Promise<void> {
  await channel.api.deleteMessages(call, operation, channel.chat, idsOf(session))
  const after = session.lateAfter ?? (session.pending ? session.after : null)
  if (after === null) return
  const { messages } = await messagesOf(channel, call, operation, session.objectId, after, idsOf(session))
  await channel.api.deleteMessages(
    call,
    operation,
    channel.chat,
    messages.map(({ id }) => id),
  )
}

/** Driver.abandon. */
export async function abandon(channel: Channel, call: Call, text: string, isNeeded?: IsNeeded): Promise<void> {
  const session = readSession(text)
  if (!session) return
  const { head, objectId, size, parts } = session
  const ref = head && refText({ ...head, objectId, size, isWhole: parts.length === 0 })
  if (ref === null || !(await isNeeded?.(ref))) await discard(channel, call, session, 'abandon')
}
