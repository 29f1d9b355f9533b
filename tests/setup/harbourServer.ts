import { PROVIDERS } from '../../server/providers/catalogue.ts'
import { createProviders } from '../../server/providers/registry.ts'
import { createHostGuard } from '../../server/providers/shared/hostGuard.ts'
import { createHttp } from '../../server/providers/shared/http.ts'
import type { Harbour } from '../fakes/harbour/harbour.ts'
import { startTestServer, type TestServer, type TestServerOptions } from './server.ts'

/** The whole server with all real rows and layers of providers, and Harbour's row after them: nothing else of it is known. */
export function startHarbourServer(
  { row }: Harbour,
  options: Omit<TestServerOptions, 'openProviders'> = {},
): Promise<TestServer> {
  return startTestServer(
    {},
    {
      ...options,
      openProviders: ({ config, credentials, local, logger }) =>
        createProviders({
          rows: [...PROVIDERS, row],
          settings: config.providers,
          store: credentials,
          http: createHttp({ emulatorUrl: null }),
          guard: createHostGuard([]),
          localDriver: local,
          logger,
        }),
    },
  )
}
