import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
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

it('needs no such file', () => {
  expect(addSettingsFile({}, join(folder, 'missing'))).toEqual([])
})
