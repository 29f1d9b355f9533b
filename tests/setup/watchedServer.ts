import { vi } from 'vitest'
import { openProviders } from '../../server/compose.ts'
import type { Config } from '../../server/env.ts'
import { createUser } from '../factories/user.ts'
import { startEmulators } from '../fakes/core/server.ts'
import { createGoogle, GOOGLE_CLIENT } from '../fakes/google/google.ts'
import { connect } from '../tools/demo/skypool.ts'
import { createBrowser } from './browser.ts'
import { startTestServer, type TestServerOptions } from './server.ts'

export type WatchedServer = Awaited<ReturnType<typeof startWatchedServer>>

export const OWNER = { email: 'charles.babbage@example.com', account: 'difference-engine@example.com' } as const

/** A server with an emulated Google Drive, and a user who has a group cloud on an account there. */
export async function startWatchedServer(config: Partial<Config>, options: TestServerOptions = {}) {
  const google = createGoogle()
  const emulators = await startEmulators({ services: [google] })
  google.commands.addUser({ email: OWNER.account, name: 'Charles', quotaBytes: 1_000_000_000 })
  const providers = {
    GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
    GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
    GOOGLE_SCOPE: 'drive',
  }
  const server = await startTestServer(
    { ...config, providers, providerEmulatorUrl: new URL(emulators.url) },
    // Each server counts for itself.
    { openProviders, single: true, ...options },
  )
  const user = await createUser(server.services.users, { email: OWNER.email })
  const browser = createBrowser(server.url, user.token)
  const json = async (method: string, path: string, body?: object) =>
    (await browser.request(method, path, body)).body as never
  const accountId = await connect({ json }, 'google', 'Engine room', OWNER.account)
  const cloud = (await browser.request('POST', '/api/v1/group-clouds', { name: 'Mill', accountIds: [accountId] })).body
  return {
    ...server,
    user,
    browser,
    accountId,
    emulators,
    /** Uploads a file to the group cloud. @returns its id and the answer's headers, once it is at the provider */
    async store(name: string, bytes: Buffer, headers: Record<string, string> = {}) {
      const form = new FormData()
      form.append('groupCloudId', cloud.id)
      form.append('file', new File([new Uint8Array(bytes)], name))
      const answer = await browser.request('POST', '/api/v1/files', form, headers)
      const { id } = answer.body
      await vi.waitFor(
        async () => {
          const { body } = await browser.request('GET', `/api/v1/files/${id}`)
          if (body.state !== 'STORED') throw new Error(`It is ${body.state}.`)
        },
        { timeout: 120_000, interval: 100 },
      )
      return { id: String(id), headers: answer.headers }
    },
    async close() {
      await server.close()
      await emulators.close()
    },
  }
}
