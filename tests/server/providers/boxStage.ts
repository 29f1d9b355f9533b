import type { BoxLimits } from '../../../server/providers/box/client.ts'
import { boxModule } from '../../../server/providers/box/module.ts'
import type { Driver } from '../../../server/providers/driver.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { BOX_CLIENT, createBox } from '../../fakes/box/box.ts'
import { startEmulators } from '../../fakes/core/server.ts'

const USER = 'ann@example.com'

export type BoxStage = Awaited<ReturnType<typeof startBox>>

/** An emulated Box with one user, and drivers on it. */
export async function startBox(limits: Partial<BoxLimits> = {}) {
  let ahead = 0
  const box = createBox()
  const emulators = await startEmulators({ services: [box] })
  box.commands.addUser({ email: USER, name: 'Ann Example', quotaBytes: 100_000_000 })
  box.commands.strictDownloads({ on: true })
  box.commands.sessionSizes({ partBytes: 256 * 1024, minSessionBytes: 1001 })
  const http = createHttp({ emulatorUrl: new URL(emulators.url) })
  const now = () => Date.now() + ahead
  const deps = { http, clientId: BOX_CLIENT.id, clientSecret: BOX_CLIENT.secret, now }
  return {
    box: box.commands,
    url: emulators.url,
    user: USER,
    deps,
    plan: emulators.plan,
    clearFaults: emulators.clearFaults,
    log: emulators.log,
    resetLog: emulators.resetLog,
    count: (operation: string): number => emulators.log().filter((one) => one.operation === operation).length,
    bugs: () => emulators.log().flatMap(({ bug }) => bug ?? []),
    /** Of the driver's clock. */
    pass(milliseconds: number) {
      ahead += milliseconds
    },
    open(more: Partial<BoxLimits> = {}): Driver {
      const { access_token, refresh_token } = box.commands.mintToken({ user: USER })
      const credentials = { accessToken: access_token, refreshToken: refresh_token, expiresAt: null }
      return boxModule({ ...deps, limits: { smallBytes: 1000, ...limits, ...more } }).open(credentials)
    },
    paths: () => box.commands.objects({ user: USER }).map(({ path }) => path),
    close: emulators.close,
  }
}
