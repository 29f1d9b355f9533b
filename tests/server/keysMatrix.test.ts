import { isObjectType } from 'graphql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { accessOfField } from '../../server/graphql/context.ts'
import { schema } from '../../server/graphql/schema.ts'
import type { Operation as RestOperation } from '../../server/rest/docs/document.ts'
import { readContract } from '../setup/openapiContract.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'
import { CALLER_NAMES, type CallerName, type Callers, createCallers, expectedOutcome } from './keysMatrix/callers.ts'
import { operationOn } from './keysMatrix/operations.ts'
import { GRAPHQL_SCOPES, REST_SCOPES } from './keysMatrix/scopes.ts'

/** Every operation of both doors by everybody who may come with a key: exactly what the table of scopes says. */
let server: TestServer
let callers: Callers
let documented: ReadonlyMap<string, RestOperation>

beforeAll(async () => {
  server = await startTestServer({ rateLimit: null })
  callers = await createCallers(server)
  documented = (await readContract(server.url)).operations
})
afterAll(() => server?.close())

const TABLES = [
  'accounts',
  'api_keys',
  'files',
  'group_clouds',
  'sessions',
  'shares',
  'upload_links',
  'uploads',
  'users',
]

/** What a refused call must not have changed. When a caller was last seen does not count. */
async function everything(): Promise<string> {
  // What a call that was allowed has set off is over.
  const due = 'select 1 from graphile_worker.jobs where run_at <= now()'
  await expect.poll(async () => (await server.pool.query(due)).rowCount).toBe(0)
  const rows = TABLES.map((table) =>
    server.pool.query(`select (to_jsonb(t) - 'last_used_at' - 'last_seen_at')::text as row from ${table} t order by 1`),
  )
  return JSON.stringify((await Promise.all(rows)).map((result) => result.rows))
}

const credentialsOf = (name: CallerName | 'a session'): Record<string, string> => {
  if (name === 'a session') return { cookie: `sid=${callers.owner.token}`, origin: server.url }
  const authorization = callers.authorization[name]
  // The cookie of a session comes along with every key, as from a browser: it must count for nothing.
  return authorization ? { authorization, cookie: `sid=${callers.owner.token}` } : {}
}

describe('REST', () => {
  async function ask(operation: string, name: CallerName | 'a session') {
    const [method = '', template = ''] = operation.split(' ')
    const { requestBody } = documented.get(operation) ?? {}
    const type = Object.keys(requestBody?.content ?? {})[0]
    const path = template.replaceAll(/\{\w+\}/g, `file_${'0'.repeat(32)}`)
    const response = await fetch(server.url + path, {
      method,
      headers: { 'tus-resumable': '1.0.0', ...credentialsOf(name), ...(type && { 'content-type': type }) },
      ...(type && { body: type === 'application/json' ? '{}' : 'x' }),
    })
    const text = await response.text()
    const isProblem = response.headers.get('content-type')?.includes('problem+json') && text !== ''
    const code = isProblem ? (JSON.parse(text).code as string) : null
    return { status: response.status, code, challenge: response.headers.get('www-authenticate') }
  }

  it('has a scope for every operation of the document, which says the same', () => {
    expect(Object.keys(REST_SCOPES).sort()).toEqual([...documented.keys()].sort())
    for (const [operation, { security, 'x-required-scope': scope, description }] of documented) {
      const declared = REST_SCOPES[operation]
      const isOpen = declared === 'PUBLIC' || declared === 'VISITORS' || declared?.endsWith('*')
      const takesKeys = declared !== 'SESSION' && !isOpen
      const key = takesKeys ? [{ key: [] }] : []
      expect(scope, operation).toBe(takesKeys ? declared : undefined)
      if (takesKeys) expect(description, operation).toContain(`need the scope \`${declared}\``)
      expect(security, operation).toEqual(isOpen ? [] : [{ session: [] }, ...key])
    }
  })

  describe.each(Object.entries(REST_SCOPES))('%s (%s)', (operation, declared) => {
    it.each(CALLER_NAMES)('by %s', async (name) => {
      const expected = expectedOutcome(declared, name)
      const answer = await ask(operation, name)
      if (expected === 'ALLOWED') {
        const isAnswered = !['UNAUTHENTICATED', 'KEY_REFUSED'].includes(answer.code ?? '') && answer.status < 500
        // Signing in by nothing at all is answered, too.
        expect(isAnswered || operation.endsWith('/login'), JSON.stringify(answer)).toBe(true)
        const isRead = declared === 'READ' && name !== 'no key'
        if (isRead) expect(answer).toEqual(await ask(operation, 'a session'))
        return
      }
      const status = expected === 'UNAUTHENTICATED' ? 401 : 403
      const code = operation.startsWith('HEAD') ? null : expected
      expect(answer).toEqual({ status, code, challenge: status === 401 ? 'Bearer' : null })
    })
  })

  it('answers HEAD as it answers GET', async () => {
    for (const [operation, declared] of Object.entries(REST_SCOPES).filter(
      ([name, scope]) => name.startsWith('GET ') && scope !== 'VISITORS',
    )) {
      for (const name of CALLER_NAMES) {
        const { status } = await ask(operation, name)
        const [, path] = operation.split(' ')
        const head = await ask(`HEAD ${path}`, name)
        // Of an upload it is a call of tus, for those who write.
        if (!operation.includes('/uploads/')) expect(head.status, `${operation} (${declared}) by ${name}`).toBe(status)
      }
    }
  })
})

describe('GraphQL', () => {
  async function ask(field: string, name: CallerName): Promise<Response> {
    const { query, variables, withFile } = operationOn(schema, field)
    const isStream = field.startsWith('Subscription.')
    const headers = { ...credentialsOf(name), ...(isStream && { accept: 'text/event-stream' }) }
    if (!withFile) {
      const body = JSON.stringify({ query, variables })
      const type = { 'content-type': 'application/json' }
      const signal = isStream ? { signal: AbortSignal.timeout(5_000) } : {}
      return fetch(`${server.url}/graphql`, { method: 'POST', headers: { ...headers, ...type }, body, ...signal })
    }
    const form = new FormData()
    form.set('operations', JSON.stringify({ query, variables }))
    form.set('map', JSON.stringify({ 0: ['variables.input.file'] }))
    form.set('0', new File(['x'], 'planted.txt'))
    const multipart = { ...headers, 'graphql-require-preflight': '1' }
    return fetch(`${server.url}/graphql`, { method: 'POST', headers: multipart, body: form })
  }

  /** The code of the one error of an answer, null for none; of a stream, of what it says at once. */
  async function codeOf(response: Response): Promise<string | null> {
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
    const text = isStream ? await firstEvent(response) : await response.text()
    const errors = text === '' ? [] : ((JSON.parse(text).errors ?? []) as { extensions?: { code?: string } }[])
    expect(errors.length, text).toBeLessThan(2)
    return errors[0] ? String(errors[0].extensions?.code) : null
  }

  async function firstEvent({ body }: Response): Promise<string> {
    const reader = body?.getReader()
    const silence = new Promise<string>((resolve) => setTimeout(resolve, 100, ''))
    const event = async () => {
      for (let text = ''; ; ) {
        const { value, done } = (await reader?.read()) ?? { done: true }
        text += new TextDecoder().decode(value)
        const data = /^data: (.*)$/m.exec(text)?.[1]
        if (data || done) return data ?? ''
      }
    }
    const first = await Promise.race([event(), silence])
    await reader?.cancel()
    return first
  }

  it('has a scope for every field at the top, and for those below that ask by themselves', () => {
    const found = Object.values(schema.getTypeMap())
      .filter(isObjectType)
      .flatMap((type) =>
        Object.values(type.getFields()).flatMap((field) => {
          const access = accessOfField(schema, type, field)
          return access ? [[`${type.name}.${field.name}`, access] as const] : []
        }),
      )
      .filter(([name]) => !name.startsWith('__'))
    const declared = Object.entries(GRAPHQL_SCOPES).map(([name, scope]) => [name, scope.replace('*', '')])
    expect(declared.sort()).toEqual(found.map((entry) => [...entry]).sort())
  })

  describe.each(Object.entries(GRAPHQL_SCOPES))('%s (%s)', (field, declared) => {
    it.each(CALLER_NAMES)('by %s', async (name) => {
      const expected = expectedOutcome(declared, name)
      // What a stranger asks for below the viewer is below nobody.
      if (name === 'no key' && field.startsWith('User.')) return
      const before = expected === 'ALLOWED' ? null : await everything()
      const response = await ask(field, name)
      const isDead = expected === 'UNAUTHENTICATED' && name !== 'no key'
      if (isDead) expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
      const code = await codeOf(response)
      if (expected !== 'ALLOWED') expect(code).toBe(expected)
      else expect(['KEY_REFUSED', 'UNAUTHENTICATED', 'INTERNAL', 'GRAPHQL_VALIDATION_FAILED']).not.toContain(code)
      if (before !== null) expect(await everything()).toBe(before)
    })
  })
})
