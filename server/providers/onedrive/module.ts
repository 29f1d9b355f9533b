import type { Call, Capabilities, Driver, Identity, ProviderModule, ProviderQuota } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import type { Http } from '../shared/http.ts'
import {
  API,
  createContext,
  createGraphClient,
  DEFAULT_LIMITS,
  DRIVE,
  type GraphClient,
  KIND,
  type OneDriveContext,
  type OneDriveLimits,
  ROOT,
} from './client.ts'
import { copy } from './copy.ts'
import { download } from './download.ts'
import { OFFICE_NAME } from './entry.ts'
import { ensureFolder, isName, MAX_NAME, move, remove, stat } from './files.ts'
import { changes, list, listAll } from './listing.ts'
import { createMicrosoftOAuth } from './oauth.ts'
import { abandon, MAX_FILE_BYTES, put } from './put.ts'
import { share, unshare } from './sharing.ts'
import { thumbnail } from './thumbnail.ts'

export type OneDriveDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  /** Who may sign in; `common`: everyone. */
  readonly tenant?: string
  /** Smaller limits for tests. */
  readonly limits?: Partial<OneDriveLimits>
  readonly now?: () => number
}

/** OneDrive, personal and of organisations, by Microsoft Graph v1.0. */
export function oneDriveModule({ limits, now = Date.now, tenant = 'common', ...deps }: OneDriveDeps): ProviderModule {
  return {
    kind: KIND,
    signIn: { by: 'OAUTH', oauth: createMicrosoftOAuth({ ...deps, tenant, now }) },
    open: ({ accessToken }) =>
      createOneDrive(createContext(createGraphClient(deps.http, accessToken ?? ''), { ...DEFAULT_LIMITS, ...limits })),
  }
}

const CAPABILITIES: Capabilities = {
  hash: 'quickxor',
  duplicateNames: false,
  caseSensitive: false,
  maxObjectBytes: MAX_FILE_BYTES,
  maxNameLength: MAX_NAME,
  refusesName: (name) => !isName(name),
  // In accounts of organisations.
  rewrites: (name) => OFFICE_NAME.test(name),
  overwrites: true,
  nameUnit: 'utf16',
  maxConcurrency: 8,
  maxConcurrentWrites: 4,
  resumable: true,
}

/**
 * The driver of one account. It has no `trash`: personal accounts can restore by a call and those of organisations cannot, and
 * neither reports what is in its recycle bin.
 */
function createOneDrive(context: OneDriveContext): Driver {
  const { client } = context
  return {
    kind: KIND,
    capabilities: CAPABILITIES,
    root: ROOT,
    identity: (call) => identity(client, call),
    quota: async (call) => quotaOf(await client.ask<Drive>(call, 'quota', { url: `${DRIVE}?$select=id,quota` })),
    stat: (call, ref) => stat(client, call, ref),
    list: (call, folder, cursor) => list(context, call, folder, cursor),
    listAll: (call, cursor) => listAll(context, call, cursor),
    get: (call, ref, range) => download(client, call, ref, range ?? null),
    thumbnail: (call, ref, side) => thumbnail(client, call, ref, side),
    put: (call, entry, content, progress) => put(context, { call, entry, content, progress }),
    abandon: (call, session, isNeeded) => abandon(context, call, session, isNeeded),
    delete: (call, ref) => remove(client, call, ref),
    ensureFolder: (call, parent, name) => ensureFolder(client, call, parent, name),
    move: (call, ref, to) => move(context, call, ref, to),
    copy: (call, ref, entry, progress) => copy(context, call, ref, entry, progress),
    changes: (call, cursor) => changes(context, call, cursor),
    share: (call, ref, expiresAt) => share(client, call, ref, expiresAt),
    unshare: (call, ref) => unshare(client, call, ref),
  }
}

type User = {
  readonly id?: string
  readonly displayName?: string | null
  readonly mail?: string | null
  readonly userPrincipalName?: string | null
}

/** The subject is Graph's id of the user, which stays the same when the email address changes. */
async function identity(client: GraphClient, call: Call): Promise<Identity> {
  const url = `${API}/me?$select=id,displayName,mail,userPrincipalName`
  const { id, displayName, mail, userPrincipalName } = await client.ask<User>(call, 'identity', { url })
  if (id) return { subject: id, email: mail ?? userPrincipalName ?? null, name: displayName ?? null }
  const where = { provider: KIND, operation: 'identity' }
  throw new ProviderError('Transient', where, { message: 'The response names no user.' })
}

type Drive = { readonly quota?: { readonly total?: number; readonly used?: number; readonly deleted?: number } }

/** Some organisations report zeros: that is unknown. */
function quotaOf({ quota: { total = 0, used = 0, deleted = 0 } = {} }: Drive): ProviderQuota {
  if (total > 0) return { state: 'KNOWN', usedBytes: used, totalBytes: total, trashBytes: deleted }
  return { state: 'UNKNOWN', usedBytes: used > 0 ? used : null, totalBytes: null }
}
