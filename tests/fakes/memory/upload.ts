import { createContentHash } from '../../../server/lib/contentHash.ts'
import type { Call, Content, Entry, NewEntry, PutProgress } from '../../../server/providers/driver.ts'
import { ProviderError } from '../../../server/providers/errors.ts'
import {
  entryOf,
  hashOf,
  hasRoom,
  type MemoryAccount,
  type MemoryObject,
  type MemoryService,
  type Upload,
} from './account.ts'
import type { Fail } from './errors.ts'
import { type Fault, refusal } from './faults.ts'
import type { Tree } from './tree.ts'

type Putting = {
  readonly service: MemoryService
  readonly account: MemoryAccount
  readonly tree: Tree
  readonly call: Call
  readonly entry: NewEntry
  readonly content: Content
  readonly progress: PutProgress
  readonly fault: Fault | null
  readonly fail: Fail
}

/** Driver.put: begins or continues an upload, sends what is missing, and looks at what the service says is there. */
export async function putContent(putting: Putting): Promise<Entry> {
  const { service, account, tree, entry, fail } = putting
  const upload = continued(putting) ?? (await begin(putting))
  const stored = upload.stored === null ? undefined : account.objects.get(upload.stored)
  if (stored) return entryOf(service, stored)
  const hash = await send(putting, upload)
  tree.admit(entry.parent, entry.name, fail)
  if (!hasRoom(account, entry.size)) throw fail('QuotaExceeded', 'The account is full.')
  return conclude(putting, upload, hash)
}

/** The id of the upload that a session names; null for what is no session. */
export function uploadIdOf(session: string): string | null {
  try {
    const parsed: unknown = JSON.parse(session)
    return typeof parsed === 'object' && parsed !== null && 'upload' in parsed ? String(parsed.upload) : null
  } catch {
    return null
  }
}

/** The session's upload where the service still has it, and it is one of this content under this name. */
function continued({ account, entry, progress }: Putting): Upload | null {
  const id = progress.session === null ? null : uploadIdOf(progress.session)
  const upload = id === null ? undefined : account.uploads.get(id)
  if (!upload || upload.size !== entry.size) return null
  if (upload.stored === null) return upload
  const stored = account.objects.get(upload.stored)
  return stored?.name === entry.name && stored.parent === entry.parent ? upload : null
}

async function begin({ service, account, tree, entry, progress, fail }: Putting): Promise<Upload> {
  const { maxObjectBytes } = service.capabilities
  tree.admit(entry.parent, entry.name, fail)
  if (maxObjectBytes !== null && entry.size > maxObjectBytes) throw fail('TooLarge', 'The content is too large.')
  if (!hasRoom(account, entry.size)) throw fail('QuotaExceeded', 'The account is full.')
  return openUpload(service, account, entry.size, progress.save)
}

/** An upload that its session names, before anything came of it. */
export async function openUpload(
  service: MemoryService,
  account: MemoryAccount,
  size: number,
  save: PutProgress['save'],
): Promise<Upload> {
  const upload: Upload = { id: service.newId(), size, bytes: [], length: 0, stored: null }
  account.uploads.set(upload.id, upload)
  await save(JSON.stringify({ upload: upload.id }))
  return upload
}

/** Sends what is missing. @returns the hash of the content; null when a part of it had been sent before */
async function send({ service, account, call, content, progress, fault, fail }: Putting, upload: Upload) {
  const { capabilities, chunkBytes } = service
  if (!capabilities.resumable) Object.assign(upload, { bytes: [], length: 0 })
  const hash = upload.length === 0 && capabilities.hash !== null ? createContentHash(capabilities.hash) : null
  let left = fault?.kind === 'refused' ? (fault.afterBytes ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER
  const source = content.open(upload.length)
  try {
    for await (const chunk of chunksOf(source, chunkBytes)) {
      call.signal.throwIfAborted()
      // What came before a cut is kept, also in the middle of a chunk.
      receive(account, upload, chunk.subarray(0, left))
      left -= chunk.length
      if (fault?.kind === 'refused' && left <= 0) throw refusal(fault, { provider: service.kind, operation: 'put' })
      hash?.update(chunk)
      progress.onProgress(upload.length)
    }
  } catch (error) {
    call.signal.throwIfAborted()
    throw error instanceof ProviderError ? error : fail('Transient', 'The content could not be read.', error)
  } finally {
    source.destroy()
  }
  call.signal.throwIfAborted()
  if (upload.length === content.size) return hash?.digest() ?? null
  account.uploads.delete(upload.id)
  throw fail('Corrupt', `The content has ${upload.length} bytes and not ${content.size}.`)
}

function receive(account: MemoryAccount, upload: Upload, bytes: Buffer): void {
  upload.bytes.push(Buffer.from(bytes))
  upload.length += bytes.length
  account.receivedBytes += bytes.length
}

async function* chunksOf(source: AsyncIterable<Buffer>, size: number): AsyncGenerator<Buffer> {
  let parts: Buffer[] = []
  let gathered = 0
  for await (const bytes of source) {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + size - gathered)
      at += part.length
      gathered += part.length
      parts.push(part)
      if (gathered < size) continue
      yield Buffer.concat(parts)
      parts = []
      gathered = 0
    }
  }
  if (gathered > 0) yield Buffer.concat(parts)
}

/** The service makes the object, with its fault; the driver judges the answer. */
function conclude({ service, account, tree, entry, fault, fail }: Putting, upload: Upload, hash: string | null): Entry {
  const whole = Buffer.concat(upload.bytes)
  const bytes = fault?.kind === 'truncated' ? whole.subarray(0, fault.bytes) : whole
  const object = tree.add({
    parent: entry.parent,
    name: entry.name,
    kind: 'file',
    bytes,
    mimeType: entry.mimeType,
    modifiedAt: entry.modifiedAt?.getTime(),
  })
  upload.stored = object.ref
  upload.bytes = []
  if (fault?.kind === 'duplicated' && service.capabilities.duplicateNames) tree.add({ ...object, parent: entry.parent })
  if (fault?.kind === 'hidden') object.listedFrom = object.createdAt + fault.ms
  const answer = answerOf(service, object, whole, fault)
  if (fault?.kind === 'vanished') tree.remove(object.ref)
  if (answer.size === entry.size && (hash === null || answer.hash === hash)) return answer
  tree.remove(object.ref)
  account.uploads.delete(upload.id)
  throw fail('Corrupt', 'The service has other bytes than were sent.')
}

function answerOf(service: MemoryService, object: MemoryObject, sent: Buffer, fault: Fault | null): Entry {
  const entry = entryOf(service, object)
  const isLie = fault?.kind === 'truncated' && !fault.admitted
  return isLie ? { ...entry, size: sent.length, hash: hashOf(service, sent) } : entry
}
