import type { z } from 'zod'
import { ARGS, type FinishArg } from '../args.ts'
import { type Call, type Route, route } from '../call.ts'
import { DropboxError, refused } from '../errors.ts'
import { takeIn } from '../intake.ts'
import { fileMetadata } from '../metadata.ts'
import type { FileEntry, UploadSession } from '../model.ts'
import { save } from '../save.ts'
import {
  addPiece,
  appendProblem,
  contentOf,
  createSession,
  dropSession,
  finishProblem,
  isExpired,
} from '../sessions.ts'
import { flattened, holding, type Tagged, tag } from '../tags.ts'
import { WriteRefused } from '../write.ts'

const SCOPE = 'files.content.write'

export const SESSION_ROUTES: Readonly<Record<string, Route>> = {
  'files/upload_session/start': route('upload', SCOPE, ARGS.start, start),
  'files/upload_session/append_v2': route('upload', SCOPE, ARGS.append, append),
  'files/upload_session/finish': route('upload', SCOPE, ARGS.finish, finish),
  'files/upload_session/finish_batch_v2': route('rpc', SCOPE, ARGS.finishBatch, finishBatch),
}

async function start(call: Call, args: z.output<typeof ARGS.start>): Promise<object> {
  const { state, user } = call
  const concurrent = args.session_type === 'concurrent'
  if (concurrent && args.close) throw refused(tag('concurrent_session_close_not_allowed'))
  const session = createSession(user.uid, args.session_type ?? 'sequential', state.now())
  const { bytes, running } = await takeIn(call, args.content_hash, session.hash)
  if (concurrent && bytes.size > 0) {
    await bytes.letGo()
    throw refused(tag('concurrent_session_data_not_allowed'))
  }
  await addPiece(session, 0, bytes, running)
  session.closed = args.close
  state.sessions.set(session.id, session)
  return { session_id: session.id }
}

async function append(call: Call, args: z.output<typeof ARGS.append>): Promise<null> {
  const session = findSession(call, args.cursor.session_id)
  if (!session) throw refused(tag(call.state.finished.has(args.cursor.session_id) ? 'closed' : 'not_found'))
  const broken = call.exchange.take('serverError')
  const problem = await addData(call, session, args.cursor.offset, { ...args, broken: broken && (broken.bytes ?? 0) })
  if (problem) throw refused(problem)
  if (broken) throw new DropboxError(broken.status ?? 503, 'Service Unavailable')
  if (args.close) session.closed = true
  return null
}

type Data = {
  readonly content_hash?: string | null | undefined
  readonly close: boolean
  /** How much is kept by a service that breaks meanwhile; null when it does not. */
  readonly broken: number | null
}

/** Adds the body to the session; the answer is the lookup error for which it does not. */
async function addData(call: Call, session: UploadSession, offset: number, data: Data): Promise<Tagged | null> {
  const early = appendProblem(session, offset, 0, true)
  if (early) return early
  const { bytes, running } = await takeIn(call, data.content_hash, session.hash, data.broken ?? undefined)
  // Another append may have been quicker.
  const problem = appendProblem(session, offset, bytes.size, data.close || data.broken !== null)
  if (problem) await bytes.letGo()
  else await addPiece(session, offset, bytes, running)
  return problem
}

async function finish(call: Call, args: FinishArg): Promise<object> {
  const session = findSession(call, args.cursor.session_id)
  if (!session) throw refused(lookupFailed(tag('not_found')))
  const added = await addRest(call, session, args)
  const problem = finishProblem(session, args.cursor.offset + added)
  if (problem) throw refused(problem)
  return fileMetadata(await commit(call, session, args))
}

/** The last data may come with the call that finishes; the answer is how many bytes came. */
async function addRest(call: Call, session: UploadSession, { cursor, content_hash }: FinishArg): Promise<number> {
  const { bytes, running } = await takeIn(call, content_hash, session.hash)
  if (bytes.size === 0) return 0
  const concurrent = session.type === 'concurrent'
  const problem = concurrent ? null : appendProblem(session, cursor.offset, bytes.size, true)
  if (concurrent || problem) await bytes.letGo()
  if (concurrent) throw refused(tag('concurrent_session_data_not_allowed'))
  if (problem) throw refused(lookupFailed(problem))
  await addPiece(session, cursor.offset, bytes, running)
  return bytes.size
}

/** Makes the session a file; when that is refused, the session stays for another try. */
async function commit(call: Call, session: UploadSession, args: FinishArg): Promise<FileEntry> {
  const content = await contentOf(session)
  try {
    const file = await save(call, args.commit, content)
    call.state.sessions.delete(session.id)
    call.state.finished.add(session.id)
    await dropSession(session)
    return file
  } catch (error) {
    await content.bytes.letGo()
    throw error instanceof WriteRefused ? refused(holding('path', error.reason)) : error
  }
}

async function finishBatch(call: Call, { entries }: z.output<typeof ARGS.finishBatch>): Promise<object> {
  const results: object[] = []
  for (const entry of entries) results.push(await finishOne(call, entry))
  return { entries: results }
}

async function finishOne(call: Call, entry: FinishArg): Promise<object> {
  const session = findSession(call, entry.cursor.session_id)
  const notReady = session ? (session.closed ? null : tag('not_closed')) : tag('not_found')
  if (!session || notReady) return holding('failure', lookupFailed(notReady ?? tag('not_found')))
  const problem = finishProblem(session, entry.cursor.offset)
  if (problem) return holding('failure', problem)
  try {
    return flattened('success', fileMetadata(await commit(call, session, entry)))
  } catch (error) {
    if (error instanceof DropboxError && error.tag) return holding('failure', error.tag)
    throw error
  }
}

function lookupFailed(reason: Tagged): Tagged {
  return holding('lookup_failed', reason)
}

function findSession({ state, user }: Call, id: string): UploadSession | null {
  const session = state.sessions.get(id)
  return session && session.owner === user.uid && !isExpired(session, state.now()) ? session : null
}
