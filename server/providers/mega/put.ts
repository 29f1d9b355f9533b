import type { Call, Content, CopyProgress, Entry, EntryRef, IsNeeded, NewEntry, PutProgress } from '../driver.ts'
import { openSource, type RunningHash } from '../shared/source.ts'
import { attributeKey, encryptAttributes, encryptKey, fromBase64, packFileKey, toBase64 } from './crypto.ts'
import { failed, KIND } from './errors.ts'
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
import {
  beginSending,
  readSession,
  type Sending,
  SendingLost,
  type Sent,
  type Session,
  sendRest,
  sessionFor,
  sessionText,
} from './upload.ts'

type PutRequest = {
  readonly call: Call
  readonly entry: NewEntry
  readonly content: Content
  readonly progress: PutProgress
}

/** Attribute of nodes made here: other programs ignore it. */
const MARK = 'skypool'

/** MEGA reports no hash of a content: what is stored is read back by the caller, and its MAC is checked then. */
const NO_HASH: RunningHash = { update: () => undefined, digest: () => null }

/** Driver.put. A node with the session's mark is the result of an earlier attempt whose response was lost. */
export async function put(context: MegaContext, request: PutRequest): Promise<Entry> {
  const { call, entry, progress } = request
  checkName('put', entry.name)
  await context.tree.sync(call)
  const saved = sessionFor(entry, progress.session)
  const marked = saved ? findMarked(context, saved) : []
  const known = marked.find(({ s }) => s === entry.size)
  // Of another size and not deleted at once, or made by a call that was taken for lost.
  for (const { h } of marked) if (h !== known?.h) await remove(context, call, 'put', h)
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

function findMarked({ tree }: MegaContext, { parent, since, mark }: Session): readonly MegaNode[] {
  const folder = tree.find(parent)
  const isRecent = ({ ts }: MegaNode) => ts * 1000 > since - DAY_MS
  const isIt = (node: MegaNode) =>
    node.t === NODE.file && isRecent(node) && openNode(node, tree.keys)?.attributes[MARK] === mark
  return folder ? tree.children(folder.h).filter(isIt) : []
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
  for (const { h } of findMarked(context, session)) {
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
