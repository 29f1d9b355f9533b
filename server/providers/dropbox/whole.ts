import type { files } from 'dropbox'
import { isFailure } from '../shared/failures.ts'
import { openSource } from '../shared/source.ts'
import { ours } from './adopt.ts'
import { type Put, WHERE } from './putJob.ts'
import { type Session, sessionText } from './session.ts'
import { sendWhole } from './upload.ts'

/** A small content, read before anything is sent: so its hash is known and saved first. */
export async function putWhole(doing: Put, session: Session | null): Promise<files.FileMetadata> {
  const { client, call, entry, progress } = doing
  const bytes = await allOf(doing)
  const hash = doing.hash.digest() ?? ''
  if (session?.named) {
    const known = await ours(doing)
    if (known) return known
  }
  const { parent, name, size } = entry
  const save = (named: boolean) => progress.save(sessionText({ uploadId: null, parent, name, size, named, hash }))
  await save(true)
  try {
    return await sendWhole(client, call, entry, bytes, hash)
  } catch (error) {
    // What has the name is another's, whatever its bytes.
    if (isFailure(error, 'Conflict')) await save(false)
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
