import { ProviderError } from '../errors.ts'
import { isFailure } from '../shared/failures.ts'
import { openSource } from '../shared/source.ts'
import { type Put, WHERE } from './putJob.ts'
import { append, type Step } from './upload.ts'

/** How often Dropbox may take a part and keep none of it. */
const MOST_IDLE = 3

/**
 * Sends the content from `from` on to an upload session, always going by what Dropbox says it has. After a failure it asks
 * where the session stands, and goes on at once when more was kept than was known. False when the session is lost.
 */
export async function sendInParts(doing: Put, uploadId: string, from: number): Promise<boolean> {
  let committed = from
  const confirm = (offset: number): void => {
    committed = offset
    doing.progress.onProgress(offset)
  }
  for (let idle = 0; idle < MOST_IDLE; ) {
    if (committed === doing.entry.size) return true
    const known = committed
    const step = await sendFrom(doing, uploadId, committed, confirm).catch((error: unknown) =>
      recovered(doing, uploadId, committed, error),
    )
    if (step.state === 'lost') return false
    idle = step.committed > known ? 0 : idle + 1
    confirm(step.committed)
  }
  throw new ProviderError('Transient', WHERE, { message: 'Dropbox keeps nothing of what is sent.' })
}

/** Part after part from one reading of the content, until one is not kept as it was sent. */
async function sendFrom(doing: Put, uploadId: string, from: number, confirm: (offset: number) => void): Promise<Step> {
  const { client, call, content, hash, limits } = doing
  const { size } = doing.entry
  const source = openSource(content, from, hash, WHERE)
  try {
    for (let start = from; ; ) {
      const end = Math.min(start + limits.chunkBytes, size)
      const part = { length: end - start, bytes: source.take(end - start) }
      const step = await append(client, call, uploadId, start, part)
      if (step.state === 'lost' || step.committed !== end || end === size) return step
      confirm(end)
      start = end
    }
  } finally {
    source.close()
  }
}

async function recovered(doing: Put, uploadId: string, committed: number, error: unknown): Promise<Step> {
  if (!isFailure(error, 'Transient')) throw error
  const step = await append(doing.client, doing.call, uploadId, committed, '').catch(() => null)
  doing.call.signal.throwIfAborted()
  if (step === null || (step.state === 'more' && step.committed <= committed)) throw error
  return step
}
