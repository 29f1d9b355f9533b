import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createUser } from '../factories/user.ts'
import { createBrowser } from '../setup/browser.ts'
import { startTestServer } from '../setup/server.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** Starts a server, asks it something and closes it. @returns a reference that is empty when nothing holds the server any more */
async function startedAndClosed(): Promise<WeakRef<object>> {
  const server = await startTestServer()
  const { token } = await createUser(server.services.users)
  const { status } = await createBrowser(server.url, token).request('GET', '/api/v1/files')
  expect(status).toBe(200)
  await server.close()
  return new WeakRef(server.services)
}

// The process of the tests starts one server after another, and would keep 20 MB of each.
it('a server that was closed can be garbage collected', async () => {
  const held = await startedAndClosed()
  // For some seconds, timers of its jobs may still hold it.
  const isGone = () => {
    collectGarbage()
    return held.deref() === undefined
  }
  await expect.poll(isGone, { interval: 500 }).toBe(true)
})
