import { randomUUID } from 'node:crypto'
import type { Random } from '../crashTest/random.ts'
import type { World } from './request.ts'

const ID = /"((?:user|acct|pool|file|copy|upl|xfer|share|key|sess|act|tg)_[0-9a-f]{32})"/g

export type Asker = {
  readonly cookie: string
  ask(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string; headers: Headers }>
}

/** Registers a new user, from a separate network (the server trusts X-Forwarded-For). */
export async function signUp(url: string, random: Random): Promise<Asker> {
  const address = addressOf(random)
  let cookie = ''
  const ask: Asker['ask'] = async (method, path, body, headers = {}) => {
    const isRaw = body instanceof FormData || body === undefined
    const response = await fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        origin: url,
        cookie,
        'x-forwarded-for': address,
        ...(!isRaw && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: isRaw ? (body as FormData) : JSON.stringify(body) }),
    })
    return { status: response.status, text: await response.text(), headers: response.headers }
  }
  const email = `${randomUUID()}@example.org`
  const person = { fullName: 'Odd Person', email, password: `harbour ${randomUUID()}` }
  const { status, text, headers } = await ask('POST', '/api/v1/auth/register', person)
  if (status !== 201) throw new Error(`Registration failed: ${status} ${text}`)
  cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  return { ask, cookie }
}

/** A user with one thing of each kind. */
export async function createWorld(url: string, random: Random): Promise<World> {
  const { ask, cookie } = await signUp(url, random)
  const form = new FormData()
  form.set('file', new File(['some words'], 'plain.txt'))
  const file = idIn((await ask('POST', '/api/v1/files', form)).text)
  const answers = [
    await ask('POST', '/api/v1/files/folders', { name: 'Folder' }),
    await ask('POST', '/api/v1/group-clouds', { name: 'Cloud' }),
    await ask('POST', '/api/v1/uploads', undefined, { 'tus-resumable': '1.0.0', 'upload-length': '10' }),
    await ask('POST', '/api/v1/shares', { fileId: file }),
    await ask('GET', '/api/v1/accounts'),
    await ask('GET', '/api/v1/sessions'),
    await ask('GET', `/api/v1/files/${file}`),
  ]
  const made = await ask('POST', '/api/v1/keys', { name: 'Key' })
  const found = [...answers, made].flatMap(({ text, headers }) => idsIn(text + (quoted(headers.get('location')) ?? '')))
  return { cookie, key: keyIn(made.text), ids: [file, ...found, ...UNKNOWN] }
}

const UNKNOWN = ['file', 'share', 'key', 'pool', 'xfer'].map((kind) => `${kind}_${'0'.repeat(32)}`)

/** An IPv6 address in a network that no other user has. */
export function addressOf(random: Random): string {
  const group = () => random.between(1, 0xffff).toString(16)
  return `2001:db8:${group()}:${group()}::1`
}

function quoted(location: string | null): string | null {
  return location && `"${location.split('/').at(-1)}"`
}

function idsIn(text: string): string[] {
  return [...text.matchAll(ID)].map(([, id = '']) => id)
}

function idIn(text: string): string {
  const [id] = idsIn(text)
  if (!id) throw new Error(`There is no id in ${text.slice(0, 300)}`)
  return id
}

function keyIn(text: string): string | null {
  return /"key":"(sky_live_\w+)"/.exec(text)?.[1] ?? null
}
