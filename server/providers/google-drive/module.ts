import type { drive_v3 } from 'googleapis/build/src/apis/drive/index.js'
import type { Call, Capabilities, Driver, EntryRef, Identity, ProviderModule, ProviderQuota } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { createGoogleOAuth } from '../shared/googleOauth.ts'
import type { Http } from '../shared/http.ts'
import { changes } from './changes.ts'
import { createDriveClient, createIds, DEFAULT_LIMITS, type DriveClient, type DriveLimits, KIND } from './client.ts'
import { download, exportAs } from './download.ts'
import { ensureFolder, move, remove, restore, roots, stat, trash } from './files.ts'
import { list, listAll } from './listing.ts'
import { abandon, copy, put } from './put.ts'
import { share, unshare } from './sharing.ts'
import { thumbnail } from './thumbnail.ts'

export type GoogleScope = 'drive' | 'drive.file'
export type GoogleDriveDeps = {
  readonly http: Http
  readonly clientId: string
  readonly clientSecret: string
  /** `drive`: all files of the account; `drive.file`: only those that Skypool creates. */
  readonly scope: GoogleScope
  /** Smaller limits for tests. */
  readonly limits?: Partial<DriveLimits>
  readonly now?: () => number
}

/** Google Drive, API v3. */
export function googleDriveModule({ limits, now = Date.now, ...deps }: GoogleDriveDeps): ProviderModule {
  return {
    kind: KIND,
    signIn: {
      by: 'OAUTH',
      oauth: createGoogleOAuth({
        ...deps,
        provider: KIND,
        callbackName: 'google',
        scopes: [`https://www.googleapis.com/auth/${deps.scope}`],
        service: 'Google Drive',
        now,
      }),
    },
    open: ({ accessToken }) =>
      createGoogleDrive(createDriveClient(deps.http, accessToken ?? ''), { ...DEFAULT_LIMITS, ...limits }, deps.scope),
  }
}

const CAPABILITIES: Capabilities = {
  hash: 'md5',
  duplicateNames: true,
  caseSensitive: true,
  // Drive's own maxUploadSize.
  maxObjectBytes: 5_242_880_000_000,
  maxNameLength: 255,
  overwrites: true,
  nameUnit: 'utf16',
  maxConcurrency: 10,
  maxConcurrentWrites: 4,
  resumable: true,
}

/** The driver of one account. Files in the trash are treated as deleted. */
function createGoogleDrive(client: DriveClient, limits: DriveLimits, scope: GoogleScope): Driver {
  const context = { client, limits, ids: createIds(client), capabilities: CAPABILITIES }
  return {
    kind: KIND,
    capabilities: CAPABILITIES,
    root: 'root' as EntryRef,
    identity: (call) => identity(client, call),
    async quota(call) {
      const fields = 'storageQuota(limit,usage,usageInDriveTrash)'
      const about = await client.ask(call, 'quota', (api, options) => api.about.get({ fields }, options))
      return quotaOf(about.storageQuota)
    },
    stat: (call, ref) => stat(client, call, ref),
    list: (call, folder, cursor) => list(context, call, folder, cursor),
    // With `drive.file`, Drive lists only what Skypool stores, and does not name the root.
    ...(scope === 'drive' && {
      listAll: (call: Call, cursor: string | null, extraRoots?: readonly EntryRef[]) =>
        listAll(context, call, cursor, extraRoots),
      roots: (call: Call) => roots(client, call),
    }),
    get: (call, ref, range) => download(client, call, ref, range ?? null),
    export: (call, ref, type) => exportAs(client, call, ref, type),
    thumbnail: (call, ref, side) => thumbnail(client, call, ref, side),
    put: (call, entry, content, progress) => put(context, { call, entry, content, progress }),
    abandon: (call, session, isNeeded) => abandon(context, call, session, isNeeded),
    delete: (call, ref) => remove(client, call, ref),
    ensureFolder: (call, parent, name) => ensureFolder(client, call, parent, name),
    move: (call, ref, to) => move(client, call, ref, to),
    trash: (call, ref) => trash(client, call, ref),
    restore: (call, ref, parent) => restore(client, call, ref, parent),
    copy: (call, ref, entry, progress) => copy(context, call, ref, entry, progress),
    changes: (call, cursor, extraRoots) => changes(context, call, cursor, extraRoots),
    share: (call, ref, expiresAt) => share(client, call, ref, expiresAt),
    unshare: (call, ref) => unshare(client, call, ref),
  }
}

/** The subject is Drive's id of the user (`permissionId`), which stays the same when the email address changes. */
async function identity(client: DriveClient, call: Call): Promise<Identity> {
  const fields = 'user(permissionId,emailAddress,displayName)'
  const { user } = await client.ask(call, 'identity', (api, options) => api.about.get({ fields }, options))
  if (user?.permissionId) {
    return { subject: user.permissionId, email: user.emailAddress ?? null, name: user.displayName ?? null }
  }
  throw new ProviderError(
    'Transient',
    { provider: KIND, operation: 'identity' },
    { message: 'The response names no user.' },
  )
}

/** Drive omits the limit of unlimited accounts. */
function quotaOf(quota: drive_v3.Schema$About['storageQuota']): ProviderQuota {
  const usedBytes = byteCount(quota?.usage)
  const trashBytes = byteCount(quota?.usageInDriveTrash)
  if (!quota) return { state: 'UNKNOWN', usedBytes: null, totalBytes: null }
  const totalBytes = byteCount(quota.limit)
  if (totalBytes === null) return { state: 'UNLIMITED', usedBytes, totalBytes: null, trashBytes }
  return { state: 'KNOWN', usedBytes, totalBytes, trashBytes }
}

function byteCount(text: string | null | undefined): number | null {
  return text === null || text === undefined || !/^\d+$/.test(text) ? null : Number(text)
}
