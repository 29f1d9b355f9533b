import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const SCRIPT = ['tests/tools/crashTest/main.ts', '--providers', 'six', '--kills', '3', '--writers', '3', '--seed', '7']

it('six services fail and the server is killed: no file is lost, and within a minute every state is true', async () => {
  // Without building: the run has built the server that is tried.
  const { stdout, stderr } = await promisify(execFile)(process.execPath, ['--import', 'tsx', ...SCRIPT]).catch(
    // With what is left over, of which it makes a failure too.
    (error: { stdout: string; stderr: string }) => error,
  )
  const { providers, files, ...counted } = JSON.parse(stdout)
  expect(providers).toHaveLength(6)
  expect(files).toBeGreaterThan(0)
  // With how each object came to be left over.
  expect(counted, stderr).toMatchObject({ lost: 0, untrue: 0, surplus: 0, leftOver: 0 })
})
