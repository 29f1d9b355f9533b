import type { files } from 'dropbox'
import type { Call, Entry } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { isFailure, nothingWhen } from '../shared/failures.ts'
import { createRunningHash, openSource } from '../shared/source.ts'
import { checkEntry } from './capabilities.ts'
import { metadataAt, remove } from './files.ts'
import { sendInParts } from './parts.ts'
import { type Job, type Put, type PutContext, WHERE } from './putJob.ts'
import { readSession, type Session, sessionText } from './session.ts'
import { append, finish, sendWhole, startSession } from './upload.ts'
import { entryOf, pathIn, ROOT } from './wire.ts'

/**
 * Small contents by one request, others by an upload session, which gets its name at the end alone. When the answer to that
 * is lost, what is there under the name is taken for ours if it has our bytes.
 */
export async function put(context: PutContext, job: Job): Promise<Entry> {
  const { entry, progress, content, call } = job
  checkEntry(entry)
  const doing: Put = { ...context, ...job, hash: createRunningHash('dropbox', content.size) }
  const saved = readSession(progress.session)
  const session = saved?.size === entry.size ? saved : null
  try {
    const isSmall = entry.size <= context.limits.smallBytes
    return await checked(doing, isSmall ? await small(doing, session) : await large(doing, session))
  } catch (error) {
    call.signal.throwIfAborted()
    // Dropbox says the same of a bad name and of a folder that is gone.
    if (isFailure(error, 'BadName') && entry.parent !== ROOT)
      await metadataAt(context.client, call, 'put', entry.parent)
    throw error
  }
}

/** An upload session that is left ends by itself; what was made of it is removed. */
export async function abandon({ client }: PutContext, call: Call, text: string): Promise<void> {
  const session = readSession(text)
  if (!session) return
  const { uploadId, parent, name } = session
  const isOpen = uploadId !== null && (await append(client, call, uploadId, 0, '')).state === 'more'
  if (isOpen) return
  const file = await fileAt(client, call, pathIn(parent, name))
  const isOurs = file?.size === session.size && (session.hash === null || file.content_hash === session.hash)
  if (file && isOurs) await remove(client, call, file.id)
}

async function small(doing: Put, session: Session | null): Promise<files.FileMetadata> {
  const { client, call, entry, progress } = doing
  const bytes = await allOf(doing)
  const hash = doing.hash.digest() ?? ''
  if (session) {
    const known = await ours(doing)
    if (known) return known
  }
  const { parent, name, size } = entry
  await progress.save(sessionText({ uploadId: null, parent, name, size, hash }))
  try {
    return await sendWhole(client, call, entry, bytes, hash)
  } catch (error) {
    const known = isFailure(error, 'Transient') ? await ours(doing).catch(() => null) : null
    if (known) return known
    throw error
  }
}

async function allOf({ content, hash, call }: Put): Promise<Buffer> {
  call.signal.throwIfAborted()
  const source = openSource(content, 0, hash, WHERE)
  call.signal.addEventListener('abort', source.close, { once: true })
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of source.take(content.size)) chunks.push(chunk)
    return Buffer.concat(chunks)
  } finally {
    call.signal.removeEventListener('abort', source.close)
    source.close()
  }
}

async function large(doing: Put, session: Session | null): Promise<files.FileMetadata> {
  const { client, call } = doing
  const saved = session?.uploadId ?? null
  if (saved !== null) {
    const step = await append(client, call, saved, 0, '')
    if (step.state === 'more') {
      doing.progress.onProgress(step.committed)
      return sent(doing, saved, step.committed)
    }
    const known = await ours(doing)
    if (known) return known
  }
  return sent(doing, await begun(doing), 0)
}

/** Bytes go nowhere before the session is saved. */
async function begun(doing: Put): Promise<string> {
  const uploadId = await startSession(doing.client, doing.call)
  await saveSession(doing, uploadId)
  return uploadId
}

async function sent(doing: Put, uploadId: string, from: number): Promise<files.FileMetadata> {
  if (await sendInParts(doing, uploadId, from)) {
    const file = await finished(doing, uploadId)
    if (file) return file
  }
  // Sessions end after a week, and by mistakes of Dropbox: once in a put it begins anew.
  const again = await begun(doing)
  doing.progress.onProgress(0)
  const file = (await sendInParts(doing, again, 0)) ? await finished(doing, again) : null
  if (file) return file
  throw new ProviderError('Transient', WHERE, { message: 'Dropbox lost the upload twice.' })
}

/** Null when neither the session is there any more nor what it was to become. */
async function finished(doing: Put, uploadId: string): Promise<files.FileMetadata | null> {
  const { client, call, entry } = doing
  await saveSession(doing, uploadId)
  try {
    const step = await finish(client, call, uploadId, entry)
    if (step.state === 'done') return step.file
    if (step.state === 'lost') return await ours(doing)
  } catch (error) {
    const known = isFailure(error, 'Transient') ? await ours(doing).catch(() => null) : null
    if (known) return known
    throw error
  }
  throw new ProviderError('Transient', WHERE, { message: 'Dropbox has less than it confirmed.' })
}

function saveSession({ entry, hash, progress }: Put, uploadId: string): Promise<void> {
  const { parent, name, size } = entry
  return progress.save(sessionText({ uploadId, parent, name, size, hash: hash.digest() }))
}

/** What is there under the name, when it has our bytes: those are read for it if they were not yet. */
async function ours(doing: Put): Promise<files.FileMetadata | null> {
  const { client, call, entry } = doing
  const file = await fileAt(client, call, pathIn(entry.parent, entry.name))
  if (!file || file.size !== entry.size) return null
  return file.content_hash === (doing.hash.digest() ?? (await hashOf(doing))) ? file : null
}

async function hashOf({ content, call }: Put): Promise<string | null> {
  const hash = createRunningHash('dropbox', content.size)
  const source = openSource(content, 0, hash, WHERE)
  try {
    for await (const _ of source.take(content.size)) call.signal.throwIfAborted()
    return hash.digest()
  } finally {
    source.close()
  }
}

async function fileAt(client: PutContext['client'], call: Call, path: string): Promise<files.FileMetadata | null> {
  const metadata = await metadataAt(client, call, 'put', path).catch(nothingWhen('NotFound'))
  return metadata && 'size' in metadata ? metadata : null
}

/** What does not have the bytes that it must have is removed. */
async function checked({ client, call, entry, hash, progress }: Put, file: files.FileMetadata): Promise<Entry> {
  const digest = hash.digest()
  const stored = entryOf(file)
  const differs = digest !== null && stored.hash !== null && digest !== stored.hash
  if (file.size === entry.size && !differs) {
    progress.onProgress(entry.size)
    return stored
  }
  await remove(client, call, stored.ref)
  const message = differs
    ? 'Other bytes were stored than were sent.'
    : `${file.size} of ${entry.size} bytes were stored.`
  throw new ProviderError('Corrupt', WHERE, { message })
}
