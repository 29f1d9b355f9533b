import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const OPTIONS = ['--kills', '3', '--db-restarts', '1', '--cuts', '2', '--seed', '7']
const SCRIPT = ['tests/tools/crashTest/main.ts', ...OPTIONS]

it('what was acknowledged survives kills of the server and of its database, as `npm run crash-test` judges it', async () => {
  // Without building: the run has built the server that is tried.
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', ...SCRIPT])
  const { acknowledged, resumed, ...counted } = JSON.parse(stdout)
  expect(acknowledged).toBeGreaterThan(0)
  expect(counted).toMatchObject({
    lost: 0,
    staged: 0,
    unreferenced: 0,
    missing: 0,
    miscounted: 0,
    orphaned: 0,
    uncounted: 0,
  })
  expect(resumed).toMatchObject({ cuts: 2, intact: true })
})
