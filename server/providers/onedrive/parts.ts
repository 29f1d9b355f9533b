import { abortable } from '../../lib/concurrency.ts'
import type { Call, EntryRef, PutRequest } from '../driver.ts'
import { nothingWhen, ProviderError } from '../errors.ts'
import { fileChanged, type RunningHash, sendInParts } from '../shared/source.ts'
import { KIND, type OneDriveContext } from './client.ts'
import { type GraphItem, revisionOf } from './entry.ts'
import { itemOf } from './files.ts'
import { askStatus, type Session, type Step, sendPart, sessionText } from './upload.ts'

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

/** Sends the content from `from` on to an upload session. 'lost': the session does not exist any more. */
export async function sendPartsFrom(upload: Upload, uploadUrl: string, from: number): Promise<GraphItem | 'lost'> {
  const { client, call, entry, hash, limits } = upload
  const { size } = entry
  const parts = {
    ...{ request: upload, hash, where: WHERE, partBytes: limits.chunkBytes },
    /** The last part is read before it is sent: then the hash is known. */
    async send(start: number, end: number, bytes: AsyncIterable<Uint8Array>): Promise<Step> {
      const body = end === size ? await joined(call, bytes) : { length: end - start, bytes }
      if (end === size) await prepareLast(upload, uploadUrl)
      return sendPart(client, call, uploadUrl, { start, end, body }, size)
    },
    ask: () => askStatus(client, call, uploadUrl, size),
  }
  const step = await sendInParts(parts, from)
  if (step.state === 'more') {
    throw new ProviderError('Transient', WHERE, { message: 'OneDrive has all bytes, but no file of them yet.' })
  }
  return step.state === 'done' ? step.stored : 'lost'
}

/** The session compares the revision at its beginning only. @throws Conflict */
async function prepareLast(upload: Upload, uploadUrl: string): Promise<void> {
  const { client, call, entry } = upload
  if (entry.replaces) {
    const item = await itemOf(client, call, 'put', entry.replaces.ref).catch(nothingWhen('NotFound'))
    if (!item || revisionOf(item) !== entry.replaces.revision) {
      throw fileChanged(WHERE)
    }
  }
  await saveSession(upload, uploadUrl, true)
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
