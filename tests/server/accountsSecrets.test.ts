import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type AccountsServer, startAccountsServer } from '../setup/accountsServer.ts'
import { createGraphqlClient } from '../setup/graphqlClient.ts'

/** Whatever opens an account is planted as a canary, and searched for wherever it could come to light. */
let server: AccountsServer
const answers: string[] = []

beforeAll(async () => {
  server = await startAccountsServer('trace')
})
afterAll(() => server?.close())

/** Every row of every table, as text. */
async function dump(): Promise<string> {
  const { rows } = await server.pool.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
  )
  const tables = await Promise.all(
    rows.map(({ name }) => server.pool.query(`select t::text as row, to_jsonb(t)::text as json from ${name} t`)),
  )
  return JSON.stringify(tables.map((table) => table.rows))
}

it('tokens, codes, verifiers, states and keys are nowhere in clear', async () => {
  const { browser, token, viewer } = await server.signIn()
  const login = server.newLogin()
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await browser.request(method, path, body)
    answers.push(JSON.stringify([...answer.headers, answer.body]))
    return answer
  }
  const base = '/api/v1/google-accounts'
  const begin = async () =>
    server.google.consent((await browser.request('GET', `${base}/init`)).body.authorizationUrl, login)
  const connected = await call('POST', `${base}/auth`, { ...(await begin()), name: 'Drive' })
  const { id } = connected.body
  server.google.expireAccess()
  await server.pool.query('update accounts set quota_checked_at = null')
  await call('POST', '/api/v1/quotas/by-ids-and-types', [{ id, type: 'google' }])
  await call('PUT', `${base}/${id}`, await begin())
  await call('POST', `${base}/auth`, { ...(await begin()), name: 'Twice' })
  await call('POST', `${base}/auth`, { ...(await begin()), name: '' })
  for (const code of ['Transient', 'Misconfigured', 'Forbidden', 'ReconnectNeeded'] as const) {
    const grant = await begin()
    server.google.failWith(code)
    await call('POST', `${base}/auth`, { ...grant, name: 'Fails' })
    server.google.failWith(null)
  }
  server.google.withdraw(login)
  await server.pool.query('update accounts set quota_checked_at = null')
  await call('POST', '/api/v1/quotas/by-ids-and-types', [{ id, type: 'google' }])
  const client = createGraphqlClient(server.url, token)
  answers.push(
    JSON.stringify(
      await client('{ viewer { accounts { id name status statusReason email } providers { settings access } } }'),
    ),
  )
  const atRest = await dump()
  await call('DELETE', `${base}/${id}?force=true`)
  expect((await server.services.accounts.list(viewer)).length).toBe(1)

  const key = readFileSync(join(server.dataDir, 'secret.key'), 'utf8').trim()
  const canaries = [...server.google.secrets, key]
  expect(canaries.length).toBeGreaterThan(20)
  const places = {
    database: atRest,
    'database after': await dump(),
    log: server.logs.join(''),
    answers: answers.join(''),
  }
  for (const [place, text] of Object.entries(places)) {
    expect(text.length, place).toBeGreaterThan(100)
    for (const canary of canaries) expect(text.includes(canary), `${canary} in the ${place}`).toBe(false)
  }
})
