import { afterAll, beforeAll, expect, it } from 'vitest'
import { MIB, type Providers, startProviders } from './support/emulators.ts'
import { expectStatus, newCredentials, register, until } from './support/person.ts'
import { type ServerProcess, startProcess } from './support/process.ts'

let providers: Providers
let server: ServerProcess

beforeAll(async () => {
  providers = await startProviders()
  server = await startProcess(providers.url)
})
afterAll(async () => {
  await server?.close()
  await providers?.close()
})

it('a removal that is killed in the middle goes on after the restart', async () => {
  const credentials = newCredentials()
  const ada = await register(server.url, credentials)
  const email = providers.addPerson('google', 100 * MIB)
  const pool = await ada.pool([await ada.connect('google', email)])
  for (let count = 0; count < 12; count += 1) {
    const { body } = await expectStatus(201, ada.upload(`${count}.bin`, Buffer.alloc(1000, count), pool))
    await until(
      () => ada.file(body.id),
      ({ state }) => state === 'STORED',
      60,
    )
  }
  // Each deletion there takes long enough to be caught at it.
  providers.plan({ kind: 'delay', service: 'google', operation: 'drive.files.delete', count: 0, ms: 700 })
  await expectStatus(
    204,
    ada.request('DELETE', '/api/v1/auth/me', { password: credentials.password, deleteRemote: true }),
  )
  const left = await until(
    () => providers.files('google', email),
    ({ length }) => length > 0 && length < 12,
    60,
  )
  expect(left.length).toBeGreaterThan(0)
  await server.killAndStart()
  providers.clearFaults()
  await until(
    () => providers.files('google', email),
    ({ length }) => length === 0,
    90,
  )
  await until(
    () => providers.command<Record<string, number>>('google', 'tokens', { user: email }),
    (tokens) => Object.values(tokens).every((count) => count === 0),
    60,
  )
  // The address is free, and nothing of the first life is there.
  const again = await register(server.url, credentials)
  expect((await again.request('GET', '/api/v1/files')).body.items).toEqual([])
})
