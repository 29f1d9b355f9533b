import type { Call, Capabilities, Credentials, Driver, Identity, ProviderModule, ProviderQuota } from '../driver.ts'
import type { Http } from '../shared/http.ts'
import { createMegaClient, type MegaClient } from './client.ts'
import { fromBase64 } from './crypto.ts'
import { type Addresses, download } from './download.ts'
import { failed, KIND } from './errors.ts'
import {
  ensureFolder,
  MAX_NAME,
  type MegaContext,
  type MegaLimits,
  move,
  remove,
  restore,
  stat,
  trash,
} from './files.ts'
import { changes, createOrder, list, listAll } from './listing.ts'
import { megaForm } from './login.ts'
import { abandon, copy, put } from './put.ts'
import { share, unshare } from './sharing.ts'
import { createTree, ROOT } from './tree.ts'

export type MegaDeps = {
  readonly http: Http
  /** Smaller limits for tests. */
  readonly limits?: Partial<MegaLimits>
}

const DEFAULT_LIMITS: MegaLimits = { partBytes: 8 * 1024 * 1024, pageSize: 1000 }

const CAPABILITIES: Capabilities = {
  // Contents are encrypted here: MEGA cannot know a hash of them.
  hash: null,
  duplicateNames: true,
  caseSensitive: true,
  maxObjectBytes: null,
  maxNameLength: MAX_NAME,
  nameUnit: 'utf16',
  maxConcurrency: 6,
  maxConcurrentWrites: 3,
  resumable: true,
}

/** MEGA, by the API that its programs use: everything is encrypted and decrypted here. */
export function megaModule({ http, limits }: MegaDeps): ProviderModule {
  return {
    kind: KIND,
    signIn: { by: 'FORM', form: megaForm(http) },
    open: (credentials) => createDriver(http, credentials, { ...DEFAULT_LIMITS, ...limits }),
  }
}

/** The driver of one account. Drivers are opened without credentials too, for their capabilities: every call of those is refused. */
function createDriver(http: Http, { session, masterKey, user }: Credentials, limits: MegaLimits): Driver {
  const client = createMegaClient(http, session ?? '')
  const tree = createTree(client, fromBase64(masterKey ?? ''), user ?? '')
  const context: MegaContext = { client, tree, limits, order: createOrder() }
  const addresses: Addresses = new Map()
  return {
    kind: KIND,
    capabilities: CAPABILITIES,
    root: ROOT,
    identity: (call) => identity(client, call),
    quota: (call) => quota(context, call),
    stat: (call, ref) => stat(context, call, ref),
    list: (call, folder, cursor) => list(context, call, folder, cursor),
    listAll: (call, cursor) => listAll(context, call, cursor),
    get: (call, ref, range) => download(context, addresses, call, ref, range ?? null),
    put: (call, entry, content, progress) => put(context, { call, entry, content, progress }),
    abandon: (call, saved, isNeeded) => abandon(context, call, saved, isNeeded),
    delete: (call, ref) => remove(context, call, 'delete', ref),
    ensureFolder: (call, parent, name) => ensureFolder(context, call, parent, name),
    move: (call, ref, to) => move(context, call, ref, to),
    trash: (call, ref) => trash(context, call, ref),
    restore: (call, ref, parent) => restore(context, call, ref, parent),
    copy: (call, ref, entry, progress) => copy(context, call, ref, entry, progress),
    changes: (call, cursor) => changes(context, call, cursor),
    share: (call, ref, expiresAt) => share(context, call, ref, expiresAt),
    unshare: (call, ref) => unshare(context, call, ref),
  }
}

/** The subject is the handle of the user, which stays the same when the email address changes. */
async function identity(client: MegaClient, call: Call): Promise<Identity> {
  const { u, email, name } = (await client.ask(call, 'identity', { a: 'ug' })) as Record<string, unknown>
  if (typeof u !== 'string') throw failed('identity', 'Transient', 'The response names no user.')
  const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
  return { subject: u, email: text(email), name: text(name) }
}

/** The rubbish bin counts. Its size is reported per folder, by a handle that is known once the tree is loaded. */
async function quota({ client, tree }: MegaContext, call: Call): Promise<ProviderQuota> {
  const result = await client.ask(call, 'quota', { a: 'uq', strg: 1, xfer: 1 })
  const { cstrg, mstrg, cstrgn } = result as { cstrg?: unknown; mstrg?: unknown; cstrgn?: Record<string, unknown> }
  const usedBytes = typeof cstrg === 'number' ? cstrg : null
  const inTrash = tree.isLoaded ? cstrgn?.[tree.trash] : undefined
  const trashBytes = Array.isArray(inTrash) && typeof inTrash[0] === 'number' ? inTrash[0] : null
  if (typeof mstrg !== 'number') return { state: 'UNKNOWN', usedBytes, totalBytes: null, trashBytes }
  return { state: 'KNOWN', usedBytes, totalBytes: mstrg, trashBytes }
}
