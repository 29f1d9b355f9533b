import type { Capabilities, Driver, ProviderModule, ProviderQuota } from '../driver.ts'
import type { Http } from '../shared/http.ts'
import { createPcloudClient, DEFAULT_LIMITS, hostOf, KIND, type PcloudContext, type PcloudLimits } from './client.ts'
import { download } from './download.ts'
import { isName, MAX_NAME, ROOT } from './entry.ts'
import { changes, ensureFolder, move, remove, stat } from './files.ts'
import { createFolders, list, listAll } from './listing.ts'
import { createPcloudOAuth } from './oauth.ts'
import { abandon, copy, put } from './put.ts'
import { share, unshare } from './sharing.ts'
import { thumbnail } from './thumbnail.ts'

export type PcloudDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  /** Smaller limits for tests. */
  readonly limits?: Partial<PcloudLimits>
  readonly now?: () => number
}

/** pCloud, its JSON API in both regions. */
export function pcloudModule({ limits, now = Date.now, ...deps }: PcloudDeps): ProviderModule {
  return {
    kind: KIND,
    signIn: { by: 'OAUTH', oauth: createPcloudOAuth(deps) },
    open({ accessToken, hostname }) {
      const client = createPcloudClient(deps.http, hostOf(hostname), accessToken ?? '')
      return createPcloudDriver({ client, limits: { ...DEFAULT_LIMITS, ...limits } }, now)
    },
  }
}

const CAPABILITIES: Capabilities = {
  hash: 'sha1',
  duplicateNames: false,
  caseSensitive: true,
  maxObjectBytes: null,
  maxNameLength: MAX_NAME,
  nameUnit: 'utf16',
  refusesName: (name) => !isName(name),
  overwrites: true,
  maxConcurrency: 8,
  maxConcurrentWrites: 4,
  resumable: true,
}

type User = { readonly userid?: string; readonly email?: string; readonly quota?: number; readonly usedquota?: number }

/** The driver of one account. */
function createPcloudDriver(context: PcloudContext, now: () => number): Driver {
  const { client, limits } = context
  const { pageSize } = limits
  const folders = createFolders(client, now)
  return {
    kind: KIND,
    capabilities: CAPABILITIES,
    root: ROOT,
    async identity(call) {
      const { userid, email } = await client.ask<User>(call, 'identity', 'userinfo')
      // Each region counts its users by itself.
      return { subject: `${client.host}/${userid}`, email: email ?? null, name: null }
    },
    quota: async (call) => quotaOf(await client.ask<User>(call, 'quota', 'userinfo')),
    stat: (call, ref) => stat(client, call, ref),
    list: (call, folder, cursor) => list(folders, call, { folder, cursor, pageSize }),
    listAll: (call, cursor) => listAll(folders, call, { cursor, pageSize }),
    get: (call, ref, range) => download(client, call, ref, range ?? null),
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

function quotaOf({ quota: totalBytes = 0, usedquota }: User): ProviderQuota {
  const usedBytes = usedquota ?? null
  return totalBytes > 0 ? { state: 'KNOWN', usedBytes, totalBytes } : { state: 'UNKNOWN', usedBytes, totalBytes: null }
}
