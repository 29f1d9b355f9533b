import type { Account } from '../../server/domain/accounts/contract.ts'
import type { Viewer } from '../../server/domain/viewer.ts'
import type { Login } from './loginProvider.ts'
import type { TestServer } from './server.ts'

export type Connecting = Pick<TestServer, 'services' | 'google' | 'url'>

let logins = 0

/** A login at the provider that nobody else has. */
export function newLogin({ google }: Pick<Connecting, 'google'>, login: Partial<Login> = {}): Login {
  logins += 1
  return google.addLogin({ email: `login-${logins}@example.org`, ...login })
}

/** A connected account, of a login of its own unless it is given. */
export async function connectAccount(
  { services, google, url }: Connecting,
  viewer: Viewer,
  name: string,
  login: Login = newLogin({ google }),
): Promise<Account> {
  const { accounts } = services
  const authorization = await accounts.authorize(viewer, 'google-drive', url)
  const grant = google.consent(authorization.url, login)
  return accounts.connect(viewer, 'google-drive', { ...grant, name }, url)
}
