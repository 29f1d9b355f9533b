import { ProviderError } from '../errors.ts'
import { isFailure } from '../shared/failures.ts'
import { openSource } from '../shared/source.ts'
import { type Put, WHERE } from './putJob.ts'
import { askStatus, type Step, sendPart } from './upload.ts'
import type { DriveFile } from './wire.ts'

/** How often Drive may take a part and keep none of it. */
const MOST_IDLE = 3

/**
 * Sends the content from `from` on to the session at `uri`, always going by what Drive says it has. After a failure it asks
 * where the upload stands, and goes on at once when more was kept than was known.
 */
export async function sendInParts(doing: Put, uri: string, from: number): Promise<DriveFile | 'lost'> {
  let committed = from
  const confirm = (offset: number): void => {
    committed = offset
    doing.progress.onProgress(offset)
  }
  for (let idle = 0; idle < MOST_IDLE; ) {
    const known = committed
    const step = await sendFrom(doing, uri, committed, confirm).catch((error: unknown) =>
      recovered(doing, uri, committed, error),
    )
    if (step.state === 'done') return step.file
    if (step.state === 'lost') return 'lost'
    idle = step.committed > known ? 0 : idle + 1
    confirm(step.committed)
  }
  throw new ProviderError('Transient', WHERE, { message: 'Drive keeps nothing of what is sent.' })
}

/** Part after part from one reading of the content, until one is not kept whole. */
async function sendFrom(doing: Put, uri: string, from: number, confirm: (offset: number) => void): Promise<Step> {
  const { client, call, content, hash, limits } = doing
  const { size } = doing.entry
  const source = openSource(content, from, hash, WHERE)
  try {
    for (let start = from; ; ) {
      const end = Math.min(start + limits.chunkBytes, size)
      const step = await sendPart(client, call, uri, { start, end, bytes: source.take(end - start) }, size)
      if (step.state !== 'more' || step.committed !== end || end === size) return step
      confirm(end)
      start = end
    }
  } finally {
    source.close()
  }
}

async function recovered(doing: Put, uri: string, committed: number, error: unknown): Promise<Step> {
  if (!isFailure(error, 'Transient')) throw error
  const step = await askStatus(doing.client, doing.call, uri, doing.entry.size).catch(() => null)
  doing.call.signal.throwIfAborted()
  if (step === null || (step.state === 'more' && step.committed <= committed)) throw error
  return step
}
