import { openProviders } from '../../../server/compose.ts'
import { DROPBOX_CLIENT } from '../../fakes/dropbox/dropbox.ts'
import { GOOGLE_CLIENT } from '../../fakes/google/google.ts'
import { startTestServer, type TestServer } from '../../setup/server.ts'
import { type Providers, startProviders } from './emulators.ts'

export type World = {
  readonly url: string
  readonly server: TestServer
  readonly providers: Providers
  close(): Promise<void>
}

/** The whole server over emulated providers. */
export async function startWorld(): Promise<World> {
  const providers = await startProviders()
  const config = {
    google: { clientId: GOOGLE_CLIENT.id, clientSecret: GOOGLE_CLIENT.secret, scope: 'drive' as const },
    dropbox: { clientId: DROPBOX_CLIENT.id, clientSecret: DROPBOX_CLIENT.secret },
    providerEmulatorUrl: new URL(providers.url),
    acceptAnyType: true,
  }
  const server = await startTestServer(config, { openProviders })
  return {
    url: server.url,
    server,
    providers,
    async close() {
      await server.close()
      await providers.close()
    },
  }
}
