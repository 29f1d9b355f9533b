import type { Capabilities, Driver, ProviderModule, ProviderQuota } from '../driver.ts'
import type { ApiClient } from '../shared/apiClient.ts'
import type { Http } from '../shared/http.ts'
import { changes } from './changes.ts'
import { type BoxContext, type BoxLimits, createBoxClient, DEFAULT_LIMITS, KIND } from './client.ts'
import { download } from './download.ts'
import { ROOT } from './entry.ts'
import { checkName, ensureFolder, isName, MAX_NAME, move, readFolder, remove, restore, stat, trash } from './files.ts'
import { listAll } from './listing.ts'
import { createBoxOAuth } from './oauth.ts'
import { abandon, copy, MAX_FILE_BYTES, put } from './put.ts'
import { share, unshare } from './sharing.ts'
import { thumbnail } from './thumbnail.ts'

export type BoxDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  /** Smaller limits for tests. */
  readonly limits?: Partial<BoxLimits>
  readonly now?: () => number
}

/** Box, API 2.0. */
export function boxModule({ limits, now = Date.now, ...deps }: BoxDeps): ProviderModule {
  return {
    kind: KIND,
    signIn: { by: 'OAUTH', oauth: createBoxOAuth({ ...deps, now }) },
    open({ accessToken }) {
      const client = createBoxClient(deps.http, accessToken ?? '')
      return createBoxDriver({ client, limits: { ...DEFAULT_LIMITS, ...limits }, now })
    },
  }
}

const CAPABILITIES: Capabilities = {
  hash: 'sha1',
  duplicateNames: false,
  caseSensitive: false,
  maxObjectBytes: MAX_FILE_BYTES,
  maxNameLength: MAX_NAME,
  nameUnit: 'utf16',
  refusesName: (name) => !isName(name),
  overwrites: true,
  // Box allows 1,000 calls a minute for each user, and 240 uploads.
  maxConcurrency: 8,
  maxConcurrentWrites: 3,
  resumable: true,
}

/** The driver of one account. */
function createBoxDriver(context: BoxContext): Driver {
  const { client } = context
  return {
    kind: KIND,
    capabilities: CAPABILITIES,
    root: ROOT,
    async identity(call) {
      const { id, login, name } = await readUser(client, call, 'identity', 'id,login,name')
      return { subject: String(id), email: login ?? null, name: name ?? null }
    },
    quota: async (call) => quotaOf(await readUser(client, call, 'quota', 'space_amount,space_used')),
    stat: (call, ref) => stat(client, call, ref),
    list: (call, folder, cursor) => readFolder(context, call, 'list', folder, cursor),
    listAll: (call, cursor) => listAll(context, call, cursor),
    get: (call, ref, range) => download(client, call, ref, range ?? null),
    thumbnail: (call, ref, side) => thumbnail(client, call, ref, side),
    put: (call, entry, content, progress) => put(context, { call, entry, content, progress }),
    abandon: (call, session, isNeeded) => abandon(context, call, session, isNeeded),
    delete: (call, ref) => remove(client, call, ref),
    async ensureFolder(call, parent, name) {
      checkName(name, 'ensureFolder')
      return ensureFolder(client, call, parent, name)
    },
    move: (call, ref, to) => move(client, call, ref, to),
    trash: (call, ref) => trash(client, call, ref),
    restore: (call, ref, parent) => restore(client, call, ref, parent),
    copy: (call, ref, entry, progress) => copy(context, call, ref, entry, progress),
    changes: (call, cursor) => changes(context, call, cursor),
    share: (call, ref, expiresAt) => share(client, call, ref, expiresAt),
    unshare: (call, ref) => unshare(client, call, ref),
  }
}

type User = {
  readonly id?: string
  readonly login?: string
  readonly name?: string
  readonly space_amount?: number
  readonly space_used?: number
}

function readUser(client: ApiClient, call: Parameters<Driver['quota']>[0], operation: string, fields: string) {
  return client.ask<User>(call, operation, { method: 'GET', url: '/users/me', query: { fields } })
}

/** What Box reports as the space of accounts without a limit. */
const UNLIMITED = 999_999_999_999_999

/** The trash counts in `space_used`, but Box does not say how much of it. */
function quotaOf({ space_amount: total = 0, space_used: used }: User): ProviderQuota {
  const usedBytes = used ?? null
  if (total >= UNLIMITED) return { state: 'UNLIMITED', usedBytes, totalBytes: null }
  return total > 0
    ? { state: 'KNOWN', usedBytes, totalBytes: total }
    : { state: 'UNKNOWN', usedBytes, totalBytes: null }
}
