import type { Driver } from '../../../server/providers/driver.ts'
import type { DropboxLimits } from '../../../server/providers/dropbox/client.ts'
import { dropboxModule } from '../../../server/providers/dropbox/module.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { startEmulators } from '../../fakes/core/server.ts'
import { createDropbox, DROPBOX_CLIENT } from '../../fakes/dropbox/dropbox.ts'

const USER = 'ann@example.com'

export type DropboxStage = Awaited<ReturnType<typeof startDropbox>>

/** An emulated Dropbox with one user, and drivers on it. */
export async function startDropbox(limits: Partial<DropboxLimits> = {}) {
  const dropbox = createDropbox()
  const emulators = await startEmulators({ services: [dropbox] })
  dropbox.commands.addUser({ email: USER, name: 'Ann Example', quotaBytes: 100_000_000 })
  const http = createHttp({ emulatorUrl: new URL(emulators.url) })
  const deps = { http, clientId: DROPBOX_CLIENT.id, clientSecret: DROPBOX_CLIENT.secret }
  return {
    dropbox: dropbox.commands,
    url: emulators.url,
    user: USER,
    deps,
    plan: emulators.plan,
    clearFaults: emulators.clearFaults,
    log: emulators.log,
    count: (operation: string): number => emulators.log().filter((one) => one.operation === operation).length,
    bugs: () => emulators.log().flatMap(({ bug }) => bug ?? []),
    open(more: Partial<DropboxLimits> = {}): Driver {
      const { access_token, refresh_token } = dropbox.commands.mintToken({ user: USER })
      const credentials = { accessToken: access_token, refreshToken: refresh_token, expiresAt: null }
      return dropboxModule({ ...deps, limits: { ...limits, ...more } }).open(credentials)
    },
    paths: async () => (await dropbox.commands.objects({ user: USER })).map(({ path }) => path),
    loseSessions: () => dropbox.commands.loseSessions({ user: USER }),
    close: emulators.close,
  }
}
