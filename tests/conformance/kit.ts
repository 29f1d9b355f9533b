import { Readable } from 'node:stream'
import { createContentHash } from '../../server/lib/contentHash.ts'
import type {
  ByteRange,
  Call,
  Change,
  Content,
  Driver,
  Entry,
  EntryRef,
  Page,
  PutProgress,
} from '../../server/providers/driver.ts'
import { ProviderError, type ProviderErrorCode } from '../../server/providers/errors.ts'

export function call(signal: AbortSignal = new AbortController().signal): Call {
  return { signal, requestId: 'conformance' }
}

/** Bytes that look like no other place of themselves, so that a shift by one is seen. */
export function bytesOf(size: number, seed = 1): Buffer {
  const bytes = Buffer.allocUnsafe(size)
  let state = (seed * 2654435761) >>> 0
  for (let at = 0; at < size; at += 1) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

const STEP = 64 * 1024

/** Notes where it was opened. */
export type TestContent = Content & { readonly opened: readonly number[] }

/** `actual`: what the stream yields instead, where a content is not what it says. */
export function contentOf(bytes: Buffer, actual = bytes): TestContent {
  const opened: number[] = []
  function* read(start: number): Generator<Buffer> {
    for (let at = start; at < actual.length; at += STEP) yield actual.subarray(at, at + STEP)
  }
  return {
    size: bytes.length,
    opened,
    open(start) {
      opened.push(start)
      return Readable.from(read(start), { objectMode: false })
    },
  }
}

/** Yields `before`, then what `then` says: an error, or nothing more for ever. */
export function brokenContent(size: number, before: Buffer, then: Error | 'silence'): Content {
  async function* read(start: number): AsyncGenerator<Buffer> {
    yield before.subarray(start)
    if (then !== 'silence') throw then
    await new Promise(() => undefined)
  }
  return { size, open: (start) => Readable.from(read(start), { objectMode: false }) }
}

/** Keeps the session, and what was confirmed. */
export type TestProgress = PutProgress & { readonly saved: string | null; readonly confirmed: readonly number[] }

export function progressFrom(session: string | null = null): TestProgress {
  const confirmed: number[] = []
  let saved: string | null = null
  return {
    session,
    confirmed,
    get saved() {
      return saved
    },
    async save(given) {
      saved = given
    },
    onProgress: (bytes) => void confirmed.push(bytes),
  }
}

type PutOptions = {
  readonly parent?: EntryRef
  readonly content?: Content
  readonly progress?: PutProgress
  readonly mimeType?: string
}

export function put(driver: Driver, name: string, bytes: Buffer, options: PutOptions = {}): Promise<Entry> {
  const {
    parent = driver.root,
    content = contentOf(bytes),
    progress = progressFrom(),
    mimeType = 'text/plain',
  } = options
  return driver.put(call(), { parent, name, size: content.size, mimeType }, content, progress)
}

/** Of an object with these bytes, as Driver.copy makes it. @throws what that rejects with */
export async function copy(
  driver: Driver,
  ref: EntryRef,
  bytes: Buffer,
  {
    name,
    parent = driver.root,
    progress = progressFrom(),
  }: { name: string; parent?: EntryRef; progress?: PutProgress },
): Promise<Entry> {
  if (!driver.copy) throw new Error('It cannot copy.')
  const entry = { parent, name, size: bytes.length, mimeType: 'text/plain' }
  return driver.copy(call(), ref, entry, { hash: hashOf(driver, bytes) ?? '', save: progress.save })
}

export async function read(driver: Driver, ref: EntryRef, range?: ByteRange): Promise<Buffer> {
  const { body } = await driver.get(call(), ref, range)
  return collect(body)
}

export async function collect(body: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of body as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** All entries of a folder, over all pages. */
export async function listAll(driver: Driver, folder: EntryRef = driver.root): Promise<Entry[]> {
  const entries: Entry[] = []
  let cursor: string | null = null
  let pages = 0
  do {
    pages += 1
    if (pages > 1000) throw new Error('The list has no end.')
    const page: Awaited<ReturnType<Driver['list']>> = await driver.list(call(), folder, cursor)
    entries.push(...page.items)
    cursor = page.cursor
  } while (cursor !== null)
  return entries
}

/** Driver.listAll, over all pages from the cursor on. */
export async function listEverything(driver: Driver, cursor: string | null = null): Promise<Entry[]> {
  const entries: Entry[] = []
  let at = cursor
  for (let pages = 0; pages < 1000; pages += 1) {
    const page = await everythingPage(driver, at)
    entries.push(...page.items)
    at = page.cursor
    if (at === null) return entries
  }
  throw new Error('The listing has no end.')
}

/** One page of Driver.listAll. */
export async function everythingPage(driver: Driver, cursor: string | null, by: Call = call()): Promise<Page<Entry>> {
  if (!driver.listAll) throw new Error('It cannot list everything.')
  return driver.listAll(by, cursor)
}

/** All changes since the cursor, the last one of each entry; of what is gone by its path under that. */
export async function changesSince(
  driver: Driver,
  cursor: string,
): Promise<{ last: Map<string, Change>; cursor: string }> {
  const last = new Map<string, Change>()
  let at = cursor
  for (let pages = 0; pages < 100; pages += 1) {
    const page = await driver.changes?.(call(), at)
    if (!page) throw new Error('There are no changes.')
    for (const change of page.changes) last.set(change.ref ?? change.path, change)
    at = page.cursor
    if (!page.hasMore) return { last, cursor: at }
  }
  throw new Error('The changes have no end.')
}

/** What it rejects with, which must be a ProviderError of that code. */
export async function rejection(promise: Promise<unknown>, ...codes: ProviderErrorCode[]): Promise<ProviderError> {
  const error = await failure(promise)
  if (!(error instanceof ProviderError)) throw new Error('Not a ProviderError.', { cause: error })
  if (codes.length > 0 && !codes.includes(error.code)) {
    throw new Error(`${error.code} instead of ${codes.join(' or ')}.`, { cause: error })
  }
  return error
}

/** What it rejects with. */
export async function failure(promise: Promise<unknown>): Promise<unknown> {
  const [outcome] = await Promise.allSettled([promise])
  if (outcome.status === 'fulfilled') throw new Error('It resolved, and should not have.')
  return outcome.reason
}

export function hashOf(driver: Driver, bytes: Buffer): string | null {
  if (driver.capabilities.hash === null) return null
  const hash = createContentHash(driver.capabilities.hash)
  hash.update(bytes)
  return hash.digest()
}

/** The bytes as they are, without printing them when they differ. */
export function expectSame(actual: Buffer, expected: Buffer): void {
  if (actual.equals(expected)) return
  const length = Math.min(actual.length, expected.length)
  let at = 0
  while (at < length && actual[at] === expected[at]) at += 1
  throw new Error(`${actual.length} bytes instead of ${expected.length}; other bytes from ${at} on.`)
}
