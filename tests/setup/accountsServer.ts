import type { Account } from '../../server/domain/services.ts'
import type { Viewer } from '../../server/domain/viewer.ts'
import { createUser } from '../factories/user.ts'
import { createBrowser } from './browser.ts'
import { createLoginProvider, type Login } from './loginProvider.ts'
import { createTestProviders } from './providers.ts'
import { startTestServer } from './server.ts'

export type AccountsServer = Awaited<ReturnType<typeof startAccountsServer>>

/** The whole server with a provider whose logins, faults and tokens the test holds in its hand. */
export async function startAccountsServer(logLevel = 'warn') {
  const google = createLoginProvider()
  const server = await startTestServer(
    {},
    { logLevel, openProviders: ({ credentials }) => createTestProviders([google.module], credentials) },
  )
  const { accounts, users } = server.services
  const origin = server.url
  let logins = 0

  async function authorized(viewer: Viewer, login: Login, accountId?: string) {
    const { url } = await accounts.authorize(viewer, 'google-drive', origin, accountId)
    return google.consent(url, login)
  }
  return {
    ...server,
    google,
    origin,
    newLogin: (login: Partial<Login> = {}) => {
      logins += 1
      return google.addLogin({ email: `login-${logins}@example.org`, ...login })
    },
    /** A code and its state, as the callback page gets them. */
    authorized,
    async connect(viewer: Viewer, login: Login, name = 'Drive'): Promise<Account> {
      const grant = await authorized(viewer, login)
      return accounts.connect(viewer, 'google-drive', { ...grant, name }, origin)
    },
    async signIn() {
      const user = await createUser(users)
      return { ...user, browser: createBrowser(server.url, user.token) }
    },
  }
}
