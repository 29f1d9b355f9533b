import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, createBrowser } from '../../setup/browser.ts'
import type { Kind } from './emulators.ts'

const ACCOUNTS: Readonly<Record<Kind, string>> = {
  google: '/api/v1/google-accounts',
  dropbox: '/api/v1/dropbox-accounts',
}
const POLL_MS = 40

export type Downloaded = { readonly status: number; readonly size: number; readonly sha256: string }
export type PoolRules = { readonly copies?: number; readonly placement?: string; readonly spanning?: boolean }

export type Person = Awaited<ReturnType<typeof register>>

/** Somebody who has just registered, and does all by HTTP. */
export async function register(url: string, credentials = newCredentials()) {
  const browser = createBrowser(url)
  const { request } = browser
  await expectStatus(201, request('POST', '/api/v1/auth/register', { fullName: 'Ada Lovelace', ...credentials }))
  const headers = () => ({ origin: url, cookie: `sid=${browser.token}` })
  const download = (id: string, range?: string, from = url) =>
    fetch(`${from}/api/v1/files/${id}/download`, { headers: { ...headers(), origin: from, ...(range && { range }) } })

  return {
    url,
    request,
    headers,
    download,
    get token() {
      return browser.token
    },
    /** Goes through the provider's consent page. @returns what comes back in the address */
    consent,
    async connect(kind: Kind, email: string, name = email): Promise<string> {
      const { code, state } = await consent(kind, email)
      return (await expectStatus(201, request('POST', `${ACCOUNTS[kind]}/auth`, { code, state, name }))).body.id
    },
    async reconnect(kind: Kind, email: string, id: string): Promise<void> {
      await expectStatus(200, request('PUT', `${ACCOUNTS[kind]}/${id}`, await consent(kind, email, id)))
    },
    async account(id: string) {
      const { items } = (await expectStatus(200, request('GET', '/api/v1/accounts'))).body
      return items.find((account: { id: string }) => account.id === id)
    },
    async pool(accountIds: readonly string[], rules: PoolRules = {}): Promise<string> {
      const body = { name: `Pool ${crypto.randomUUID()}`, accountIds, ...rules }
      return (await expectStatus(201, request('POST', '/api/v1/group-clouds', body))).body.id
    },
    upload(name: string, bytes: Buffer, groupCloudId: string): Promise<Answer> {
      const form = new FormData()
      form.set('groupCloudId', groupCloudId)
      form.set('file', new Blob([new Uint8Array(bytes)]), name)
      return request('POST', '/api/v1/files', form)
    },
    /** By tus, created and sent. @returns the answer that refused it, or the one of the last byte */
    async uploadByTus(name: string, bytes: Buffer, groupCloudId: string): Promise<Answer> {
      const base64 = (text: string) => Buffer.from(text).toString('base64')
      const created = await request('POST', '/api/v1/uploads', undefined, {
        'tus-resumable': '1.0.0',
        'upload-length': String(bytes.length),
        'upload-metadata': `filename ${base64(name)},groupCloudId ${base64(groupCloudId)}`,
      })
      if (created.status !== 201) return created
      return request('PATCH', created.headers.get('location') ?? '', new Uint8Array(bytes), {
        'tus-resumable': '1.0.0',
        'upload-offset': '0',
        'content-type': 'application/offset+octet-stream',
      })
    },
    async file(id: string) {
      return (await expectStatus(200, request('GET', `/api/v1/files/${id}`))).body
    },
    /** The newest transfer of a file. */
    async transfer(fileId: string) {
      const { items } = (await expectStatus(200, request('GET', '/api/v1/transfers?limit=200'))).body
      return items.find((transfer: { fileId: string }) => transfer.fileId === fileId)
    },
    async read(id: string): Promise<Downloaded> {
      return hashOf(await download(id))
    },
    /** Of the server that the person registered at, or of another one on the same database. */
    async readRange(id: string, from: number, to: number, server = url): Promise<Buffer> {
      const response = await download(id, `bytes=${from}-${to}`, server)
      if (response.status !== 206) throw new Error(`Answered ${response.status}: ${await response.text()}`)
      return Buffer.from(await response.arrayBuffer())
    },
  }

  async function consent(kind: Kind, email: string, accountId?: string) {
    const query = accountId ? `?accountId=${accountId}` : ''
    const { authorizationUrl } = (await expectStatus(200, request('GET', `${ACCOUNTS[kind]}/init${query}`))).body
    const page = await (await fetch(authorizationUrl)).text()
    const form = new URLSearchParams({ account: email, decision: 'allow' })
    for (const [, scope = ''] of page.matchAll(/name="scope" value="([^"]+)"/g)) form.append('scope', scope)
    const answer = await fetch(authorizationUrl, { method: 'POST', body: form, redirect: 'manual' })
    const back = new URL(answer.headers.get('location') ?? '')
    return { code: back.searchParams.get('code') ?? '', state: back.searchParams.get('state') ?? '' }
  }
}

export function newCredentials() {
  return { email: `${crypto.randomUUID()}@example.org`, password: `correct horse ${crypto.randomUUID()}` }
}

export async function expectStatus(status: number, asked: Promise<Answer>): Promise<Answer> {
  const answer = await asked
  if (answer.status === status) return answer
  throw new Error(`Answered ${answer.status} instead of ${status}: ${JSON.stringify(answer.body)}`)
}

async function hashOf(response: Response): Promise<Downloaded> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of response.body ?? []) {
    hash.update(chunk)
    size += chunk.length
  }
  return { status: response.status, size, sha256: hash.digest('hex') }
}

export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Asks until the answer is right. @returns it @throws Error with the last answer when that takes too long */
export async function until<Value>(
  ask: () => Promise<Value>,
  isRight: (value: Value) => boolean,
  seconds = 60,
): Promise<Value> {
  for (const end = Date.now() + seconds * 1000; ; await sleep(POLL_MS)) {
    const value = await ask()
    if (isRight(value)) return value
    if (Date.now() > end) throw new Error(`Not within ${seconds} s; last: ${JSON.stringify(value)}`)
  }
}
