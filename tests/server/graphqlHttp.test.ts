import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createUser } from '../factories/user.ts'
import { startTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
let token: string

beforeAll(async () => {
  server = await startTestServer()
  token = (await createUser(server.services.users)).token
})

afterAll(() => server?.close())

/** Signed in, because the suite asks for the schema's types. */
const fetchFn = (url: string, init?: RequestInit) => {
  const headers = new Headers(init?.headers)
  headers.set('cookie', `sid=${token}`)
  headers.set('origin', server.url)
  return fetch(url, { ...init, headers })
}

/** The GraphQL-over-HTTP suite of graphql-http: every MUST and SHOULD, and every MAY. */
for (const audit of serverAudits({ url: () => `${server.url}/graphql`, fetchFn })) {
  test(audit.name, async () => {
    const result = await audit.fn()
    expect(result.status, 'reason' in result ? result.reason : '').toBe('ok')
  })
}
