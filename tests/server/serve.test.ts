import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../setup/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.close())

describe('the server', () => {
  it('says that it is ready', async () => {
    const answer = await fetch(`${server.url}/ready`)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ status: 'ready', checks: ['database', 'migrations', 'staging'] })
  })

  it('keeps its bytes in the data folder', () => {
    expect(existsSync(join(server.dataDir, 'staging'))).toBe(true)
    expect(existsSync(join(server.dataDir, 'objects'))).toBe(true)
  })

  it('answers at both doors', async () => {
    expect((await fetch(`${server.url}/api/v1/auth/validate`)).status).toBe(401)
    const graphql = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ __typename }' }),
    })
    expect(await graphql.json()).toEqual({ data: { __typename: 'Query' } })
  })

  it('is not ready when the database does not know a migration', async () => {
    await server.pool.query('update _prisma_migrations set finished_at = null')
    const answer = await fetch(`${server.url}/ready`)
    await server.pool.query('update _prisma_migrations set finished_at = now()')
    expect(answer.status).toBe(503)
    expect(server.logs.join()).toContain('not ready')
  })
})
