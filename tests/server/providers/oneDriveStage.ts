import type { Driver } from '../../../server/providers/driver.ts'
import type { OneDriveLimits } from '../../../server/providers/onedrive/client.ts'
import { oneDriveModule } from '../../../server/providers/onedrive/module.ts'
import { createHttp } from '../../../server/providers/shared/http.ts'
import { startEmulators } from '../../fakes/core/server.ts'
import type { DriveType } from '../../fakes/onedrive/model.ts'
import { createOneDrive, ONEDRIVE_CLIENT } from '../../fakes/onedrive/onedrive.ts'

const USER = 'ann@example.com'

export type OneDriveStage = Awaited<ReturnType<typeof startOneDrive>>

/** An emulated OneDrive with one user, and drivers on it. */
export async function startOneDrive(limits: Partial<OneDriveLimits> = {}, driveType: DriveType = 'personal') {
  const oneDrive = createOneDrive()
  const emulators = await startEmulators({ services: [oneDrive] })
  oneDrive.commands.addUser({ email: USER, name: 'Ann Example', quotaBytes: 100_000_000, driveType })
  const http = createHttp({ emulatorUrl: new URL(emulators.url) })
  const deps = { http, clientId: ONEDRIVE_CLIENT.id, clientSecret: ONEDRIVE_CLIENT.secret }
  return {
    oneDrive: oneDrive.commands,
    url: emulators.url,
    user: USER,
    deps,
    plan: emulators.plan,
    clearFaults: emulators.clearFaults,
    log: emulators.log,
    count: (operation: string): number => emulators.log().filter((one) => one.operation === operation).length,
    bugs: () => emulators.log().flatMap(({ bug }) => bug ?? []),
    open(more: Partial<OneDriveLimits> = {}): Driver {
      const { access_token, refresh_token } = oneDrive.commands.mintToken({ user: USER })
      const credentials = { accessToken: access_token, refreshToken: refresh_token, expiresAt: null }
      return oneDriveModule({ ...deps, limits: { pollMs: 1, ...limits, ...more } }).open(credentials)
    },
    paths: async () => (await oneDrive.commands.objects({ user: USER })).map(({ path }) => path),
    close: emulators.close,
  }
}
