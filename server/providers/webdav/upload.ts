import type { Call, Content, NewEntry, PutProgress } from '../driver.ts'
import { openSource, type RunningHash } from '../shared/source.ts'
import { type DavClient, KIND } from './client.ts'

export type UploadLimits = {
  /** Size of the parts of a large upload, where the server takes parts: 5 MiB at least. */
  readonly chunkBytes: number
}

export type PutRequest = {
  readonly call: Call
  readonly entry: NewEntry
  readonly content: Content
  readonly progress: PutProgress
}
/** An upload in progress. */
export type Upload = PutRequest & { readonly client: DavClient; readonly limits: UploadLimits }

type Bytes = { readonly length: number; readonly bytes: AsyncIterable<Uint8Array> }

/** Servers report no hash that they have computed themselves: what is stored is read back by the caller. */
const NO_HASH: RunningHash = { update: () => undefined, digest: () => null }
/** Servers copy a large file to its place before they respond. */
const STORING_MS = 120_000

/** Opens the content once, from `start`, for `work`, which takes the next bytes from it. */
export async function withSource(
  { call, content }: Upload,
  start: number,
  work: (take: (length: number) => Bytes) => Promise<void>,
): Promise<void> {
  const source = openSource(content, start, NO_HASH, { provider: KIND, operation: 'put' })
  call.signal.addEventListener('abort', source.close, { once: true })
  try {
    await work((length) => ({ length, bytes: source.take(length) }))
  } finally {
    call.signal.removeEventListener('abort', source.close)
    source.close()
  }
}

export async function sendBytes(
  { client, call }: Upload,
  at: string,
  headers: Readonly<Record<string, string>>,
  body: Bytes,
): Promise<void> {
  const all = { ...headers, 'content-type': 'application/octet-stream' }
  await client.run(call, 'put', { method: 'PUT', at, headers: all, body, patienceMs: STORING_MS })
}

/** The time that the file will have: of ownCloud and Nextcloud; others ignore it. */
export function timeHeader({ modifiedAt }: NewEntry): Readonly<Record<string, string>> {
  return modifiedAt ? { 'x-oc-mtime': String(Math.floor(modifiedAt.getTime() / 1000)) } : {}
}
