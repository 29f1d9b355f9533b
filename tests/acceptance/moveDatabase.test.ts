import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createBrowser } from '../setup/browser.ts'
import { addressOf, createTestDatabase } from '../setup/database.ts'
import { newCredentials, register } from './support/person.ts'
import { startProcess } from './support/process.ts'

const NOWHERE = 'http://127.0.0.1:9'
const run = promisify(execFile)

it('the documented command moves the embedded database, and the server goes on with the same folder', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'skypool-moving-'))
  chmodSync(dataDir, 0o755)
  const target = await createTestDatabase('template0')
  const credentials = newCredentials()
  const before = await startProcess(NOWHERE, {}, { dataDir })
  await register(before.url, credentials)

  const move = (...given: string[]) =>
    run(process.execPath, ['dist/server/moveDatabase.js', ...given], {
      env: { ...process.env, DATA_DIR: dataDir },
    }).then(
      ({ stdout }) => stdout,
      ({ stderr }: { stderr: string }) => stderr,
    )
  expect(await move()).toContain('Usage: npm run move-database -- --to postgres://')
  // The folder is in use.
  expect(await move('--to', addressOf(target))).toContain('Stop it first.')
  await before.close()
  const said = await move('--to', addressOf(target))
  expect(said).toMatch(/\n +1 {2}public\.users\n/)
  expect(said).toContain('is unchanged.')
  expect(await move('--to', addressOf(target))).toContain('The target is not empty: it has users.')

  const after = await startProcess(NOWHERE, { DATABASE_URL: addressOf(target) }, { dataDir })
  const { status } = await createBrowser(after.url).request('POST', '/api/v1/auth/login', credentials)
  expect(status).toBe(200)
  await after.close()
  await target.close()
  rmSync(dataDir, { recursive: true, force: true })
})
