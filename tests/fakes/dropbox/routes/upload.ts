import { ARGS, type CommitInfo } from '../args.ts'
import { type Call, type Route, route } from '../call.ts'
import { refused } from '../errors.ts'
import { takeIn } from '../intake.ts'
import { fileMetadata } from '../metadata.ts'
import { save } from '../save.ts'
import { addPiece, createSession } from '../sessions.ts'
import { flattened } from '../tags.ts'
import { WriteRefused } from '../write.ts'

export const UPLOAD_ROUTES: Readonly<Record<string, Route>> = {
  'files/upload': route('upload', 'files.content.write', ARGS.upload, upload),
}

async function upload(call: Call, args: CommitInfo): Promise<object> {
  const { state, user } = call
  const { bytes, running } = await takeIn(call, args.content_hash)
  try {
    return fileMetadata(await save(call, args, { bytes, contentHash: running.digest() }))
  } catch (error) {
    if (!(error instanceof WriteRefused)) await bytes.letGo()
    if (!(error instanceof WriteRefused)) throw error
    // The data is not lost: it can be saved elsewhere by finishing this session.
    const session = createSession(user.uid, 'sequential', state.now())
    await addPiece(session, 0, bytes, running)
    session.closed = true
    state.sessions.set(session.id, session)
    throw refused(flattened('path', { reason: error.reason, upload_session_id: session.id }))
  }
}
