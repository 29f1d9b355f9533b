import type { ProviderModule } from '../driver.ts'
import type { Http } from '../shared/http.ts'
import { createDriveClient } from './client.ts'
import { createGoogleDrive } from './driver.ts'
import { createGoogleOAuth, type GoogleScope } from './oauth.ts'
import { DEFAULT_LIMITS, type DriveLimits } from './putJob.ts'
import { KIND } from './wire.ts'

export type GoogleDriveDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  /** `drive`: all files of the account; `drive.file`: only those that were made here. */
  readonly scope: GoogleScope
  /** Smaller ones make tests short. */
  readonly limits?: Partial<DriveLimits>
  readonly now?: () => number
}

/** Google Drive, by its API v3. */
export function googleDriveModule({ limits, now = Date.now, ...deps }: GoogleDriveDeps): ProviderModule {
  return {
    kind: KIND,
    signIn: { by: 'OAUTH', oauth: createGoogleOAuth({ ...deps, now }) },
    open: ({ accessToken }) =>
      createGoogleDrive(createDriveClient(deps.http, accessToken ?? ''), { ...DEFAULT_LIMITS, ...limits }),
  }
}
