import type { Driver } from '../../../server/providers/driver.ts'
import { githubModule } from '../../../server/providers/github/module.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { startEmulators } from '../../fakes/core/server.ts'
import { createGithub, GITHUB_APP } from '../../fakes/github/github.ts'

const USER = 'ann@example.com'
const REPOSITORY = 'store'

/** An emulated GitHub with one user, who has installed the app for a repository, and drivers on it. */
export async function startGithub() {
  const github = createGithub()
  const emulators = await startEmulators({ services: [github] })
  github.commands.addUser({ email: USER, login: 'ann' })
  const { id } = github.commands.addRepository({ user: USER, repository: REPOSITORY })
  github.commands.install({ user: USER, repositories: [REPOSITORY] })
  const http = createHttp({ emulatorUrl: new URL(emulators.url) })
  const { open } = githubModule({ http, clientId: GITHUB_APP.id, clientSecret: GITHUB_APP.secret })
  return {
    plan: emulators.plan,
    clearFaults: emulators.clearFaults,
    bugs: () => emulators.log().flatMap(({ bug }) => bug ?? []),
    open(): Driver {
      const { access_token: accessToken } = github.commands.mintToken({ user: USER })
      return open({ accessToken, repository: String(id), expiresAt: null })
    },
    close: emulators.close,
  }
}
