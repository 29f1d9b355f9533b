import { openProviders } from '../../../server/compose.ts'
import { readMigrations } from '../../../server/db/migrate.ts'
import { readConfig } from '../../../server/env.ts'
import { createLogger } from '../../../server/lib/logger.ts'
import { type RunningServer, serve } from '../../../server/serve.ts'
import { DROPBOX_CLIENT } from '../../fakes/dropbox/dropbox.ts'
import { GOOGLE_CLIENT } from '../../fakes/google/google.ts'
import { startTestServer, type TestServer, type TestServerOptions } from '../../setup/server.ts'
import { type Providers, startProviders } from './emulators.ts'

export type World = {
  readonly url: string
  readonly server: TestServer
  readonly providers: Providers
  /** One more server on the same database and data folder. Close it before the world. */
  startAnother(): Promise<RunningServer>
  close(): Promise<void>
}

/** The whole server over emulated providers. */
export async function startWorld(options: Pick<TestServerOptions, 'feedEveryMs'> = {}): Promise<World> {
  const providers = await startProviders()
  const config = {
    providers: {
      GOOGLE_CLIENT_ID: GOOGLE_CLIENT.id,
      GOOGLE_CLIENT_SECRET: GOOGLE_CLIENT.secret,
      GOOGLE_SCOPE: 'drive',
      DROPBOX_CLIENT_ID: DROPBOX_CLIENT.id,
      DROPBOX_CLIENT_SECRET: DROPBOX_CLIENT.secret,
    },
    providerEmulatorUrl: new URL(providers.url),
    acceptAnyType: true,
  }
  const server = await startTestServer(config, { openProviders, alone: false, ...options })
  return {
    url: server.url,
    server,
    providers,
    startAnother: () =>
      serve({
        config: { ...readConfig({ PORT: '0' }), ...config, dataDir: server.dataDir },
        database: server.database.connection,
        alone: false,
        migrations: readMigrations('prisma/migrations'),
        logger: createLogger('silent'),
        version: 'test',
        persisted: {},
        webDirectory: null,
        openProviders,
      }),
    async close() {
      await server.close()
      await providers.close()
    },
  }
}
