import type { Call, CopyProgress, Entry, EntryRef, IsNeeded, NewEntry, PutRequest } from '../driver.ts'
import { isFailure } from '../errors.ts'
import { sessionFormat } from '../shared/session.ts'
import { openSource, type RunningHash } from '../shared/source.ts'
import { createContentCipher, createContentMac, partEnd } from './content.ts'
import { attributeKey, encryptAttributes, encryptKey, fromBase64, newFileKey, packFileKey, toBase64 } from './crypto.ts'
import { failed, KIND, MEGA, megaError, megaNumber } from './errors.ts'
import {
  checkName,
  type MegaContext,
  remove,
  requestMark,
  requireFolder,
  requireKey,
  requireNode,
  takeNodes,
} from './files.ts'
import { entryOf, type MegaNode, NODE, openNode } from './nodes.ts'

/** Attribute of nodes made here: other programs ignore it. */
const MARK = 'skypool'

/** MEGA reports no hash of a content: what is stored is read back by the caller, and its MAC is checked then. */
const NO_HASH: RunningHash = { update: () => undefined, digest: () => null }

/**
 * Driver.put. A node with the session's mark is the result of an earlier attempt whose response was lost. A copy that the user has made of
 * it since has the mark, too, under another name: it is the user's, and nothing of that is deleted.
 */
export async function put(context: MegaContext, request: PutRequest): Promise<Entry> {
  const { call, entry, progress } = request
  checkName('put', entry.name)
  await context.tree.sync(call)
  const saved = sessionFor(entry, progress.session)
  const { named, renamed } = saved ? findMarked(context, saved) : NONE_MARKED
  const known = [...named, ...renamed].find(({ s }) => s === entry.size)
  // Of another size and not deleted at once, or made by a call that was taken for lost.
  for (const { h } of named) if (h !== known?.h) await remove(context, call, 'put', h)
  if (known) return finished(context, request, known)
  const folder = requireFolder(context, 'put', entry.parent)
  const { session, sent } = await send(context, request, saved)
  return finished(context, request, await createFile(context, call, folder.h, session, sent))
}

function finished({ tree }: MegaContext, { entry, progress }: PutRequest, node: MegaNode): Entry {
  progress.onProgress(entry.size)
  return entryOf(node, tree.keys)
}

/** For clocks that are not right. */
const DAY_MS = 24 * 60 * 60_000

/** Nodes with the mark of a session: under its name, and under others that only the user can have given them. */
type Marked = { readonly named: readonly MegaNode[]; readonly renamed: readonly MegaNode[] }

const NONE_MARKED: Marked = { named: [], renamed: [] }

function findMarked({ tree }: MegaContext, { parent, since, mark, name }: Session): Marked {
  const folder = tree.find(parent)
  if (!folder) return NONE_MARKED
  const attributesOf = (node: MegaNode) => openNode(node, tree.keys)?.attributes
  const isRecent = ({ ts }: MegaNode) => ts * 1000 > since - DAY_MS
  const isIt = (node: MegaNode) => node.t === NODE.file && isRecent(node) && attributesOf(node)?.[MARK] === mark
  const isNamed = (node: MegaNode) => attributesOf(node)?.n === name
  const nodes = tree.children(folder.h).filter(isIt)
  return { named: nodes.filter(isNamed), renamed: nodes.filter((node) => !isNamed(node)) }
}

function newSession({ parent, name, size }: NewEntry): Session {
  return { parent, name, size, mark: requestMark(), since: Date.now(), upload: null }
}

type Complete = { readonly session: Session & { readonly upload: Sending }; readonly sent: Sent }

/** Sends what is missing. If MEGA does not know the upload any more, it starts over, once. */
async function send(context: MegaContext, request: PutRequest, saved: Session | null): Promise<Complete> {
  if (saved?.upload) {
    request.progress.onProgress(saved.upload.offset)
    const complete = await sendFrom(context, request, { ...saved, upload: saved.upload }).catch(nothingWhenLost)
    if (complete) return complete
    request.progress.onProgress(0)
  }
  const { call, entry, progress } = request
  const session = { ...(saved ?? newSession(entry)), upload: await beginSending(context, call, entry.size) }
  await progress.save(sessionText(session))
  const complete = await sendFrom(context, request, session).catch(nothingWhenLost)
  if (complete) return complete
  await progress.save(sessionText({ ...session, upload: null }))
  throw failed('put', 'Transient', 'MEGA lost the upload.')
}

function nothingWhenLost(error: unknown): null {
  if (error instanceof SendingLost) return null
  throw error
}

async function sendFrom(
  context: MegaContext,
  { call, entry, content, progress }: PutRequest,
  session: Complete['session'],
): Promise<Complete> {
  const source = openSource(content, session.upload.offset, NO_HASH, { provider: KIND, operation: 'put' })
  call.signal.addEventListener('abort', source.close, { once: true })
  try {
    const sent = await sendRest(context, call, session.upload, entry.size, source.take, async (upload) => {
      await progress.save(sessionText({ ...session, upload }))
      progress.onProgress(upload.offset)
    })
    return { session, sent }
  } catch (error) {
    call.signal.throwIfAborted()
    throw error
  } finally {
    call.signal.removeEventListener('abort', source.close)
    source.close()
  }
}

/** Makes a file of the bytes that were sent. @throws Corrupt when MEGA has another size; what was stored is deleted */
async function createFile(
  context: MegaContext,
  call: Call,
  parent: string,
  { upload, name, mark, size }: Complete['session'],
  { handle, mac }: Sent,
): Promise<MegaNode> {
  const key = { key: fromBase64(upload.key), nonce: fromBase64(upload.nonce), mac }
  const node = {
    h: handle,
    t: NODE.file,
    a: encryptAttributes(key.key, { n: name, [MARK]: mark }),
    k: toBase64(encryptKey(context.tree.keys.master, packFileKey(key))),
  }
  const made = await context.client.ask(call, 'put', { a: 'p', t: parent, n: [node], i: requestMark() })
  return checkMade(context, call, 'put', made, size)
}

async function checkMade(
  context: MegaContext,
  call: Call,
  operation: string,
  result: unknown,
  size: number,
): Promise<MegaNode> {
  const [node] = takeNodes(context, operation, result)
  if (node?.s === size) return node
  if (node) await remove(context, call, operation, node.h)
  throw failed(operation, 'Corrupt', `${node?.s ?? 'None'} of ${size} bytes were stored.`)
}

/** Driver.abandon. Bytes that were sent become a file only with a last call, and are dropped by MEGA otherwise. */
export async function abandon(
  context: MegaContext,
  call: Call,
  text: string,
  isNeeded: IsNeeded = async () => false,
): Promise<void> {
  const session = readSession(text)
  call.signal.throwIfAborted()
  if (!session) return
  await context.tree.sync(call)
  for (const { h } of findMarked(context, session).named) {
    if (!(await isNeeded(h as EntryRef))) await remove(context, call, 'abandon', h)
  }
}

/** Driver.copy: another node for the same bytes, which have the same key. */
export async function copy(
  context: MegaContext,
  call: Call,
  ref: EntryRef,
  entry: NewEntry,
  { save }: CopyProgress,
): Promise<Entry> {
  const { client, tree } = context
  checkName('copy', entry.name)
  const session = newSession(entry)
  await save(sessionText(session))
  await tree.sync(call)
  const source = requireNode(context, 'copy', ref)
  const folder = requireFolder(context, 'copy', entry.parent)
  if (source.t !== NODE.file) throw failed('copy', 'NotFound', 'It is not a file.')
  const { key, attributes } = requireKey(context, 'copy', source)
  const node = {
    h: source.h,
    t: NODE.file,
    a: encryptAttributes(attributeKey(key), { ...attributes, n: entry.name, [MARK]: session.mark }),
    k: toBase64(encryptKey(tree.keys.master, key)),
  }
  const made = await client.ask(call, 'copy', { a: 'p', t: folder.h, n: [node], i: requestMark() })
  return entryOf(await checkMade(context, call, 'copy', made, source.s), tree.keys)
}

// How bytes get to MEGA: sessions, and the requests that they consist of.

/**
 * The saved state of an upload or a copy. It is a credential: with it, anyone can send bytes, and read the file once it is stored.
 */
type Session = {
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
type Sending = {
  readonly url: string
  readonly key: string
  readonly nonce: string
  /** Bytes that MEGA has confirmed, up to the end of a chunk; `mac` is the state of their MAC. */
  readonly offset: number
  readonly mac: string
}

const { sessionText, readSession } = sessionFormat(isSession)

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

function sessionFor({ parent, name, size }: NewEntry, text: string | null): Session | null {
  const saved = readSession(text)
  return saved?.parent === parent && saved.name === name && saved.size === size ? saved : null
}

/** Asks for the address of an upload. @throws QuotaExceeded */
async function beginSending({ client }: MegaContext, call: Call, size: number): Promise<Sending> {
  const { p } = (await client.ask(call, 'put', { a: 'u', s: size, ssl: 2 })) as { p?: unknown }
  if (typeof p !== 'string') throw failed('put', 'Transient', 'The response has no address.')
  const { key, nonce } = newFileKey()
  return { url: p, key: toBase64(key), nonce: toBase64(nonce), offset: 0, mac: toBase64(Buffer.alloc(16)) }
}

/** All bytes of an upload were sent: its handle, for the call that makes a file of it, and the MAC of the content. */
type Sent = { readonly handle: string; readonly mac: Buffer }

/** The address does not exist any more, or does not accept what comes next: the upload starts over. */
class SendingLost extends Error {}

/**
 * Sends the rest of a content in parts, from one read of it. `take`: the next bytes of the content. `confirm` is called after each
 * part. @throws SendingLost
 */
async function sendRest(
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
