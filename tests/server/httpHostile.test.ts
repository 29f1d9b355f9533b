import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonSchema, OpenApi, Operation } from '../../server/rest/docs/document.ts'
import { createUser } from '../factories/user.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

/** Every operation of the OpenAPI document, with every field set to what no client should send: never a 5xx, never a word too much. */
let server: TestServer
let token: string
let document: OpenApi

beforeAll(async () => {
  // nginx would answer what is malformed itself.
  server = await startTestServer({}, { single: true })
  document = (await (await fetch(`${server.url}/api/v1/openapi.json`)).json()) as OpenApi
})
afterAll(() => server?.close())

const UNKNOWN_ID = 'file_00000000000000000000000000000000'
const TEXTS = [
  '',
  '\u0000',
  '\ud800',
  'a\r\nb: c',
  '../../etc/passwd',
  "'; drop table users; --",
  '%00%2e%2e',
  'x'.repeat(70_000),
  '\u202egnp.exe',
  '<script>alert(1)</script>',
  UNKNOWN_ID,
]
const VALUES: unknown[] = [
  ...TEXTS,
  null,
  true,
  -1,
  1.5,
  2 ** 63,
  [],
  [[[]]],
  {},
  { $ne: null },
  { constructor: { prototype: {} } },
  Array(10_000).fill('x'),
]
const BODIES = [
  '',
  '{',
  '[]',
  'null',
  '"text"',
  '{"__proto__":{"admin":true}}',
  `${'['.repeat(100_000)}`,
  '{"a":1,"a":2}',
]

async function send(method: string, path: string, init: { body?: string; headers?: Record<string, string> } = {}) {
  const response = await fetch(server.url + path, {
    method: method.toUpperCase(),
    headers: { cookie: `sid=${token}`, origin: server.url, ...init.headers },
    ...(init.body !== undefined && method !== 'get' && method !== 'head' && { body: init.body }),
  })
  const text = await response.text()
  expect(
    response.status,
    `${method} ${path.slice(0, 200)} ${init.body?.slice(0, 200)}: ${text.slice(0, 500)}`,
  ).toBeLessThan(500)
  expect(text.slice(0, 10_000)).not.toMatch(/node_modules|at \w+ \(|select .* from|\/server\//)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
}

const wellFormed = (text: string) => text.replace(/\p{Cs}/gu, '\ufffd')
const filled = (path: string, value: string) => path.replace(/\{\w+\}/g, encodeURIComponent(wellFormed(value)))

async function attack(method: string, path: string, operation: Operation): Promise<void> {
  await Promise.all(
    TEXTS.filter(({ length }) => length < 10_000).map((text) => attackAddress(method, path, operation, text)),
  )
  const schema = operation.requestBody?.content['application/json']?.schema
  if (schema) await attackBody(method, filled(path, UNKNOWN_ID), schema)
}

async function attackAddress(
  method: string,
  path: string,
  { parameters = [] }: Operation,
  text: string,
): Promise<void> {
  const good = filled(path, UNKNOWN_ID)
  if (path.includes('{')) await send(method, filled(path, text))
  for (const { name, in: place } of parameters) {
    if (place === 'query') await send(method, `${good}?${new URLSearchParams({ [name]: wellFormed(text) })}`)
    if (place === 'header') await send(method, good, { headers: { [name]: text.replace(/[^\x20-\x7e]/g, '?') } })
  }
}

async function attackBody(method: string, path: string, { properties = {} }: JsonSchema): Promise<void> {
  const type = { 'content-type': 'application/json' }
  await Promise.all(BODIES.map((body) => send(method, path, { body, headers: type })))
  for (const name of Object.keys(properties)) {
    const bodies = VALUES.map((value) => JSON.stringify({ ...plain(properties), [name]: value }))
    await Promise.all(bodies.map((body) => send(method, path, { body, headers: type })))
  }
}

/** Something acceptable in every text field, so that the one under attack is what is judged. */
function plain(properties: Record<string, JsonSchema>): Record<string, unknown> {
  const texts = Object.entries(properties).filter(([, property]) => property.type === 'string' && !property.enum)
  return Object.fromEntries(texts.map(([name]) => [name, 'plain']))
}

describe('hostile input', () => {
  it('is refused by every operation', async () => {
    let count = 0
    for (const [path, operations] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(operations)) {
        token = (await createUser(server.services.users)).token
        await attack(method, path, operation)
        count += 1
      }
    }
    expect(count).toBeGreaterThan(15)
    expect(server.logs.filter((line) => line.includes('request failed'))).toEqual([])
    expect((await fetch(`${server.url}/ready`)).status).toBe(200)
  })

  it.each([
    '/api/v1/%zz',
    '/%E0%A4%A',
    '/api/v1/files/%00',
    `/api/v1/files/${'a'.repeat(300)}`,
    `/${'a/'.repeat(500)}`,
    '/api//v1',
    '/api/v1/files/..%2f..%2fx',
  ])('in the address is answered as a problem (%#)', async (path) => {
    const response = await fetch(server.url + path, { headers: { accept: 'application/json', cookie: `sid=${token}` } })
    expect([400, 404]).toContain(response.status)
    expect(response.headers.get('content-type')).toMatch(/^application\/problem\+json/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })
})
