import type { files } from 'dropbox'
import type { Call, Entry, EntryRef, IsNeeded } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { isFailure } from '../shared/failures.ts'
import { createRunningHash } from '../shared/source.ts'
import { fileAt, ours } from './adopt.ts'
import { checkEntry } from './capabilities.ts'
import { metadataAt, remove } from './files.ts'
import { sendInParts } from './parts.ts'
import { type Job, type Put, type PutContext, WHERE } from './putJob.ts'
import { readSession, type Session, sessionText } from './session.ts'
import { append, finish, startSession } from './upload.ts'
import { putWhole } from './whole.ts'
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
    return await checked(doing, isSmall ? await putWhole(doing, session) : await large(doing, session))
  } catch (error) {
    call.signal.throwIfAborted()
    // Dropbox says the same of a bad name and of a folder that is gone.
    if (isFailure(error, 'BadName') && entry.parent !== ROOT)
      await metadataAt(context.client, call, 'put', entry.parent)
    throw error
  }
}

/** An upload session that is left ends by itself; what was made of it is removed. */
export async function abandon(
  { client }: PutContext,
  call: Call,
  text: string,
  isNeeded: IsNeeded = async () => false,
): Promise<void> {
  const session = readSession(text)
  if (!session) return
  const { uploadId, parent, name, named } = session
  const isOpen = uploadId !== null && (await append(client, call, uploadId, 0, '')).state === 'more'
  if (isOpen || !named) return
  const file = await fileAt(client, call, pathIn(parent, name))
  const isOurs = file?.size === session.size && (session.hash === null || file.content_hash === session.hash)
  if (file && isOurs && !(await isNeeded(file.id as EntryRef))) await remove(client, call, file.id)
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
  }
  const known = session?.named ? await ours(doing) : null
  return known ?? sent(doing, await begun(doing), 0)
}

/** Bytes go nowhere before the session is saved. */
async function begun(doing: Put): Promise<string> {
  const uploadId = await startSession(doing.client, doing.call)
  await saveSession(doing, uploadId, false)
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
  await saveSession(doing, uploadId, true)
  try {
    const step = await finish(client, call, uploadId, entry)
    if (step.state === 'done') return step.file
    if (step.state === 'lost') return await ours(doing)
  } catch (error) {
    // What has the name is another's: it must never be taken for what this session became.
    if (isFailure(error, 'Conflict')) await saveSession(doing, uploadId, false)
    const known = isFailure(error, 'Transient') ? await ours(doing).catch(() => null) : null
    if (known) return known
    throw error
  }
  throw new ProviderError('Transient', WHERE, { message: 'Dropbox has less than it confirmed.' })
}

function saveSession({ entry, hash, progress }: Put, uploadId: string, named: boolean): Promise<void> {
  const { parent, name, size } = entry
  return progress.save(sessionText({ uploadId, parent, name, size, named, hash: hash.digest() }))
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
