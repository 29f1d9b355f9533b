import { abortable } from '../../lib/concurrency.ts'
import type { Call, Content, EntryRef, NewEntry, PutProgress } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import { openSource, type RunningHash } from '../shared/source.ts'
import { KIND, type OneDriveContext } from './client.ts'
import { type GraphItem, revisionOf } from './entry.ts'
import { itemOf } from './files.ts'
import { askStatus, type Session, type Step, sendPart, sessionText } from './upload.ts'

export type PutRequest = {
  readonly call: Call
  readonly entry: NewEntry
  readonly content: Content
  readonly progress: PutProgress
}
/** An upload in progress, with the hash of the bytes sent so far. */
export type Upload = OneDriveContext &
  PutRequest & {
    readonly hash: RunningHash
    /** Of the file that it overwrites. */
    readonly eTag: string | null
    /** When it began, in ms. */
    readonly since: number
  }

const WHERE = { provider: KIND, operation: 'put' }

export function saveSession(
  { entry, hash, progress, since }: Upload,
  uploadUrl: string | null,
  named: boolean,
  wrong?: EntryRef,
): Promise<void> {
  const { parent, name, size, replaces } = entry
  const session: Session = { uploadUrl, parent, name, size, named, hash: hash.digest(), since }
  return progress.save(
    sessionText({ ...session, ...(replaces && { replaces: replaces.ref }), ...(wrong && { wrong }) }),
  )
}

/** Attempts in succession after which OneDrive has kept no byte. */
const MAX_IDLE = 3

/**
 * Sends the content from `from` on to an upload session, always from the offset that OneDrive reports. After a failure it asks for
 * the offset, and continues at once when OneDrive has kept more than was known. 'lost': the session does not exist any more.
 */
export async function sendInParts(upload: Upload, uploadUrl: string, from: number): Promise<GraphItem | 'lost'> {
  let committed = from
  const confirm = (offset: number): void => {
    committed = offset
    upload.progress.onProgress(offset)
  }
  for (let idle = 0; idle < MAX_IDLE; ) {
    const known = committed
    const step = await sendFrom(upload, uploadUrl, committed, confirm).catch((error: unknown) =>
      recover(upload, uploadUrl, committed, error),
    )
    if (step.state === 'done') return step.item
    if (step.state === 'lost') return 'lost'
    if (step.committed === upload.entry.size) break
    idle = step.committed > known ? 0 : idle + 1
    confirm(step.committed)
  }
  throw new ProviderError('Transient', WHERE, { message: 'OneDrive keeps nothing of what was sent.' })
}

/** Sends parts from one read of the content, until one is not kept. The last one is read before: then the hash is known. */
async function sendFrom(
  upload: Upload,
  uploadUrl: string,
  from: number,
  confirm: (offset: number) => void,
): Promise<Step> {
  const { client, call, content, hash, limits } = upload
  const { size } = upload.entry
  const source = openSource(content, from, hash, WHERE)
  try {
    for (let start = from; ; ) {
      const end = Math.min(start + limits.chunkBytes, size)
      const bytes = source.take(end - start)
      const body = end === size ? await joined(call, bytes) : { length: end - start, bytes }
      if (end === size) await prepareLast(upload, uploadUrl)
      const step = await sendPart(client, call, uploadUrl, { start, end, body }, size)
      if (step.state !== 'more' || step.committed !== end || end === size) return step
      confirm(end)
      start = end
    }
  } finally {
    source.close()
  }
}

/** The session compares the revision at its beginning only. @throws Conflict */
async function prepareLast(upload: Upload, uploadUrl: string): Promise<void> {
  const { client, call, entry } = upload
  if (entry.replaces) {
    const item = await itemOf(client, call, 'put', entry.replaces.ref).catch(nothingWhen('NotFound'))
    if (!item || revisionOf(item) !== entry.replaces.revision) {
      throw new ProviderError('Conflict', WHERE, { message: 'The file was changed in the meantime.' })
    }
  }
  await saveSession(upload, uploadUrl, true)
}

async function recover(upload: Upload, uploadUrl: string, committed: number, error: unknown): Promise<Step> {
  upload.call.signal.throwIfAborted()
  if (!isFailure(error, 'Transient')) throw error
  const step = await askStatus(upload.client, upload.call, uploadUrl, upload.entry.size).catch(() => null)
  upload.call.signal.throwIfAborted()
  if (step === null || (step.state === 'more' && step.committed <= committed)) throw error
  return step
}

/** All bytes. Ends with the call, even while the content is silent. */
export function joined({ signal }: Call, bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const reading = async (): Promise<Buffer> => {
    const chunks: Uint8Array[] = []
    for await (const chunk of bytes) chunks.push(chunk)
    return Buffer.concat(chunks)
  }
  signal.throwIfAborted()
  return abortable(signal, reading())
}
