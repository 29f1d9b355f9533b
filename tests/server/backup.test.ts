import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, lchownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../server/db/embedded/embeddedPostgres.ts'
import { readMigrations } from '../../server/db/migrate.ts'
import { WrongKeyError } from '../../server/domain/secrets/rotateKeys.ts'
import { readConfig } from '../../server/env.ts'
import { createLogger } from '../../server/lib/logger.ts'
import { serve } from '../../server/serve.ts'
import { createUser } from '../factories/user.ts'
import { type Browser, createBrowser } from '../setup/browser.ts'
import { connectAccount } from '../setup/connectAccount.ts'
import { createLoginProvider } from '../setup/loginProvider.ts'
import { createTestProviders } from '../setup/providers.ts'

/** A server's data folder, copied while it stood still and started elsewhere, as the README says. */
const PASSWORD = 'a long enough password'
const EMAIL = 'ada@example.org'
const contents = Array.from({ length: 5 }, (_, index) => randomBytes(50_000 * (index + 1)).toString('hex'))
const google = createLoginProvider()
const isRoot = process.getuid?.() === 0
let folder: string
let original: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'skypool-backup-'))
  chmodSync(folder, 0o755)
  original = join(folder, 'original')
  mkdirSync(original, { mode: 0o711 })
  const server = await start(original)
  const { viewer } = await createUser(server.services.users, { email: EMAIL, password: PASSWORD })
  for (const [index, content] of contents.entries()) {
    const input = { name: `${index}.txt`, size: null }
    await server.services.uploads.receive(viewer, input, Readable.from([Buffer.from(content)]))
  }
  await connectAccount({ ...server, google }, viewer, 'Drive')
  await server.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The whole server with the embedded database of a data folder. */
async function start(dataDir: string, secretKey = '') {
  const postgres: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir })
  try {
    const server = await serve({
      config: { ...readConfig({ PORT: '0', SECRET_KEY: secretKey }), dataDir },
      database: postgres.connection,
      migrations: readMigrations('prisma/migrations'),
      logger: createLogger('silent'),
      version: 'test',
      persisted: {},
      webDirectory: null,
      openProviders: ({ credentials, local }) => createTestProviders([google.module], credentials, local),
    })
    return { ...server, close: () => server.close().then(() => postgres.stop()) }
  } catch (error) {
    await postgres.stop()
    throw error
  }
}

function copy(name: string): string {
  const to = join(folder, name)
  execFileSync('cp', ['-a', original, to])
  return to
}

it('a copy of the data folder serves the same files to the same people', async () => {
  const server = await start(copy('restored'))
  const browser = createBrowser(server.url)
  const login = await browser.request('POST', '/api/v1/auth/login', { email: EMAIL, password: PASSWORD })
  expect(login.status).toBe(200)
  const { body } = await browser.request('GET', '/api/v1/files?view=all')
  const read = body.items.map(async ({ id, name }: { id: string; name: string }) => {
    const answer = await browser.request('GET', `/api/v1/files/${id}/download`)
    return [name, answer.body === contents[Number.parseInt(name, 10)]]
  })
  expect((await Promise.all(read)).sort()).toEqual(contents.map((_, index) => [`${index}.txt`, true]))
  await expectAccountOpens(server.pool, browser)
  await server.close()
})

/** The sealed access of the account is opened by the key of the copy, and takes us in at the provider. */
async function expectAccountOpens(pool: pg.Pool, browser: Browser): Promise<void> {
  await pool.query('update accounts set quota_checked_at = null')
  const { body } = await browser.request('GET', '/api/v1/accounts')
  const account = body.items.find(({ name }: { name: string }) => name === 'Drive')
  expect(account).toMatchObject({ status: 'CONNECTED' })
  const asked = google.calls.length
  const quotas = await browser.request('POST', '/api/v1/quotas/by-ids-and-types', [{ id: account.id, type: 'google' }])
  expect(quotas.body).toEqual([{ id: account.id, quota: { usedBytes: 0, totalBytes: 15 * 1024 ** 3 } }])
  expect(google.calls.slice(asked)).toContain('quota')
}

it('a copy with another key is refused in words', async () => {
  const to = copy('other key')
  writeFileSync(join(to, 'secret.key'), randomBytes(32).toString('base64'), { mode: 0o600 })
  await expect(start(to)).rejects.toThrow(WrongKeyError)
  rmSync(join(to, 'secret.key'))
  await expect(start(to)).rejects.toThrow(/secret key is missing.*put that file back/s)
})

it.skipIf(!isRoot)('a copy that root made without its owners is taken over', async () => {
  const to = copy('owned by root')
  for (const entry of readdirSync(to, { recursive: true, encoding: 'utf8' })) lchownSync(join(to, entry), 0, 0)
  const server = await start(to)
  const { rows } = await server.pool.query('select count(*)::int as files from files')
  expect(rows).toEqual([{ files: contents.length }])
  await server.close()
})
