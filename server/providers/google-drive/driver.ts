import type { Call, Capabilities, Driver, EntryRef, Identity } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { changes } from './changes.ts'
import type { DriveClient } from './client.ts'
import { copy } from './copy.ts'
import { download } from './download.ts'
import { ensureFolder, fileOf, list, move } from './files.ts'
import { createIds } from './ids.ts'
import { abandon, put } from './put.ts'
import type { DriveLimits } from './putJob.ts'
import { remove } from './remove.ts'
import { share, unshare } from './sharing.ts'
import { entryOf, KIND, quotaOf } from './wire.ts'

const CAPABILITIES: Capabilities = {
  hash: 'md5',
  duplicateNames: true,
  caseSensitive: true,
  // Drive's own maxUploadSize.
  maxObjectBytes: 5_242_880_000_000,
  maxNameLength: 255,
  nameUnit: 'utf16',
  maxConcurrency: 10,
  maxConcurrentWrites: 4,
  resumable: true,
}

/** Google Drive of one account. Files in the trash are gone to it. */
export function createGoogleDrive(client: DriveClient, limits: DriveLimits): Driver {
  const context = { client, limits, ids: createIds(client), capabilities: CAPABILITIES }
  return {
    kind: KIND,
    capabilities: CAPABILITIES,
    root: 'root' as EntryRef,
    identity: (call) => identity(client, call),
    async quota(call) {
      const fields = 'storageQuota(limit,usage)'
      const about = await client.ask(call, 'quota', (api, options) => api.about.get({ fields }, options))
      return quotaOf(about.storageQuota)
    },
    stat: async (call, ref) => entryOf(await fileOf(client, call, 'stat', ref)),
    list: (call, folder, cursor) => list(context, call, folder, cursor),
    get: (call, ref, range) => download(client, call, ref, range ?? null),
    put: (call, entry, content, progress) => put(context, { call, entry, content, progress }),
    abandon: (call, session) => abandon(context, call, session),
    delete: (call, ref) => remove(client, call, ref),
    ensureFolder: (call, parent, name) => ensureFolder(client, call, parent, name),
    move: (call, ref, to) => move(client, call, ref, to),
    copy: (call, ref, entry, progress) => copy(context, call, ref, entry, progress),
    changes: (call, cursor) => changes(context, call, cursor),
    share: (call, ref, expiresAt) => share(client, call, ref, expiresAt),
    unshare: (call, ref) => unshare(client, call, ref),
  }
}

/** The subject is Drive's own id of the user (`permissionId`): it stays when the address changes. */
async function identity(client: DriveClient, call: Call): Promise<Identity> {
  const fields = 'user(permissionId,emailAddress,displayName)'
  const { user } = await client.ask(call, 'identity', (api, options) => api.about.get({ fields }, options))
  if (user?.permissionId) {
    return { subject: user.permissionId, email: user.emailAddress ?? null, name: user.displayName ?? null }
  }
  throw new ProviderError('Transient', { provider: KIND, operation: 'identity' }, { message: 'Nobody is named.' })
}
