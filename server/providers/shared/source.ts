import { abortable } from '../../lib/concurrency.ts'
import { createContentHash } from '../../lib/contentHash.ts'
import type { Call, Content, HashAlgorithm, PutRequest } from '../driver.ts'
import { isFailure, ProviderError, type ProviderErrorWhere } from '../errors.ts'

/** The hash of a content, computed while it is sent; parts may be sent more than once. */
export type RunningHash = {
  /** The bytes at `offset`; bytes that were passed before are ignored. */
  update(offset: number, bytes: Uint8Array): void
  /** Lower-case hex, after all bytes from the first on; null before, and for an upload that did not start at 0. */
  digest(): string | null
}

export function createRunningHash(algorithm: HashAlgorithm, size: number): RunningHash {
  const hash = createContentHash(algorithm)
  let seen = 0
  let digest: string | null = null
  return {
    update(offset, bytes) {
      if (offset > seen || offset + bytes.length <= seen) return
      hash.update(bytes.subarray(seen - offset))
      seen = offset + bytes.length
    },
    digest() {
      if (seen === size) digest ??= hash.digest()
      return digest
    },
  }
}

/** A content that is read once, in parts of any length. */
export type Source = {
  /** The next `length` bytes. Rejects with Corrupt when the content ends early or is longer than its size. */
  take(length: number): AsyncGenerator<Uint8Array>
  close(): void
}

/** Reads `content` from `start`, and passes all bytes to `hash`. */
export function openSource(content: Content, start: number, hash: RunningHash, where: ProviderErrorWhere): Source {
  const stream = content.open(start)
  stream.on('error', () => undefined)
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  let rest: Uint8Array = new Uint8Array(0)
  let offset = start
  const wrong = (message: string): ProviderError => new ProviderError('Corrupt', where, { message })
  /** False at the end of the content. */
  const fill = async (): Promise<boolean> => {
    while (rest.length === 0) {
      const { done, value } = await chunks.next().catch((error: unknown) => {
        throw unreadable(error, where)
      })
      if (done) return false
      rest = value
    }
    return true
  }
  async function* take(length: number): AsyncGenerator<Uint8Array> {
    const end = offset + length
    while (offset < end) {
      if (!(await fill())) throw wrong(`The content ended after ${offset} of ${content.size} bytes.`)
      const part = rest.subarray(0, end - offset)
      rest = rest.subarray(part.length)
      hash.update(offset, part)
      offset += part.length
      // Before the last bytes are sent: a service that has received all of them would store the object.
      if (offset === content.size && (await fill())) throw wrong(`The content has more than ${content.size} bytes.`)
      yield part
    }
    if (length === 0 && offset === content.size && (await fill()))
      throw wrong('The content has bytes although its size is 0.')
  }
  return { take, close: () => void stream.destroy() }
}

type Reading = { readonly content: Content; readonly call: Call }

/** Reads the content from `start` on. Ends with the call, even while the content is silent. @throws what `work` throws */
export async function readContent<Result>(
  { content, call }: Reading,
  start: number,
  hash: RunningHash,
  where: ProviderErrorWhere,
  work: (source: Source) => Promise<Result>,
): Promise<Result> {
  call.signal.throwIfAborted()
  const source = openSource(content, start, hash, where)
  try {
    return await abortable(call.signal, work(source))
  } finally {
    source.close()
  }
}

/** Reads the first `size` bytes of a content for their hash, in lower-case hex. Ends with the call. @throws Corrupt, Transient */
export async function hashOfStart(
  reading: Reading,
  algorithm: HashAlgorithm,
  size: number,
  where: ProviderErrorWhere,
): Promise<string | null> {
  const hash = createRunningHash(algorithm, size)
  await readContent(reading, 0, hash, where, async ({ take }) => {
    for await (const _ of take(size)) reading.call.signal.throwIfAborted()
  })
  return hash.digest()
}

/**
 * What a service has of an upload: everything, with what was stored; the bytes before `committed`; or no such upload
 * any more.
 */
export type UploadStep<Stored> =
  | { readonly state: 'done'; readonly stored: Stored }
  | { readonly state: 'more'; readonly committed: number }
  | { readonly state: 'lost' }

type PartsUpload<Stored> = {
  readonly request: PutRequest
  readonly hash: RunningHash
  readonly where: ProviderErrorWhere
  readonly partBytes: number
  /** Sends the bytes from `start` to before `end`, the size of the content at most. */
  readonly send: (start: number, end: number, bytes: AsyncIterable<Uint8Array>) => Promise<UploadStep<Stored>>
  /** Asks for the offset after a failure; `committed`: the last one that is known. */
  readonly ask: (committed: number) => Promise<UploadStep<Stored>>
}

/** Attempts in succession after which a service has kept no byte. */
const MAX_IDLE = 3

/**
 * Sends the content from `from` on, always from the offset that the service reports. After a failure it asks for the offset, and
 * continues at once when the service has kept more than was known. @returns 'more' when all bytes are there and nothing was stored
 * yet. @throws Transient when the service keeps nothing, Corrupt when the content ends early, and errors of `send`
 */
export async function sendInParts<Stored>(upload: PartsUpload<Stored>, from: number): Promise<UploadStep<Stored>> {
  const { request, where } = upload
  let committed = from
  const confirm = (offset: number): void => {
    committed = offset
    request.progress.onProgress(offset)
  }
  for (let idle = 0; idle < MAX_IDLE; ) {
    const known = committed
    const step = await sendFrom(upload, committed, confirm).catch((error: unknown) => recover(upload, committed, error))
    if (step.state !== 'more') return step
    confirm(step.committed)
    if (committed === request.entry.size) return step
    idle = committed > known ? 0 : idle + 1
  }
  throw new ProviderError('Transient', where, { message: 'The service keeps nothing of what was sent.' })
}

/** Sends parts from one read of the content, until one is not kept completely. */
async function sendFrom<Stored>(
  { request, hash, where, partBytes, send }: PartsUpload<Stored>,
  from: number,
  confirm: (offset: number) => void,
): Promise<UploadStep<Stored>> {
  const { size } = request.entry
  const source = openSource(request.content, from, hash, where)
  try {
    for (let start = from; ; ) {
      const end = Math.min(start + partBytes, size)
      const step = await send(start, end, source.take(end - start))
      if (step.state !== 'more' || step.committed !== end || end === size) return step
      confirm(end)
      start = end
    }
  } finally {
    source.close()
  }
}

async function recover<Stored>(
  { request: { call }, ask }: PartsUpload<Stored>,
  committed: number,
  error: unknown,
): Promise<UploadStep<Stored>> {
  call.signal.throwIfAborted()
  if (!isFailure(error, 'Transient')) throw error
  const step = await ask(committed).catch(() => null)
  call.signal.throwIfAborted()
  if (step === null || (step.state === 'more' && step.committed <= committed)) throw error
  return step
}

/** The service has stored something other than what was sent, and it has been deleted where that is possible. */
export function wrongBytes(
  where: ProviderErrorWhere,
  storedSize: number | null | undefined,
  size: number,
): ProviderError {
  const message =
    storedSize === size
      ? 'The stored bytes differ from those sent.'
      : `${storedSize ?? 'None'} of ${size} bytes were stored.`
  return new ProviderError('Corrupt', where, { message })
}

/** A file that is to be overwritten has another revision than the caller knows. */
export function fileChanged(where: ProviderErrorWhere): ProviderError {
  return new ProviderError('Conflict', where, { message: 'The file was changed in the meantime.' })
}

function unreadable(error: unknown, where: ProviderErrorWhere): ProviderError {
  if (error instanceof ProviderError) return error
  return new ProviderError('Transient', where, { message: 'The content could not be read.', cause: error })
}
