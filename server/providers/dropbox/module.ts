import type { ProviderModule } from '../driver.ts'
import type { Http } from '../shared/http.ts'
import { createDropboxClient } from './client.ts'
import { createDropboxDriver } from './driver.ts'
import { createDropboxOAuth } from './oauth.ts'
import { DEFAULT_LIMITS, type DropboxLimits } from './putJob.ts'
import { KIND } from './wire.ts'

export type DropboxDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  /** Smaller ones make tests short. */
  readonly limits?: Partial<DropboxLimits>
  readonly now?: () => number
}

/** Dropbox, by its API v2. */
export function dropboxModule({ limits, now = Date.now, ...deps }: DropboxDeps): ProviderModule {
  return {
    kind: KIND,
    signIn: { by: 'OAUTH', oauth: createDropboxOAuth({ ...deps, now }) },
    open: ({ accessToken }) =>
      createDropboxDriver(createDropboxClient(deps.http, accessToken ?? ''), { ...DEFAULT_LIMITS, ...limits }),
  }
}
