import type { Driver } from '../../../server/providers/driver.ts'
import type { DriveLimits } from '../../../server/providers/google-drive/client.ts'
import { googleDriveModule } from '../../../server/providers/google-drive/module.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { startEmulators } from '../../fakes/core/server.ts'
import { createGoogle, GOOGLE_CLIENT } from '../../fakes/google/google.ts'

const USER = 'ann@example.com'
const SCOPE = 'https://www.googleapis.com/auth/drive profile email openid'

export type GoogleStage = Awaited<ReturnType<typeof startGoogle>>

/** An emulated Google with one user, and drivers on it. */
export async function startGoogle(limits: Partial<DriveLimits> = {}, scope: 'drive' | 'drive.file' = 'drive') {
  const google = createGoogle()
  const emulators = await startEmulators({ services: [google] })
  google.commands.addUser({ email: USER, name: 'Ann Example', quotaBytes: 100_000_000 })
  const http = createHttp({ emulatorUrl: new URL(emulators.url) })
  const deps = { http, clientId: GOOGLE_CLIENT.id, clientSecret: GOOGLE_CLIENT.secret, scope }
  const tokens = () => google.commands.mintToken({ user: USER, scope: SCOPE.replace('drive', scope) })
  return {
    google: google.commands,
    url: emulators.url,
    user: USER,
    deps,
    plan: emulators.plan,
    clearFaults: emulators.clearFaults,
    log: emulators.log,
    count: (operation: string): number => emulators.log().filter((one) => one.operation === operation).length,
    bugs: () => emulators.log().flatMap(({ bug }) => bug ?? []),
    open(more: Partial<DriveLimits> = {}): Driver {
      const { access_token, refresh_token } = tokens()
      const credentials = { accessToken: access_token, refreshToken: refresh_token, expiresAt: null }
      return googleDriveModule({ ...deps, limits: { ...limits, ...more } }).open(credentials)
    },
    objects: () => google.commands.objects({ user: USER }),
    loseSessions: () => google.commands.loseSessions({ user: USER }),
    alter: (change: { id: string; trashed?: boolean; flipAt?: number; abusive?: boolean; text?: string }) =>
      google.commands.alter({ user: USER, ...change }),
    close: emulators.close,
  }
}
