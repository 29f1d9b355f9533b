import type { Call, Capabilities, Entry, NewEntry } from '../driver.ts'
import { ProviderError, type ProviderErrorCode } from '../errors.ts'
import { isFailure, nothingWhen } from '../shared/failures.ts'
import { createRunningHash, openSource } from '../shared/source.ts'
import { sendInParts } from './parts.ts'
import { type Job, type Put, type PutContext, WHERE } from './putJob.ts'
import { remove } from './remove.ts'
import { isFor, readSession, type Session, sessionText } from './session.ts'
import { askStatus, cancelSession, openSession, type Step, sendWhole } from './upload.ts'
import { type DriveFile, entryOf, FILE_FIELDS, sizeOf } from './wire.ts'

const LOST: Step = { state: 'lost' }

/** Under an id that was saved before the first byte is sent: what Drive has is found by it, whatever answer was lost. */
export async function put(context: PutContext, job: Job): Promise<Entry> {
  const { entry, call, progress } = job
  checkEntry(entry, context.capabilities)
  const doing: Put = { ...context, ...job, hash: createRunningHash('md5', entry.size) }
  const saved = readSession(progress.session)
  if (saved && isFor(saved, entry)) return checked(doing, saved, await continued(doing, saved))
  const { parent, name, size } = entry
  const session: Session = { id: await context.ids.next(call), uri: null, parent, name, size }
  await progress.save(sessionText(session))
  return checked(doing, session, await begun(doing, session))
}

/** Ends the session, and removes what came of it. */
export async function abandon({ client }: PutContext, call: Call, text: string): Promise<void> {
  const session = readSession(text)
  if (!session) return
  if (session.uri !== null) await cancelSession(client, call, session.uri)
  await remove(client, call, session.id)
}

async function continued(doing: Put, session: Session): Promise<DriveFile> {
  const { client, call, entry } = doing
  const step = session.uri === null ? LOST : await askStatus(client, call, session.uri, entry.size)
  if (step.state === 'done') return step.file
  if (step.state === 'more' && session.uri !== null) {
    doing.progress.onProgress(step.committed)
    return sent(doing, { ...session, uri: session.uri }, step.committed)
  }
  return (await found(doing, session)) ?? begun(doing, session)
}

/** From the first byte. */
async function begun(doing: Put, session: Session): Promise<DriveFile> {
  const { client, call, entry, progress } = doing
  if (entry.size <= doing.limits.smallBytes) return whole(doing, session)
  const uri = await openSession(client, call, session, entry).catch(nothingWhen('Conflict'))
  if (uri === null) return foundForSure(doing, session)
  const opened = { ...session, uri }
  await progress.save(sessionText(opened))
  return sent(doing, opened, 0)
}

async function sent(doing: Put, session: Session & { readonly uri: string }, from: number): Promise<DriveFile> {
  const { client, call } = doing
  try {
    const file = await sendInParts(doing, session.uri, from)
    // Sessions end after a week, and by mistakes of Drive: once in a put it begins anew.
    if (file !== 'lost') return file
    const known = await found(doing, session)
    if (known) return known
  } catch (error) {
    // The id is used: an upload that was thought lost is done.
    if (isFailure(error, 'Conflict')) return foundForSure(doing, session)
    // A content that ends early never becomes whole.
    if (isFailure(error, 'Corrupt')) await cancelSession(client, call, session.uri).catch(() => undefined)
    throw error
  }
  return again(doing, session)
}

async function again(doing: Put, session: Session): Promise<DriveFile> {
  const { client, call, entry, progress } = doing
  const uri = await openSession(client, call, session, entry)
  await progress.save(sessionText({ ...session, uri }))
  progress.onProgress(0)
  const file = await sendInParts(doing, uri, 0)
  if (file !== 'lost') return file
  throw new ProviderError('Transient', WHERE, { message: 'Drive lost the upload twice.' })
}

async function whole(doing: Put, session: Session): Promise<DriveFile> {
  const { client, call, entry, content, hash } = doing
  const source = openSource(content, 0, hash, WHERE)
  try {
    return await sendWhole(client, call, session, entry, source.take(entry.size))
  } catch (error) {
    const isOpen = isFailure(error, 'Transient') || isFailure(error, 'Conflict')
    const known = isOpen ? await found(doing, session).catch(() => null) : null
    if (known) return known
    throw error
  } finally {
    source.close()
  }
}

/** What was made under the session's id, whose answer did not come. */
async function found({ client, call }: Put, { id }: Session): Promise<DriveFile | null> {
  const asking = client.ask(call, 'put', (api, options) =>
    api.files.get({ fileId: id, fields: FILE_FIELDS, supportsAllDrives: true }, options),
  )
  return asking.catch(nothingWhen('NotFound'))
}

async function foundForSure(doing: Put, session: Session): Promise<DriveFile> {
  const file = await found(doing, session)
  if (file) return file
  throw new ProviderError('Transient', WHERE, { message: 'Drive has the file and does not show it.' })
}

/** What does not have the bytes, or the place, that it must have is removed. */
async function checked({ client, call, entry, hash, progress }: Put, { id }: Session, file: DriveFile): Promise<Entry> {
  const digest = hash.digest()
  const stored = entryOf(file)
  const refuse = async (code: ProviderErrorCode, message: string): Promise<never> => {
    await remove(client, call, id)
    throw new ProviderError(code, WHERE, { message })
  }
  if (file.trashed) return refuse('NotFound', 'The folder is in the trash.')
  if (sizeOf(file) !== entry.size) return refuse('Corrupt', `${sizeOf(file)} of ${entry.size} bytes were stored.`)
  const differs = digest !== null && stored.hash !== null && digest !== stored.hash
  if (differs) return refuse('Corrupt', 'Other bytes were stored than were sent.')
  progress.onProgress(entry.size)
  return stored
}

/** @throws BadName, TooLarge */
export function checkEntry({ name, size }: NewEntry, { maxNameLength, maxObjectBytes }: Capabilities): void {
  const isBad = name === '' || name.length > maxNameLength || /\p{Surrogate}|\0/u.test(name)
  if (isBad) throw new ProviderError('BadName', WHERE, { message: 'Google Drive does not take this name.' })
  if (maxObjectBytes === null || size <= maxObjectBytes) return
  throw new ProviderError('TooLarge', WHERE, { message: `Google Drive takes ${maxObjectBytes} bytes at most.` })
}
