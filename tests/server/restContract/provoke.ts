import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createObjectStore } from '../../../server/storage/objectStore.ts'
import { type Answer, createBrowser, readAnswer } from '../../setup/browser.ts'
import { startHttp } from '../../setup/httpApp.ts'
import { openRaw } from '../../setup/rawHttp.ts'
import type { World } from './world.ts'
import * as given from './world.ts'

/** What an attempt brought: the operation it called (null: none of the document's) and the answer. */
type Provoked = {
  readonly operation: string | null
  readonly answer: Answer
  /** What the answer must carry beside the problem. */
  readonly headers?: Readonly<Record<string, RegExp>>
  /** Paths of the fields that are not right. */
  readonly paths?: readonly string[]
}

export type Provoke = (world: World) => Promise<Provoked>

export const FILES = '/api/v1/files'
export const CLOUDS = '/api/v1/group-clouds'
export const LOGIN = '/api/v1/auth/login'

/** Calls an operation of the document; `at` is where, when the path has an id in it. */
export async function call(
  { browser }: World,
  operation: string,
  { at, body, headers = {} }: { at?: string; body?: unknown; headers?: Record<string, string> } = {},
): Promise<Provoked> {
  const [method = '', path = ''] = operation.split(' ')
  return { operation, answer: await browser.request(method, at ?? path, body, headers) }
}

/** A field of a JSON body, query or header that must be named as wrong. */
export const wrong =
  (operation: string, paths: readonly string[], options: Parameters<typeof call>[2]): Provoke =>
  async (world) => ({ ...(await call(world, operation, options)), paths })

export async function stranger(world: World, operation: string, options: Parameters<typeof call>[2] = {}) {
  return call({ ...world, browser: createBrowser(world.server.url) }, operation, options)
}

/** The answer to what no HTTP client would send. */
export function raw({ server }: World, head: readonly string[], end?: string): Promise<Answer> {
  return rawAt(Number(new URL(server.ownUrl).port), head, end)
}

async function rawAt(port: number, head: readonly string[], end?: string): Promise<Answer> {
  const received = await text(openRaw(port, head, end))
  const [top = '', body = ''] = received.split('\r\n\r\n')
  const [status = '', ...lines] = top.split('\r\n')
  const headers = new Headers(lines.map((line) => line.split(': ', 2) as [string, string]))
  return { status: Number(status.split(' ')[1]), headers, body: JSON.parse(body) }
}

/** Of a server on loopback without a proxy, asked by the name of another site. */
export async function unknownHost(): Promise<Answer> {
  const http = await startHttp()
  try {
    const url = new URL(http.url)
    return await rawAt(Number(url.port), ['GET /api/v1/docs HTTP/1.1', 'host: evil.example', 'connection: close'])
  } finally {
    await http.close()
  }
}

/** As a program would with a stolen cookie, or a form on an old browser: without an Origin. */
export async function withoutOrigin({ server, browser }: World): Promise<Answer> {
  const headers = { cookie: `sid=${browser.token}`, 'content-type': 'application/json' }
  return readAnswer(await fetch(server.url + CLOUDS, { method: 'POST', headers, body: '{"name":"Planted"}' }))
}

/** Multipart that promises more parts and ends. */
export function brokenOff(world: World): Promise<Provoked> {
  const body = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhalf of i'
  return call(world, `POST ${FILES}`, {
    body: Buffer.from(body),
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
  })
}

/** The same request twice under one key, but for a difference. */
export async function reusedKey(operation: string, send: (headers: Record<string, string>) => Promise<Answer>) {
  const headers = { 'idempotency-key': given.unique('key') }
  await send(headers)
  return { operation, answer: await send(headers) }
}

export async function tooManyGuesses(world: World): Promise<Provoked> {
  const { email } = await given.register(world)
  const guess = () => call(world, `POST ${LOGIN}`, { body: { email, password: 'a wrong guess' } })
  await Promise.all(Array.from({ length: 10 }, guess))
  return { ...(await guess()), headers: { 'retry-after': /^[1-9]\d*$/ } }
}

export async function tooManySignUps(world: World): Promise<Provoked> {
  const { email } = await given.register(world)
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  const body = { fullName: 'Ada', email, password: given.PASSWORD }
  const signUp = () => stranger(world, 'POST /api/v1/auth/register', { body, headers })
  await Promise.all(Array.from({ length: 60 }, signUp))
  return { ...(await signUp()), headers: { 'retry-after': /^[1-9]\d*$/ } }
}

/** The bytes of a file go behind the server's back. */
export async function lostBytes(world: World): Promise<Provoked> {
  const id = await given.uploaded(world)
  const { rows } = await world.server.pool.query(
    `select p.object_ref from pieces p join copies c on c.id = p.copy_id where 'file_' || replace(c.file_id::text, '-', '') = $1`,
    [id],
  )
  await (await createObjectStore(world.server.dataDir)).delete(rows[0].object_ref)
  return call(world, `GET ${FILES}/{id}/download`, { at: `${FILES}/${id}/download` })
}

export async function withoutStaging({ server, browser }: World): Promise<Provoked> {
  const staging = join(server.dataDir, 'staging')
  await rename(staging, `${staging}-away`)
  try {
    return { operation: null, answer: await browser.request('GET', '/ready') }
  } finally {
    await rename(`${staging}-away`, staging)
  }
}

export const download =
  (headers: Record<string, string>): Provoke =>
  async (world) =>
    call(world, `GET ${FILES}/{id}/download`, { at: `${FILES}/${await given.uploaded(world)}/download`, headers })

export const append =
  (text: string, headers: Record<string, string> = {}): Provoke =>
  async (world) => ({
    operation: 'PATCH /api/v1/uploads/{id}',
    answer: await given.append(world, await given.begun(world, 4), text, headers),
  })
