import { createHash, randomBytes } from 'node:crypto'
import { type Emulators, startEmulators } from '../../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../../fakes/dropbox/dropbox.ts'

export const EMAIL = 'ada@example.com'
export const REDIRECT = 'http://127.0.0.1/oauth/dropbox/callback'

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string; readonly json: never }

export type Harness = Awaited<ReturnType<typeof startDropbox>>

/** An emulated Dropbox with one account of 100 MB, and ways to talk to it as an app does. */
export async function startDropbox() {
  let now = Date.parse('2026-11-21T10:00:00.500Z')
  const service = createDropbox({ clock: () => now })
  const emulators = await startEmulators({ services: [service] })
  service.commands.addUser({ email: EMAIL, name: 'Ada Lovelace', quotaBytes: 100e6 })
  return {
    ...emulators,
    commands: service.commands,
    hosts: service.hosts,
    at: (host: string, path: string) => `${emulators.url}/@${host}${path}`,
    pass(milliseconds: number) {
      now += milliseconds
    },
  }
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, headers: response.headers, text, json: (isJson ? JSON.parse(text) : null) as never }
}

function asciiJson(value: unknown): string {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escaped)
}

/** One app that was allowed by a user. */
export function createApi(emulators: Pick<Emulators, 'url'>, token: string) {
  const authorization = `Bearer ${token}`
  const post = async (host: string, operation: string, init: RequestInit) =>
    answerOf(await fetch(`${emulators.url}/@${host}/2/${operation}`, { method: 'POST', ...init }))
  return {
    rpc: (operation: string, args: unknown) =>
      post('api.dropboxapi.com', operation, {
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(args),
      }),
    send: (operation: string, args: unknown, body: Buffer | string = '') =>
      post('content.dropboxapi.com', operation, {
        headers: {
          authorization,
          'content-type': 'application/octet-stream',
          'dropbox-api-arg': asciiJson(args),
        },
        body: typeof body === 'string' ? body : new Uint8Array(body),
      }),
    download: (args: unknown, headers: Record<string, string> = {}) =>
      post('content.dropboxapi.com', 'files/download', {
        headers: { authorization, 'dropbox-api-arg': asciiJson(args), ...headers },
      }),
    poll: (args: unknown) =>
      post('notify.dropboxapi.com', 'files/list_folder/longpoll', {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(args),
      }),
  }
}

export type Api = ReturnType<typeof createApi>

export type AuthorizeQuery = Readonly<Record<string, string>>

export function authorizeUrl({ at }: Pick<Harness, 'at'>, query: AuthorizeQuery = {}): string {
  const all = new URLSearchParams({
    response_type: 'code',
    client_id: DROPBOX_CLIENT.id,
    redirect_uri: REDIRECT,
    token_access_type: 'offline',
    state: 'opaque',
    ...query,
  })
  return at('www.dropbox.com', `/oauth2/authorize?${all}`)
}

/** Says on the consent page what the user says; the answer is where the browser is sent. */
export async function decide(url: string, decision: 'allow' | 'deny', account = EMAIL): Promise<URL> {
  const body = new URLSearchParams({ account, decision })
  const response = await fetch(url, { method: 'POST', body, redirect: 'manual' })
  return new URL(response.headers.get('location') ?? 'about:blank')
}

export async function askToken({ at }: Pick<Harness, 'at'>, form: Readonly<Record<string, string>>): Promise<Answer> {
  const { id: client_id, secret: client_secret } = DROPBOX_CLIENT
  const body = new URLSearchParams({ client_id, client_secret, ...form })
  return answerOf(await fetch(at('api.dropboxapi.com', '/oauth2/token'), { method: 'POST', body }))
}

export type Tokens = { readonly access_token: string; readonly refresh_token: string; readonly account_id: string }

/** The whole way from the consent page to tokens. */
export async function connect(harness: Harness, query: AuthorizeQuery = {}, account = EMAIL): Promise<Tokens> {
  const verifier = randomBytes(32).toString('base64url')
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const asked = authorizeUrl(harness, { code_challenge: challenge, code_challenge_method: 'S256', ...query })
  const code = (await decide(asked, 'allow', account)).searchParams.get('code') ?? ''
  const form = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, code_verifier: verifier }
  return (await askToken(harness, form)).json
}

export async function connectedApi(harness: Harness, account = EMAIL): Promise<Api> {
  return createApi(harness, (await connect(harness, {}, account)).access_token)
}
