import { createHash, randomBytes } from 'node:crypto'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { createGoogle, GOOGLE_CLIENT } from '../../fakes/google/google.ts'

export const USER = 'ann@example.org'
export const OTHER = 'ben@example.org'
export const MIB = 1024 * 1024
export const REDIRECT = 'http://127.0.0.1:3000/oauth/google/callback'
const SCOPE = 'openid profile email https://www.googleapis.com/auth/drive'
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

export type Answer = {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  readonly json: Record<string, never>
}

/** An emulated Google with two users of 100 MiB and a clock to turn. */
export async function startGoogle() {
  let now = Date.parse('2026-11-21T10:00:00Z')
  const google = createGoogle({ clock: () => now })
  const emulators = await startEmulators({ services: [google] })
  google.commands.addUser({ email: USER, name: 'Ann Archer', quotaBytes: 100 * MIB })
  google.commands.addUser({ email: OTHER, name: 'Ben Baker', quotaBytes: 100 * MIB })
  return {
    ...emulators,
    commands: google.commands,
    pass(milliseconds: number): void {
      now += milliseconds
    },
    api: (user = USER, scope?: string) =>
      createApi(emulators, google.commands.mintToken({ user, ...(scope !== undefined && { scope }) }).access_token),
  }
}

export type Harness = Awaited<ReturnType<typeof startGoogle>>

export async function ask(emulators: Pick<Emulators, 'url'>, address: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(address.replace('https://', `${emulators.url}/@`), { redirect: 'manual', ...init })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, bytes, json: isJson ? JSON.parse(bytes.toString()) : {} }
}

export type Api = ReturnType<typeof createApi>

/** Drive, as an app with this access token. */
export function createApi(emulators: Pick<Emulators, 'url'>, token: string) {
  const authorization = `Bearer ${token}`
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    ask(emulators, `https://www.googleapis.com${path}`, {
      method,
      headers: { authorization, ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return {
    call,
    get: (path: string, headers?: Record<string, string>) => call('GET', `/drive/v3${path}`, undefined, headers),
    post: (path: string, body: unknown = {}) => call('POST', `/drive/v3${path}`, body),
    patch: (path: string, body: unknown = {}) => call('PATCH', `/drive/v3${path}`, body),
    remove: (path: string) => call('DELETE', `/drive/v3${path}`),
    /** A file of these bytes; its id. */
    async make(name: string, bytes: Buffer | string = '', more: object = {}): Promise<string> {
      const session = await call('POST', '/upload/drive/v3/files?uploadType=resumable', { name, ...more })
      const { json } = await put(emulators, session.headers.get('location') ?? '', Buffer.from(bytes as string))
      return String(json.id)
    },
    /** The address of a new upload session. */
    async begin(
      metadata: object,
      headers?: Record<string, string>,
      query = 'fields=id,size,md5Checksum',
    ): Promise<string> {
      const path = `/upload/drive/v3/files?uploadType=resumable&${query}`
      return (await call('POST', path, metadata, headers)).headers.get('location') ?? ''
    },
  }
}

/** Bytes for a session; `range` is the Content-Range without its unit. */
export function put(
  emulators: Pick<Emulators, 'url'>,
  address: string,
  bytes: Buffer,
  range?: string,
): Promise<Answer> {
  const headers = range === undefined ? {} : { 'Content-Range': `bytes ${range}` }
  return ask(emulators, address, { method: 'PUT', headers, body: new Uint8Array(bytes) })
}

export const reasonOf = ({ json }: Answer): unknown =>
  (json as { error?: { errors?: { reason: string }[] } }).error?.errors?.[0]?.reason

export const newVerifier = (): string => randomBytes(32).toString('base64url')

/** The address an app sends its user to. */
export function authorizationAddress(more: Readonly<Record<string, string>> = {}): string {
  const usual = {
    response_type: 'code',
    client_id: GOOGLE_CLIENT.id,
    redirect_uri: REDIRECT,
    scope: SCOPE,
    state: 'state-1',
  }
  const query = new URLSearchParams({ ...usual, access_type: 'offline', prompt: 'consent', ...more })
  return `https://accounts.google.com/o/oauth2/v2/auth?${query}`
}

export const challenge = (verifier: string) => ({
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
})

/** What the browser is sent back with after the user has decided. */
export async function decide(
  emulators: Pick<Emulators, 'url'>,
  address: string,
  form: Readonly<Record<string, string>>,
) {
  const answer = await ask(emulators, address, {
    method: 'POST',
    headers: FORM,
    body: String(new URLSearchParams(form)),
  })
  return new URL(answer.headers.get('location') ?? '')
}

export const allow = (account = USER, scope = 'https://www.googleapis.com/auth/drive') => ({
  account,
  scope,
  decision: 'allow',
})

export function tokenRequest(
  emulators: Pick<Emulators, 'url'>,
  form: Readonly<Record<string, string>>,
): Promise<Answer> {
  const client = { client_id: GOOGLE_CLIENT.id, client_secret: GOOGLE_CLIENT.secret }
  const body = String(new URLSearchParams({ ...client, ...form }))
  return ask(emulators, 'https://oauth2.googleapis.com/token', { method: 'POST', headers: FORM, body })
}
