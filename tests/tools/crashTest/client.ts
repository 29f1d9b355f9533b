import { createHash } from 'node:crypto'

/** The server did not respond, or not yet with success: retry. */
class Unanswered extends Error {
  override readonly name = 'Unanswered'
}

/** For `catch`: undefined when there was no answer. @throws any other error */
export function unlessUnanswered(error: unknown): undefined {
  if (!(error instanceof Unanswered)) throw error
}

/** Longer than any response takes, shorter than a test's timeout for a dead connection. */
const TIMEOUT_MS = 20_000

const UPLOAD = `mutation ($input: UploadFileInput!) {
  uploadFile(input: $input) { ... on UploadFilePayload { file { id } } ... on Error { code message } } }`

export type Client = Awaited<ReturnType<typeof createClient>>

/** A registered user with a session, speaking the public API alone. */
export async function createClient(url: string) {
  const cookie = await register(url)

  /** @throws Unanswered for a broken connection and 5xx */
  async function call(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { cookie, origin: url, ...(init.headers as Record<string, string> | undefined) }
    const response = await fetch(new URL(path, url), {
      ...init,
      headers,
      signal: init.signal ?? AbortSignal.timeout(TIMEOUT_MS),
    }).catch((cause: unknown) => {
      throw new Unanswered('The connection broke.', { cause })
    })
    if (response.status >= 500 || response.status === 409 || response.status === 423) {
      throw new Unanswered(`Answered ${response.status}: ${await response.text().catch(() => '')}`)
    }
    return response
  }

  const tus = (method: string, path: string, headers: Record<string, string> = {}, body?: Buffer) =>
    call(path, {
      method,
      headers: { 'tus-resumable': '1.0.0', ...headers },
      ...(body && { body: new Uint8Array(body) }),
    })

  return {
    cookie,
    url,

    /** `fields`: those of the form before the file. @returns the file's id and hash as the server says */
    async upload(
      name: string,
      bytes: Buffer,
      key: string,
      fields: Readonly<Record<string, string>> = {},
    ): Promise<{ id: string; sha256: string }> {
      const form = new FormData()
      for (const [field, value] of Object.entries(fields)) form.set(field, value)
      form.set('file', new Blob([new Uint8Array(bytes)]), name)
      const response = await call('/api/v1/files', { method: 'POST', body: form, headers: { 'idempotency-key': key } })
      return expectStatus(response, 201).then((answer) => read(answer))
    },

    /** By the mutation, which knows no idempotency key: after Unanswered, the file may be there. @returns its id */
    async uploadByGraphql(name: string, bytes: Buffer): Promise<string> {
      const form = new FormData()
      form.set('operations', JSON.stringify({ query: UPLOAD, variables: { input: { file: null } } }))
      form.set('map', JSON.stringify({ 0: ['variables.input.file'] }))
      form.set('0', new Blob([new Uint8Array(bytes)]), name)
      const headers = { 'graphql-require-preflight': '1' }
      const response = await expectStatus(await call('/graphql', { method: 'POST', body: form, headers }), 200)
      const answer = await read<{ data?: { uploadFile?: { file?: { id: string } } } }>(response)
      const id = answer.data?.uploadFile?.file?.id
      if (id === undefined) throw new Error(`uploadFile answered ${JSON.stringify(answer)}`)
      return id
    },

    /** `fields`: other metadata of the upload. @returns the upload's path */
    async open(
      name: string,
      size: number,
      key: string,
      fields: Readonly<Record<string, string>> = {},
    ): Promise<string> {
      const metadata = Object.entries({ ...fields, filename: name })
        .map(([field, value]) => `${field} ${Buffer.from(value).toString('base64')}`)
        .join()
      const headers = { 'upload-length': String(size), 'upload-metadata': metadata, 'idempotency-key': key }
      const response = await expectStatus(await tus('POST', '/api/v1/uploads', headers), 201)
      return response.headers.get('location') ?? ''
    },

    async offset(path: string): Promise<number> {
      const response = await expectStatus(await tus('HEAD', path), 200)
      return Number(response.headers.get('upload-offset'))
    },

    /** @returns the new offset, and the file's id after the last byte */
    async append(path: string, offset: number, bytes: Buffer): Promise<{ offset: number; fileId: string | null }> {
      const headers = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }
      const response = await expectStatus(await tus('PATCH', path, headers, bytes), 204)
      return { offset: Number(response.headers.get('upload-offset')), fileId: response.headers.get('skypool-file-id') }
    },

    /** A call with JSON. @returns the body, also of a response that is not a success */
    async json<Body>(method: string, path: string, body?: object): Promise<{ status: number; body: Body }> {
      const init = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
      const response = await call(`/api/v1${path}`, { method, ...init })
      return { status: response.status, body: response.status === 204 ? (null as Body) : await read<Body>(response) }
    },

    /** Saves over the content with this hash only. `refused`: the file has another one. */
    async replace(
      id: string,
      bytes: Buffer,
      { over, source }: { readonly over: string; readonly source: string },
    ): Promise<'replaced' | 'refused'> {
      const response = await call(`/api/v1/files/${id}/content?source=${source}`, {
        method: 'PUT',
        body: new Uint8Array(bytes),
        headers: { 'if-match': `"${over}"`, 'content-type': 'application/octet-stream' },
      })
      if (response.status === 412) return 'refused'
      await read(await expectStatus(response, 200))
      return 'replaced'
    },

    /** Makes an earlier version the current one. It waits as long as the server lives: given up, it could still happen later. @returns the status */
    async restore(versionId: string): Promise<number> {
      const signal = new AbortController().signal
      const response = await call(`/api/v1/versions/${versionId}/restore`, { method: 'POST', signal })
      await read(response)
      return response.status
    },

    /** SHA-256 and length of what a download gives. @throws Unanswered also when it breaks off */
    async download(id: string, of: 'files' | 'versions' = 'files'): Promise<{ sha256: string; size: number }> {
      const response = await expectStatus(await call(`/api/v1/${of}/${id}/download`), 200)
      const hash = createHash('sha256')
      let size = 0
      try {
        for await (const chunk of response.body ?? []) {
          hash.update(chunk)
          size += chunk.length
        }
      } catch (cause) {
        throw new Unanswered('The download broke off.', { cause })
      }
      return { sha256: hash.digest('hex'), size }
    },
  }
}

async function register(url: string): Promise<string> {
  const body = {
    fullName: 'Crash Test',
    email: `crash-${crypto.randomUUID()}@example.org`,
    password: crypto.randomUUID(),
  }
  const headers = { 'content-type': 'application/json', origin: url }
  const response = await fetch(`${url}/api/v1/auth/register`, { method: 'POST', headers, body: JSON.stringify(body) })
  await expectStatus(response, 201)
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

/** @throws Error: an answer that no crash explains */
async function expectStatus(response: Response, status: number): Promise<Response> {
  if (response.status === status) return response
  throw new Error(`${response.url} answered ${response.status} instead of ${status}: ${await response.text()}`)
}

/** @throws Unanswered when the connection breaks inside the body */
async function read<Body>(response: Response): Promise<Body> {
  try {
    return (await response.json()) as Body
  } catch (cause) {
    throw new Unanswered('The answer broke off.', { cause })
  }
}
