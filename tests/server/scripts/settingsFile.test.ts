import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readConfig } from '../../../server/env.ts'
import { addSettingsFile } from '../../../server/scripts/setup/settingsFile.mjs'

const folder = mkdtempSync(join(tmpdir(), 'skypool-settings-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('npm start has the settings of .env, as Docker Compose would read them, and names them', () => {
  const file = join(folder, '.env')
  writeFileSync(
    file,
    `# Google\nGOOGLE_CLIENT_ID=1-a.apps\nexport GOOGLE_CLIENT_SECRET = "GOCSPX a"\nPORT=4000\nPUBLIC_URL=\n`,
  )
  const environment: Record<string, string | undefined> = { PORT: '5000' }
  expect(addSettingsFile(environment, file).sort()).toEqual(['GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET', 'PUBLIC_URL'])
  expect(environment).toEqual({
    GOOGLE_CLIENT_ID: '1-a.apps',
    GOOGLE_CLIENT_SECRET: 'GOCSPX a',
    PORT: '5000',
    PUBLIC_URL: '',
  })
})

it('leaves out quotes around a value, as docs/providers.md says; what else was copied along stops the start', () => {
  const file = join(folder, '.env')
  const startWith = (line: string) => {
    writeFileSync(file, `${line}\n`)
    const environment: Record<string, string | undefined> = {}
    addSettingsFile(environment, file)
    return readConfig(environment).providers.GOOGLE_CLIENT_ID
  }
  expect(startWith('GOOGLE_CLIENT_ID="1-a.apps"')).toBe('1-a.apps')
  expect(startWith("GOOGLE_CLIENT_ID='1-a.apps'")).toBe('1-a.apps')
  for (const value of ['“1-a.apps”', '<1-a.apps>', '"Client ID 1-a.apps"', `'"1-a.apps"'`]) {
    expect(() => startWith(`GOOGLE_CLIENT_ID=${value}`)).toThrow('must be only the value that the provider shows')
  }
  const docs = readFileSync('docs/providers.md', 'utf8')
  expect(docs).toContain('Quotes around a whole value, as in `KEY="value"`, are left out')
})

it('needs no such file', () => {
  expect(addSettingsFile({}, join(folder, 'missing'))).toEqual([])
})
