import type { Driver } from '../driver.ts'
import { CAPABILITIES } from './capabilities.ts'
import type { DropboxClient } from './client.ts'
import { copy } from './copy.ts'
import { download } from './download.ts'
import { changes, ensureFolder, list, move, remove, stat } from './files.ts'
import { abandon, put } from './put.ts'
import type { DropboxLimits } from './putJob.ts'
import { share, unshare } from './sharing.ts'
import { KIND, quotaOf, ROOT } from './wire.ts'

/** Dropbox of one account. */
export function createDropboxDriver(client: DropboxClient, limits: DropboxLimits): Driver {
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
    get: (call, ref, range) => download(client, call, ref, range ?? null),
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
