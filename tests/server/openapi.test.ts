import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { JsonSchema, OpenApi } from '../../server/rest/docs/document.ts'
import { PROBLEMS } from '../../server/rest/errors.ts'
import { createUser } from '../factories/user.ts'
import { type Answer, type Browser, createBrowser } from '../setup/browser.ts'
import { startHttp, type TestHttp } from '../setup/httpApp.ts'

let http: TestHttp
let browser: Browser
let document: OpenApi
const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }))

beforeAll(async () => {
  http = await startHttp()
  browser = createBrowser(http.url, (await createUser(http.services.users)).token)
  document = (await createBrowser(http.url).request('GET', '/api/v1/openapi.json')).body
  ajv.addSchema({ $id: 'openapi', components: document.components })
})
afterAll(() => http.close())

const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

/** Fails unless the answer is one of the documented ones, with a body of the documented shape. */
function expectDocumented(method: string, path: string, answer: Answer): void {
  const response = document.paths[path]?.[method.toLowerCase()]?.responses[answer.status]
  expect(response, `${method} ${path} ${answer.status}`).toBeDefined()
  const type = answer.headers.get('content-type')?.split(';', 1)[0]
  if (!type) {
    expect(response?.content).toBeUndefined()
    return
  }
  const schema = JSON.parse(
    JSON.stringify(response?.content?.[type]?.schema).replaceAll('"#/', '"openapi#/'),
  ) as JsonSchema
  const validate = ajv.compile(schema)
  expect(validate(answer.body), JSON.stringify(validate.errors)).toBe(true)
}

describe('the document', () => {
  it('is OpenAPI 3.1 and open to everybody', () => {
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Skypool' } })
  })

  it('gives every operation a name of its own, a summary, a group and answers that say something', () => {
    const names = operations().map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
    for (const { method, path, operation } of operations()) {
      expect(operation, `${method} ${path}`).toMatchObject({ summary: expect.any(String), tags: [expect.any(String)] })
      const statuses = Object.keys(operation.responses)
      expect(
        statuses.some((status) => status.startsWith('2')),
        `${method} ${path} has a good end`,
      ).toBe(true)
      for (const { description } of Object.values(operation.responses))
        expect(description).not.toMatch(/^(Default Response)?$/)
    }
  })

  it('says that everything needs a session but signing in and out', () => {
    const open = operations().filter(({ operation }) => operation.security?.length === 0)
    expect(open.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/api/v1/auth/register', '/api/v1/auth/login', '/api/v1/auth/logout']),
    )
    for (const { method, path, operation } of operations()) {
      if (operation.security?.length !== 0) expect(operation.responses, `${method} ${path}`).toHaveProperty('401')
    }
  })

  it('has no dangling reference', () => {
    const names = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(10)
    for (const name of names) expect(document.components.schemas).toHaveProperty(String(name))
  })
})

/** What Spectral (spectral:oas) and Redocly (recommended) warn of, and what generators of clients need. */
describe('the document says everything', () => {
  const missing: string[] = []
  beforeAll(() => {
    const look = (schema: JsonSchema | undefined, where: string, isAnswer: boolean) => {
      if (!schema) return
      if (isAnswer && schema.additionalProperties === false) missing.push(`${where} forbids new fields`)
      for (const [name, field] of Object.entries(schema.properties ?? {})) {
        const at = `${where}.${name}`
        if (!field.description && !field.$ref) missing.push(`${at} has no description`)
        if (!field.examples && !field.$ref && !field.properties && !field.items?.properties && !field.items?.$ref) {
          const isNested = [...(field.anyOf ?? []), ...(field.oneOf ?? [])].some(
            ({ $ref, properties }) => $ref || properties,
          )
          if (!isNested && !hasValues(field)) missing.push(`${at} has no example`)
        }
        if (
          /(^size|^offset|Bytes)$/.test(name) &&
          !JSON.stringify(field).includes('int64') &&
          !field.additionalProperties
        ) {
          missing.push(`${at} is no int64`)
        }
        for (const example of field.examples ?? []) {
          const validate = ajv.compile(JSON.parse(JSON.stringify(field).replaceAll('"#/', '"openapi#/')))
          if (!validate(example)) missing.push(`${at}: its example is wrong: ${ajv.errorsText(validate.errors)}`)
        }
        look(field, at, isAnswer)
      }
      for (const part of [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) look(part, where, isAnswer)
    }
    for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name, true)
    for (const { method, path, operation } of operations()) {
      const at = `${method} ${path}`
      if (!operation.description) missing.push(`${at} has no description`)
      if (!Object.keys(operation.responses).some((status) => status.startsWith('4'))) missing.push(`${at} has no 4xx`)
      for (const tag of operation.tags ?? []) {
        if (!document.tags?.some(({ name, description }) => name === tag && description))
          missing.push(`${at}: the tag ${tag}`)
      }
      for (const { name, description, example } of operation.parameters ?? []) {
        if (!description) missing.push(`${at}: the parameter ${name} has no description`)
        if (example === undefined) missing.push(`${at}: the parameter ${name} has no example`)
      }
      for (const requirement of operation.security ?? []) {
        if (Object.values(requirement).flat().length > 0) missing.push(`${at}: scopes are for OAuth alone`)
      }
      for (const { schema } of Object.values(operation.requestBody?.content ?? {})) look(schema, `${at} body`, false)
      for (const [status, { content = {} }] of Object.entries(operation.responses)) {
        for (const { schema } of Object.values(content)) look(schema, `${at} ${status}`, true)
      }
    }
  })

  const hasValues = (field: JsonSchema) => field.enum !== undefined || field.const !== undefined

  it('of every operation, parameter and field, with a good example, and leaves answers open', () => {
    expect(missing).toEqual([])
    expect(document.info).toMatchObject({ contact: { name: expect.any(String) }, license: { name: 'MIT' } })
  })
})

describe('answers are as documented', () => {
  it('of signing up, in and out', async () => {
    const visitor = createBrowser(http.url)
    const call = async (method: string, path: string, body?: unknown) => {
      const answer = await visitor.request(method, path, body)
      expectDocumented(method, path, answer)
      return answer.status
    }
    const ada = { fullName: 'Ada', email: 'ada@example.org', password: 'correct horse battery' }
    const login = { email: ada.email, password: ada.password }
    expect(await call('POST', '/api/v1/auth/register', { ...ada, email: '' })).toBe(400)
    expect(await call('POST', '/api/v1/auth/register', ada)).toBe(201)
    expect(await call('POST', '/api/v1/auth/register', ada)).toBe(409)
    expect(await call('GET', '/api/v1/auth/validate')).toBe(200)
    expect(await call('GET', '/api/v1/auth/me')).toBe(200)
    expect(await call('POST', '/api/v1/auth/logout')).toBe(204)
    expect(await call('GET', '/api/v1/auth/me')).toBe(401)
    expect(await call('POST', '/api/v1/auth/login', { ...login, password: 'another one' })).toBe(401)
    expect(await call('POST', '/api/v1/auth/login', login)).toBe(200)
  })

  it('of group clouds', async () => {
    const call = async (method: string, path: string, id: string, body?: unknown) => {
      const answer = await browser.request(method, path.replace('{id}', id), body)
      expectDocumented(method, path, answer)
      return answer
    }
    const [all, one] = ['/api/v1/group-clouds', '/api/v1/group-clouds/{id}']
    const { body } = await call('POST', all, '', { name: 'Photos' })
    expect((await call('POST', all, '', { name: 'photos' })).status).toBe(409)
    expect((await call('POST', all, '', { name: '' })).status).toBe(400)
    expect((await call('GET', all, '')).status).toBe(200)
    expect((await call('PATCH', one, body.id, { placement: 'IN_ORDER' })).status).toBe(200)
    expect((await call('PATCH', one, 'nothing', {})).status).toBe(404)
    expect((await call('DELETE', one, body.id)).status).toBe(204)
    expect((await call('DELETE', one, body.id)).status).toBe(404)
  })
})

describe('the page', () => {
  it('shows every operation and explains every code, without a byte from elsewhere', async () => {
    const { status, body, headers } = await createBrowser(http.url).request('GET', '/api/v1/docs')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    for (const { operation } of operations()) expect(body).toContain(`id="${operation.operationId}"`)
    for (const code of Object.keys(PROBLEMS)) expect(body).toContain(`<tr id="${code}">`)
    expect(body).toContain(`export SKYPOOL=${http.url}`)
    expect(body).toContain('-d &#39;{&#34;email&#34;:&#34;ada@example.org&#34;,')
    expect(body).toMatch(
      /-X POST &#34;\$SKYPOOL\/api\/v1\/auth\/logout&#34; \\\n {2}-b cookies \\\n {2}-H &#34;Origin: /,
    )
    expect(body).not.toContain('&#34;fields&#34;:&#34;string&#34;')
    expect(body).toMatch(/href="\/docs\/graphql"[\s\S]*href="\/key-management"/)
    expect(body).not.toMatch(/<script|style="|(src|href)="(https?:)?\/\//)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'self'")
    const style = await createBrowser(http.url).request('GET', '/api/v1/docs.css')
    expect([style.status, style.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
  })

  it.each(['evil"><script>', 'a:1$&', '$(id)'])('says no address that is more than an address: %s', async (host) => {
    const asked = get(`${http.url}/api/v1/docs`, { headers: { host } })
    const [answer] = (await once(asked, 'response')) as [IncomingMessage]
    expect(await text(answer)).not.toMatch(/SKYPOOL=http:\/\/(?!skypool\.invalid)|<script|\$\(id\)/)
  })
})

describe('bodies that are no JSON', () => {
  const contentOf = (method: string, path: string) => document.paths[path]?.[method]?.requestBody?.content ?? {}

  it('are documented with their parts and headers', () => {
    const parts = contentOf('post', '/api/v1/files')['multipart/form-data']?.schema?.properties ?? {}
    expect(Object.keys(parts)).toEqual(['groupCloudId', 'parentId', 'onConflict', 'path', 'file'])
    expect(parts.file).toMatchObject({ type: 'string', format: 'binary' })
    expect(contentOf('patch', '/api/v1/uploads/{id}')).toHaveProperty(['application/offset+octet-stream'])
    const headers = document.paths['/api/v1/uploads']?.post?.parameters?.map(({ name }) => name)
    expect(headers).toEqual(
      expect.arrayContaining(['upload-length', 'upload-metadata', 'tus-resumable', 'idempotency-key']),
    )
    const download = document.paths['/api/v1/files/{id}/download']?.get?.responses
    expect(download?.['206']?.content).toHaveProperty(['*/*'])
  })

  it('of downloads are documented with what chooses among them', () => {
    const downloads = Object.entries(document.paths).filter(([path]) => /\{(id|fileId)\}\/download$/.test(path))
    expect(downloads).toHaveLength(4)
    for (const [path, { get: operation }] of downloads) {
      const headers = operation?.parameters?.filter((parameter) => parameter.in === 'header').map(({ name }) => name)
      expect(headers, path).toEqual([
        'range',
        'if-range',
        'if-match',
        'if-none-match',
        'if-modified-since',
        'if-unmodified-since',
      ])
    }
  })

  it('are documented with the headers of their answers', () => {
    const headersOf = (method: string, path: string, status: string) =>
      Object.keys(document.paths[path]?.[method]?.responses[status]?.headers ?? {})
    expect(headersOf('post', '/api/v1/uploads', '201')).toEqual(expect.arrayContaining(['Location', 'Upload-Offset']))
    expect(headersOf('patch', '/api/v1/uploads/{id}', '409')).toEqual(['Upload-Offset'])
    expect(headersOf('post', '/api/v1/files', '507')).toEqual(['X-Free-Bytes'])
    expect(headersOf('get', '/api/v1/files/{id}/download', '206')).toEqual(['Content-Range'])
    expect(headersOf('post', '/api/v1/auth/login', '200')).toEqual(['Set-Cookie'])
    expect(headersOf('post', '/api/v1/auth/login', '429')).toEqual(['Retry-After'])
  })
})
