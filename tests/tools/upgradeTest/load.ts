import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

export type Kept = { readonly id: string; readonly sha256: string }

export type Load = {
  /** What was acknowledged. */
  readonly kept: readonly Kept[]
  /** Requests by what happened; 503 is sent again until it is answered. */
  readonly counts: Readonly<Record<'requests' | 'refused', number>>
  /** A sentence for each request that failed in another way, or whose 503 did not end. */
  readonly failures: readonly string[]
  /** Ends what is in progress. */
  stop(): Promise<void>
}

const MOST_BYTES = 3 * 1024 * 1024
const PIECES = 3
/** Longer than a server needs to be replaced. */
const PATIENCE_MS = 120_000
/** A server says when to ask again; a test need not wait for that long. */
const PAUSE_MS = 100

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** `writers` programs that upload, list and download, one request after the other each. */
export function startLoad(url: string, cookie: string, writers: number): Load {
  const kept: Kept[] = []
  const failures: string[] = []
  const counts = { requests: 0, refused: 0 }
  let over = false

  /** Sends a request until it is not refused with 503. @returns null when it failed */
  async function ask(path: string, init: RequestInit, expected: number): Promise<Response | null> {
    const headers = { cookie, origin: url, ...(init.headers as Record<string, string>) }
    const what = `${init.method ?? 'GET'} ${path.replace(/[\w-]{20,}/g, '…')}`
    for (const until = Date.now() + PATIENCE_MS; ; await sleep(PAUSE_MS)) {
      counts.requests += 1
      const answer = await fetch(new URL(path, url), { ...init, headers }).catch((error: Error) => error)
      if (answer instanceof Error) {
        failures.push(`${what}: ${answer.message}: ${String(answer.cause)}`)
        return null
      }
      if (answer.status === expected) return answer
      const text = await answer.text().catch(String)
      if (answer.status !== 503 || Date.now() > until) {
        failures.push(`${what}: ${answer.status} ${text.slice(0, 200)}`)
        return null
      }
      counts.refused += 1
    }
  }

  async function uploadWhole(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string | null> {
    const form = new FormData()
    form.set('file', new Blob([bytes]), name)
    const answer = await ask('/api/v1/files', { method: 'POST', body: form, headers: { 'idempotency-key': name } }, 201)
    return answer && ((await answer.json()) as { id: string }).id
  }

  async function uploadInPieces(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string | null> {
    const tus = { 'tus-resumable': '1.0.0' }
    const metadata = `filename ${Buffer.from(name).toString('base64')}`
    const open = { ...tus, 'upload-length': String(bytes.length), 'upload-metadata': metadata, 'idempotency-key': name }
    const location = (await ask('/api/v1/uploads', { method: 'POST', headers: open }, 201))?.headers.get('location')
    if (!location) return null
    const size = Math.ceil(bytes.length / PIECES)
    for (;;) {
      const head = await ask(location, { method: 'HEAD', headers: tus }, 200)
      if (!head) return null
      const offset = Number(head.headers.get('upload-offset'))
      const headers = { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }
      const answer = await ask(location, { method: 'PATCH', headers, body: bytes.subarray(offset, offset + size) }, 204)
      if (!answer) return null
      const id = answer.headers.get('skypool-file-id')
      if (id) return id
    }
  }

  async function write(): Promise<void> {
    for (let turn = 0; !over; turn += 1) {
      const bytes = new Uint8Array(randomBytes(1 + Math.floor(Math.random() * MOST_BYTES)))
      const upload = turn % 2 === 0 ? uploadWhole : uploadInPieces
      const id = await upload(`${crypto.randomUUID()}.bin`, bytes)
      if (id) kept.push({ id, sha256: sha256(bytes) })
      const list = await ask('/api/v1/files?limit=50', {}, 200)
      await list?.text().catch((error: Error) => failures.push(`A list broke off: ${error.message}`))
      const one = kept[Math.floor(Math.random() * kept.length)]
      if (one) await read(one)
    }
  }

  async function read({ id, sha256: expected }: Kept): Promise<void> {
    const answer = await ask(`/api/v1/files/${id}/download`, {}, 200)
    const found = await answer?.bytes().then(sha256, (error: Error) => `broke off: ${error.message}`)
    if (answer && found !== expected) failures.push(`A download was not what was uploaded: ${found}`)
  }

  const working = Promise.all(Array.from({ length: writers }, write))
  working.catch((error: Error) => failures.push(`A writer ended: ${error.message}`))
  return {
    kept,
    counts,
    failures,
    async stop() {
      over = true
      await working
    },
  }
}
