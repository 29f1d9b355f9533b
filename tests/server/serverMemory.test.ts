import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createUser } from '../factories/user.ts'
import { createBrowser } from '../setup/browser.ts'
import { startTestServer } from '../setup/server.ts'

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

/** A whole server that has answered, and is closed. @returns what tells whether anything still holds it */
async function startedAndClosed(): Promise<WeakRef<object>> {
  const server = await startTestServer()
  const { token } = await createUser(server.services.users)
  const { status } = await createBrowser(server.url, token).request('GET', '/api/v1/files')
  expect(status).toBe(200)
  await server.close()
  return new WeakRef(server.services)
}

// A process that starts one server after another, as the one of these tests does, would keep 20 MB of each.
it('a server that was closed is in nobody’s memory', async () => {
  const held = await startedAndClosed()
  // For some seconds, timers of its jobs may still hold it.
  const isGone = () => {
    collectGarbage()
    return held.deref() === undefined
  }
  await expect.poll(isGone, { interval: 500 }).toBe(true)
})
