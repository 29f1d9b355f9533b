import type { users } from 'dropbox'
import type { Call, Capabilities, Driver, ProviderModule, ProviderQuota } from '../driver.ts'
import type { Http } from '../shared/http.ts'
import { createDropboxClient, DEFAULT_LIMITS, type DropboxClient, type DropboxLimits, KIND } from './client.ts'
import { download, exportAs } from './download.ts'
import { ROOT } from './entry.ts'
import { changes, ensureFolder, list, listAll, move, remove, stat } from './files.ts'
import { createDropboxOAuth } from './oauth.ts'
import { abandon, copy, isName, MAX_FILE_BYTES, MAX_NAME, put } from './put.ts'
import { share, unshare } from './sharing.ts'
import { thumbnail } from './thumbnail.ts'

export type DropboxDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  /** Type of the app. `app_folder`: it sees only what Skypool stores. */
  readonly access?: 'full' | 'app_folder'
  /** Smaller limits for tests. */
  readonly limits?: Partial<DropboxLimits>
  readonly now?: () => number
}

/** Dropbox, API v2. */
export function dropboxModule({ limits, now = Date.now, access = 'full', ...deps }: DropboxDeps): ProviderModule {
  return {
    kind: KIND,
    signIn: { by: 'OAUTH', oauth: createDropboxOAuth({ ...deps, now }) },
    open: ({ accessToken }) =>
      createDropboxDriver(createDropboxClient(deps.http, accessToken ?? ''), { ...DEFAULT_LIMITS, ...limits }, access),
  }
}

const CAPABILITIES: Capabilities = {
  hash: 'dropbox',
  duplicateNames: false,
  caseSensitive: false,
  maxObjectBytes: MAX_FILE_BYTES,
  maxNameLength: MAX_NAME,
  refusesName: (name) => !isName(name),
  overwrites: true,
  nameUnit: 'utf16',
  maxConcurrency: 8,
  // Dropbox commits files one at a time, but accepts their bytes concurrently.
  maxConcurrentWrites: 4,
  resumable: true,
}

/** The driver of one account. */
function createDropboxDriver(client: DropboxClient, limits: DropboxLimits, access: 'full' | 'app_folder'): Driver {
  const context = { client, limits }
  return {
    kind: KIND,
    capabilities: CAPABILITIES,
    root: ROOT,
    async identity(call) {
      const account = await client.ask(call, 'identity', (sdk) => sdk.usersGetCurrentAccount())
      return { subject: account.account_id, email: account.email, name: account.name.display_name }
    },
    quota: async (call) => quotaOf(await client.ask(call, 'quota', (sdk) => sdk.usersGetSpaceUsage())),
    stat: (call, ref) => stat(client, call, ref),
    list: (call, folder, cursor) => list(context, call, folder, cursor),
    ...(access === 'full' && { listAll: (call: Call, cursor: string | null) => listAll(context, call, cursor) }),
    get: (call, ref, range) => download(client, call, ref, range ?? null),
    export: (call, ref, type) => exportAs(client, call, ref, type),
    thumbnail: (call, ref, side) => thumbnail(client, call, ref, side),
    put: (call, entry, content, progress) => put(context, { call, entry, content, progress }),
    abandon: (call, session, isNeeded) => abandon(context, call, session, isNeeded),
    delete: (call, ref) => remove(client, call, ref),
    ensureFolder: (call, parent, name) => ensureFolder(client, call, parent, name),
    move: (call, ref, to) => move(client, call, ref, to),
    copy: (call, ref, entry, progress) => copy(client, call, ref, entry, progress),
    changes: (call, cursor) => changes(context, call, cursor),
    share: (call, ref, expiresAt) => share(client, call, ref, expiresAt),
    unshare: (call, ref) => unshare(client, call, ref),
  }
}

/** For a team: the member's own limit if there is one, else the quota that all members share. */
function quotaOf({ used, allocation }: users.SpaceUsage): ProviderQuota {
  if (allocation['.tag'] === 'individual') return known(used, allocation.allocated)
  if (allocation['.tag'] !== 'team') return { state: 'UNKNOWN', usedBytes: used, totalBytes: null }
  const own = allocation.user_within_team_space_allocated
  return own > 0 ? known(used, own) : known(allocation.used, allocation.allocated)
}

function known(usedBytes: number, totalBytes: number): ProviderQuota {
  if (totalBytes > 0) return { state: 'KNOWN', usedBytes, totalBytes }
  return { state: 'UNKNOWN', usedBytes, totalBytes: null }
}
