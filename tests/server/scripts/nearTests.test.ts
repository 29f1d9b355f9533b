import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nearTests } from '../../../server/scripts/setup/nearTests.mjs'

/** Which tests `npm test -- --near` runs. */
const root = mkdtempSync(join(tmpdir(), 'skypool-near-'))

beforeAll(() => {
  const files = {
    'tests/server/keys.test.ts': `import { start } from '../setup/server.ts'`,
    'tests/server/keysLive.test.ts': '',
    'tests/server/filesListing.test.ts': '',
    'tests/server/filesListingPlans.test.ts': `import { listStatement } from '../../server/domain/files/tree/listing.ts'`,
    'tests/server/order.test.ts': `import { listStatement } from '../../server/domain/files/tree/listing.ts'`,
    'tests/conformance/googleDrive.test.ts': '',
    'tests/web/login.test.tsx': '',
    'tests/e2e/keys.test.ts': '',
    ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`tests/server/shares${index}.test.ts`, ''])),
  }
  for (const [path, code] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), code)
  }
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

it.each([
  ['a test itself', ['tests/server/keysLive.test.ts'], ['keysLive']],
  [
    'those that import the file or have its name',
    ['server/domain/files/tree/listing.ts'],
    ['filesListing', 'filesListingPlans', 'order'],
  ],
  ['else those named like its folder', ['server/domain/keys/service.ts'], ['keys', 'keysLive']],
  ['those of a driver', ['server/providers/google-drive/parts.ts'], ['googleDrive']],
  ['those of a screen', ['web/screens/Login/Form.tsx'], ['login']],
  ['none of a file without tests', ['server/lib/oddity.ts', 'README.md'], []],
  ['each once', ['server/domain/keys/service.ts', 'server/domain/keys/contract.ts'], ['keys', 'keysLive']],
])('%s', (_which, changed, names) => {
  const found = nearTests(changed, root).map((path) => /([^/]+)\.test\.tsx?$/.exec(path)?.[1])
  expect(found.sort()).toEqual([...names].sort())
})

it('no test that needs a build', () => {
  expect(nearTests(['tests/e2e/keys.test.ts', 'server/domain/keys/service.ts'], root)).not.toContain(
    'tests/e2e/keys.test.ts',
  )
})

it('at most twelve', () => {
  expect(nearTests(['server/domain/shares/contract.ts'], root)).toHaveLength(12)
})
