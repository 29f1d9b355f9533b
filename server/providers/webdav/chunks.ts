import { randomUUID } from 'node:crypto'
import type { Call } from '../driver.ts'
import { isFailure, nothingWhen, ProviderError } from '../errors.ts'
import { hrefPath } from './address.ts'
import { type DavClient, isSamePath, KIND } from './client.ts'
import { newTemporary } from './names.ts'
import { type Session, sessionText } from './session.ts'
import { sendBytes, timeHeader, type Upload, withSource } from './upload.ts'

// Chunked upload of Nextcloud, version 2, which version 1 of ownCloud accepts too: a folder of numbered chunks, which a MOVE of the
// file `.file` in it puts together.

const WHERE = { provider: KIND, operation: 'put' }
/** Chunks of one upload. */
const MAX_CHUNKS = 10_000

type Chunked = Session & { readonly chunks: NonNullable<Session['chunks']> }

/** Sends the bytes in chunks to the temporary place; continues after the chunks that an earlier attempt has stored. */
export async function sendChunks(upload: Upload, saved: Session | null): Promise<Session> {
  const known = saved && isChunked(saved) ? saved : null
  const stored = known && (await storedBytes(upload, known))
  const session = known && stored !== null ? known : await begin(upload)
  try {
    await sendFrom(upload, session, stored ?? 0)
    await assemble(upload, session)
    return session
  } catch (error) {
    if (!isFailure(error, 'Transient'))
      await discardChunks(upload.client, upload.call, session).catch(nothingWhen('Transient'))
    throw error
  }
}

function isChunked(session: Session): session is Chunked {
  return session.chunks !== null
}

/** Saves the session before anything is sent. */
async function begin(upload: Upload): Promise<Chunked> {
  const { client, call, entry, progress, limits } = upload
  const { parent, name, size } = entry
  const bytes = Math.max(limits.chunkBytes, Math.ceil(size / MAX_CHUNKS))
  const chunks = { folder: `${client.access.uploads}skypool-${randomUUID()}/`, bytes }
  const session = { parent, name, size, temporary: newTemporary(parent), chunks, stored: null }
  await progress.save(sessionText(session))
  await client.run(call, 'put', { method: 'MKCOL', at: chunks.folder, headers: headersFor(upload, session) })
  progress.onProgress(0)
  return session
}

/** Where the file will be and how long it is, so that the server can store the chunks there, and refuse at once what has no room. */
function headersFor({ client, entry }: Upload, { temporary }: Session): Readonly<Record<string, string>> {
  return { destination: client.addressOf(temporary), 'oc-total-length': String(entry.size) }
}

const chunkName = (index: number): string => String(index + 1).padStart(5, '0')

/** Bytes of the complete chunks from the first on; null when the server does not know the upload any more. */
async function storedBytes({ client, call, entry, progress }: Upload, { chunks }: Chunked): Promise<number | null> {
  const sizes = await readChunks(client, call, chunks.folder).catch(nothingWhen('NotFound'))
  if (sizes === null) return null
  let stored = 0
  for (let index = 0; stored < entry.size; index += 1) {
    const expected = Math.min(chunks.bytes, entry.size - stored)
    if (sizes.get(chunkName(index)) !== expected) break
    stored += expected
  }
  progress.onProgress(stored)
  return stored
}

/** Sizes of the chunks in a folder, by name. */
async function readChunks(client: DavClient, call: Call, folder: string): Promise<ReadonlyMap<string, number>> {
  const path = client.pathOf(folder)
  const sizes = new Map<string, number>()
  let isComplete = false
  for await (const { href, properties } of client.propfind(call, 'put', { at: folder, depth: 1 })) {
    const at = hrefPath(href)
    if (isSamePath(at, path)) isComplete = true
    else sizes.set(at.slice(path.length), Number(properties.get('getcontentlength')))
  }
  if (isComplete) return sizes
  throw new ProviderError('Transient', WHERE, { message: 'The list does not contain the folder itself.' })
}

/** One chunk after the other, from one read of the content. */
async function sendFrom(upload: Upload, session: Chunked, from: number): Promise<void> {
  const { entry, progress } = upload
  const { folder, bytes } = session.chunks
  if (from === entry.size) return
  await withSource(upload, from, async (take) => {
    for (let start = from; start < entry.size; start += bytes) {
      const length = Math.min(bytes, entry.size - start)
      await sendBytes(upload, `${folder}${chunkName(start / bytes)}`, headersFor(upload, session), take(length))
      progress.onProgress(start + length)
    }
  })
}

/** @throws Corrupt when the chunks are shorter than what was sent */
async function assemble({ client, call, entry }: Upload, { chunks, temporary }: Chunked): Promise<void> {
  const headers = { 'oc-total-length': String(entry.size), ...timeHeader(entry) }
  try {
    await client.relocate(call, 'put', { method: 'MOVE', from: `${chunks.folder}.file`, to: temporary, headers })
  } catch (error) {
    // Nextcloud: "Chunks on server do not sum up to … bytes".
    if (!isFailure(error, 'Permanent') || error.where.status !== 400) throw error
    throw new ProviderError('Corrupt', error.where, { message: 'The chunks differ from those sent.' })
  }
}

/** Ends an upload in chunks. The server removes unused ones itself, after a day. */
export async function discardChunks(client: DavClient, call: Call, { chunks }: Session): Promise<void> {
  if (chunks === null || client.access.uploads === null || !chunks.folder.startsWith(client.access.uploads)) return
  await client.run(call, 'abandon', { method: 'DELETE', at: chunks.folder }).catch(nothingWhen('NotFound'))
}
