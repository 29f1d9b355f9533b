import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROBLEMS, type ProblemCode } from '../../server/rest/errors.ts'
import { createUser } from '../factories/user.ts'
import { createBrowser, readAnswer } from '../setup/browser.ts'
import { type Contract, readContract } from '../setup/openapiContract.ts'
import { startTestServer } from '../setup/server.ts'
import { PROVOKED, QUOTA_BYTES } from './restContract/provoked.ts'
import { TUS, UNKNOWN, type World } from './restContract/world.ts'

/** Every error of the catalogue, provoked over HTTP and held to the OpenAPI document. */
let world: World
let contract: Contract

beforeAll(async () => {
  const server = await startTestServer({ localQuotaBytes: QUOTA_BYTES, trustProxy: true, acceptAnyType: false })
  world = { server, browser: createBrowser(server.url, (await createUser(server.services.users)).token) }
  contract = await readContract(server.url)
})
afterAll(() => world?.server.close())

it('the table knows every code of the catalogue, and the documentation lists the same', () => {
  const codes = Object.keys(PROBLEMS).sort()
  expect(Object.keys(PROVOKED).sort()).toEqual(codes)
  const listed = [...readFileSync('docs/api.md', 'utf8').matchAll(/^\| \d{3} \| `([A-Z_]+)` \|/gm)].map(
    ([, code]) => code,
  )
  expect(listed.sort()).toEqual(codes)
})

const rows = Object.entries(PROVOKED).flatMap(([code, attempts]) =>
  attempts.map((provoke, index) => ({ code: code as ProblemCode, provoke, index })),
)
// The server waits ten seconds for headers before it says that they took too long.
it.each(rows)('$code ($index)', async ({ code, provoke }) => {
  const { operation, answer, headers = {}, paths } = await provoke(world)
  contract.expectProblem(operation, code, answer)
  for (const [name, value] of Object.entries(headers)) expect(answer.headers.get(name), name).toMatch(value)
  const named: { path: string }[] | undefined = answer.body.errors
  if (paths) expect(named?.map(({ path }) => path).sort()).toEqual([...paths].sort())
  expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\/server\/|select |objects\/|staging\//)
})

/** What an operation must be sent beside the id before it looks for it; `{}` or nothing by default. */
const NEEDED: Readonly<Record<string, { readonly query?: string; readonly body?: object; readonly headers?: object }>> =
  {
    'GET /api/v1/group-clouds/{id}/placement': { query: '?size=1' },
    'PUT /api/v1/files/{id}/thumbnail': { query: '?size=1' },
    'PATCH /api/v1/group-clouds/{id}/members/{accountId}': { body: { draining: true } },
    'POST /api/v1/shares/{id}/unlock': { body: { password: 'x' } },
    'POST /api/v1/upload-links/{id}/unlock': { body: { password: 'x' } },
    'POST /api/v1/upload-links/{id}/uploads': {
      headers: { 'upload-length': '1', 'upload-metadata': 'filename YS50eHQ=' },
    },
    'POST /api/v1/accounts/{id}/index/deletions': { body: { accept: true } },
    'PUT /api/v1/files/{id}/protection': { body: { groupCloudId: `pool_${UNKNOWN}`, copies: 1 } },
    'PUT /api/v1/telegram-accounts/{id}': { body: { code: 'x' } },
    'PUT /api/v1/accounts/{id}': { body: { fields: {} } },
    'PUT /api/v1/google-accounts/{id}': { body: { code: 'x' } },
    'PUT /api/v1/dropbox-accounts/{id}': { body: { code: 'x' } },
  }

describe('every operation', () => {
  const calls = () => [...contract.operations].map(([name, operation]) => ({ name, operation, ...callOf(name) }))
  const callOf = (name: string) => {
    const [method = '', path = ''] = name.split(' ')
    return { method, path: path.replace('{id}', `file_${UNKNOWN}`) }
  }

  /** As written to what is not there; HEAD has no body to judge. */
  const send = async (method: string, path: string, headers: Record<string, string>) =>
    readAnswer(await fetch(world.server.url + path, { method, headers: { ...TUS, ...headers } }))

  it('that needs a session says so to a stranger', async () => {
    for (const { name, operation, method, path } of calls()) {
      if (operation.security?.length === 0) continue
      const answer = await send(method, path, {})
      if (method === 'HEAD') expect(answer.status).toBe(401)
      else contract.expectProblem(name, 'UNAUTHENTICATED', answer)
    }
  })

  it('that changes something refuses another site, and a cookie without an Origin', async () => {
    const cookie = `sid=${world.browser.token}`
    for (const { name, method, path } of calls()) {
      if (['GET', 'HEAD', 'OPTIONS'].includes(method)) continue
      contract.expectProblem(
        name,
        'FOREIGN_ORIGIN',
        await send(method, path, { cookie, origin: 'https://evil.example' }),
      )
      contract.expectProblem(name, 'ORIGIN_REQUIRED', await send(method, path, { cookie }))
    }
  })

  it('with an id knows nothing of what is not there', async () => {
    const session = { cookie: `sid=${world.browser.token}`, origin: world.server.url }
    for (const { name, operation, method, path } of calls()) {
      if (!name.includes('{id}')) continue
      const type = Object.keys(operation.requestBody?.content ?? {})[0]
      const needed = NEEDED[name]
      const headers = {
        ...session,
        ...TUS,
        'upload-offset': '0',
        ...(type && { 'content-type': type }),
        ...needed?.headers,
      }
      const body = type === 'application/json' ? JSON.stringify(needed?.body ?? {}) : 'x'
      const init = { method, headers, ...(type && { body }) }
      const answer = await readAnswer(await fetch(world.server.url + path + (needed?.query ?? ''), init))
      if (method === 'HEAD') expect(answer.status).toBe(404)
      else contract.expectProblem(name, 'NOT_FOUND', answer)
    }
  })
})
