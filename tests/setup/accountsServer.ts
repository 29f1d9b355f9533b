import type { Viewer } from '../../server/domain/viewer.ts'
import { createUser } from '../factories/user.ts'
import { createBrowser } from './browser.ts'
import { connectAccount, newLogin } from './connectAccount.ts'
import type { Login } from './loginProvider.ts'
import { startTestServer } from './server.ts'

export type AccountsServer = Awaited<ReturnType<typeof startAccountsServer>>

/** The whole server with a provider whose logins, faults and tokens the test holds in its hand. */
export async function startAccountsServer(logLevel = 'warn') {
  const server = await startTestServer({}, { logLevel })
  const { google } = server
  const { accounts, users } = server.services
  const origin = server.url

  async function authorized(viewer: Viewer, login: Login, accountId?: string) {
    const { url } = await accounts.authorize(viewer, 'google-drive', origin, accountId)
    return google.consent(url, login)
  }
  return {
    ...server,
    origin,
    newLogin: (login: Partial<Login> = {}) => newLogin(server, login),
    /** A code and its state, as the callback page gets them. */
    authorized,
    connect: (viewer: Viewer, login: Login, name = 'Drive') => connectAccount(server, viewer, name, login),
    async signIn() {
      const user = await createUser(users)
      return { ...user, browser: createBrowser(server.url, user.token) }
    },
  }
}
