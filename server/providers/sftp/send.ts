import type { Call, Content } from '../driver.ts'
import { openSource, type RunningHash } from '../shared/source.ts'
import type { SftpLimits } from './limits.ts'
import { KIND } from './login.ts'
import { type Server, writeError } from './requests.ts'

const WHERE = { provider: KIND, operation: 'put' }
/** The service has no hashes to compare with: what is stored is read back by the caller. */
const NO_HASH: RunningHash = { update: () => undefined, digest: () => null }

/** The most that is on its way at a time: what lies before that at the server is there without gaps. */
export function windowBytes({ depth, writeBytes }: SftpLimits): number {
  return depth * writeBytes
}

/**
 * Writes the content from `from` on into an open file, many requests at a time, and resolves when the server has confirmed all of them.
 * `onConfirmed`: so many bytes from the beginning are there, and will still be when the upload is continued.
 * @throws Corrupt when the content has another length; QuotaExceeded; the errors of requests
 */
export async function sendContent(
  { server, limits, handle }: { server: Server; limits: SftpLimits; handle: Buffer },
  { signal }: Call,
  content: Content,
  { from, onConfirmed }: { from: number; onConfirmed: (bytes: number) => void },
): Promise<void> {
  const source = openSource(content, from, NO_HASH, WHERE)
  const writes = createWrites(limits.depth, (upTo) => onConfirmed(Math.max(from, upTo - windowBytes(limits))))
  signal.addEventListener('abort', source.close, { once: true })
  let offset = from
  try {
    for await (const chunk of source.take(content.size - from)) {
      for (let start = 0; start < chunk.length; start += limits.writeBytes) {
        const part = viewOf(chunk.subarray(start, start + limits.writeBytes))
        const at = offset
        offset += part.length
        await writes.add(at, offset, () => write(server, handle, part, at))
        signal.throwIfAborted()
      }
    }
  } finally {
    signal.removeEventListener('abort', source.close)
    source.close()
    await writes.finished()
  }
  writes.throwFailure()
}

/** The same bytes: they are copied often enough on their way. */
const viewOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length)

async function write(server: Server, handle: Buffer, part: Buffer, at: number): Promise<void> {
  try {
    await server.channel.ask<void>((sftp, done) => sftp.write(handle, part, 0, part.length, at, done))
  } catch (error) {
    throw await writeError(server, 'put', error)
  }
}

type Writes = {
  /** Starts a write of the bytes up to `end` as soon as there is room for it. @throws the first failure */
  add(start: number, end: number, work: () => Promise<void>): Promise<void>
  /** All that were started have ended, whatever their result. */
  finished(): Promise<void>
  throwFailure(): void
}

/** `onConfirmed`: everything up to there has been written. Servers may confirm later writes first. */
function createWrites(depth: number, onConfirmed: (upTo: number) => void): Writes {
  const open = new Map<number, Promise<void>>()
  let failure: { readonly error: unknown } | null = null
  let end = 0

  const confirm = (): void => {
    if (!failure) onConfirmed(open.size === 0 ? end : Math.min(...open.keys()))
  }
  const throwFailure = (): void => {
    if (failure) throw failure.error
  }

  return {
    throwFailure,
    async add(start, upTo, work) {
      while (open.size >= depth && !failure) await Promise.race(open.values())
      throwFailure()
      end = upTo
      const writing = work()
        .catch((error: unknown) => {
          failure ??= { error }
        })
        .finally(() => {
          open.delete(start)
          confirm()
        })
      open.set(start, writing)
    },
    async finished() {
      await Promise.all(open.values())
    },
  }
}
