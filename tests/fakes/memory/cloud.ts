import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  Capabilities,
  Credentials,
  EntryRef,
  EntryRights,
  ProviderQuota,
} from '../../../server/providers/driver.ts'
import { grant } from './access.ts'
import type { MemoryAccount, MemoryObject, MemoryService } from './account.ts'
import type { FaultHook, MemoryClock } from './faults.ts'
import type { ListingStyle } from './listing.ts'
import { ALL_RIGHTS, createTree, type Tree } from './tree.ts'

export type MemoryCloudOptions = {
  /** The word that accounts, modules and errors name the service by; `memory` unless told. */
  readonly kind?: string
  readonly capabilities?: Partial<Capabilities>
  readonly chunkBytes?: number
  readonly pageSize?: number
  readonly accessMs?: number
  readonly clock?: MemoryClock
  readonly newId?: () => string
  readonly fault?: FaultHook
  /** Folders first and each entry once, unless given. */
  readonly listing?: ListingStyle
}

export type NewAccount = {
  readonly subject: string
  readonly email?: string | null
  readonly name?: string | null
  /** A number of bytes; unlimited unless told. */
  readonly quota?: number | 'UNLIMITED' | 'UNKNOWN'
  readonly usedByOthersBytes?: number
}

/** A storage service with accounts, all in memory. What is done to it here happens outside of any driver. */
export type MemoryCloud = {
  readonly service: MemoryService
  /** May be replaced at any time; null: nothing goes wrong. */
  fault: FaultHook | null
  /** Of the pages of `listAll` that are asked for from now on. May be replaced at any time. */
  listing: ListingStyle
  readonly accounts: ReadonlyMap<string, MemoryAccount>
  addAccount(account: NewAccount): MemoryAccount
  /** Signs in without the web page: credentials as the module's `exchange` answers them. */
  signIn(subject: string): Credentials
  /** A code for `exchange`, as the consent page hands it out. */
  consent(subject: string, challenge: string, redirectUri: string): string
  readonly codes: Map<string, { readonly subject: string; readonly challenge: string; readonly redirectUri: string }>
  /** All access tokens of the account end now; its refresh tokens live on. */
  endAccess(subject: string): void
  /** The user takes our access away at the service: neither access nor refresh goes on. */
  takeAccess(subject: string): void
  setQuota(subject: string, quota: NonNullable<NewAccount['quota']>): void
  setUsedByOthers(subject: string, bytes: number): void
  tree(subject: string): Tree
  /** A shared drive that the account can see. @returns its reference */
  addDrive(subject: string, name: string): EntryRef
  /** Files and folders of the account but its root, in the order of their creation. */
  objects(subject: string): MemoryObject[]
  /** The file's bytes become others, from outside. */
  overwrite(subject: string, ref: EntryRef, bytes: Buffer): void
  /** What the account's user may do with an entry; the other rights stay as they are. Drivers refuse the rest. */
  setRights(subject: string, ref: EntryRef, rights: Partial<EntryRights>): void
  /** Every cursor of `changes` handed out so far is refused. */
  resetChanges(subject: string): void
  /** Every cursor of `listAll` handed out so far is refused. */
  resetListings(subject: string): void
}

const CAPABILITIES: Capabilities = {
  hash: 'sha256',
  duplicateNames: true,
  caseSensitive: true,
  maxObjectBytes: null,
  maxNameLength: 255,
  nameUnit: 'utf16',
  maxConcurrency: 8,
  maxConcurrentWrites: 4,
  resumable: true,
}

/** In every account, as services do that have a word for it. */
export const ROOT = 'root' as EntryRef

const REAL_CLOCK: MemoryClock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    await sleep(ms, undefined, { signal }).catch((error: unknown) => {
      signal.throwIfAborted()
      throw error
    })
  },
}

export function createMemoryCloud(options: MemoryCloudOptions = {}): MemoryCloud {
  const service: MemoryService = {
    kind: options.kind ?? 'memory',
    capabilities: { ...CAPABILITIES, ...options.capabilities },
    chunkBytes: options.chunkBytes ?? 256 * 1024,
    pageSize: options.pageSize ?? 100,
    accessMs: options.accessMs ?? 3_600_000,
    clock: options.clock ?? REAL_CLOCK,
    newId: options.newId ?? randomUUID,
  }
  const accounts = new Map<string, MemoryAccount>()
  const trees = new Map<string, Tree>()
  const codes: MemoryCloud['codes'] = new Map()
  const find = (subject: string): MemoryAccount => {
    const account = accounts.get(subject)
    if (!account) throw new Error(`The memory cloud has no account ${subject}.`)
    return account
  }
  const objectOf = (subject: string, ref: EntryRef): MemoryObject => {
    const object = find(subject).objects.get(ref)
    if (!object) throw new Error(`The account ${subject} has no entry ${ref}.`)
    return object
  }
  const tree = (subject: string): Tree => {
    const known = trees.get(subject) ?? createTree(service, find(subject))
    trees.set(subject, known)
    return known
  }

  return {
    service,
    fault: options.fault ?? null,
    listing: options.listing ?? { order: 'FOLDERS_FIRST', repeated: 0 },
    accounts,
    codes,
    tree,
    addDrive(subject, name) {
      const rights = { ...ALL_RIGHTS, rename: false, move: false, delete: false, share: false }
      const folder = { parent: null, kind: 'folder', bytes: Buffer.alloc(0), mimeType: null } as const
      return tree(subject).add({ ...folder, name, rights, isDrive: true }).ref
    },
    addAccount(added) {
      const account = emptyAccount(service, added)
      accounts.set(added.subject, account)
      return account
    },
    signIn: (subject) => grant(service, find(subject)),
    consent(subject, challenge, redirectUri) {
      const code = service.newId()
      codes.set(code, { subject: find(subject).subject, challenge, redirectUri })
      return code
    },
    endAccess(subject) {
      const { access } = find(subject)
      for (const token of access.keys()) access.set(token, 0)
    },
    takeAccess(subject) {
      this.endAccess(subject)
      find(subject).refresh.clear()
    },
    setUsedByOthers(subject, bytes) {
      find(subject).usedByOthersBytes = bytes
    },
    setQuota(subject, quota) {
      find(subject).quota = quotaOf(quota)
    },
    objects: (subject) => [...find(subject).objects.values()].filter(({ ref }) => ref !== ROOT),
    overwrite(subject, ref, bytes) {
      const object = objectOf(subject, ref)
      Object.assign(object, { bytes, revision: object.revision + 1 })
      tree(subject).changed(object)
    },
    setRights(subject, ref, rights) {
      const object = objectOf(subject, ref)
      object.rights = { ...object.rights, ...rights }
      find(subject).changed.push(ref)
    },
    resetListings: (subject) => find(subject).listings.clear(),
    resetChanges(subject) {
      const account = find(subject)
      account.changesFrom = account.changed.push(account.root)
    },
  }
}

function quotaOf(quota: NonNullable<NewAccount['quota']>): Pick<ProviderQuota, 'state' | 'totalBytes'> {
  return typeof quota === 'number' ? { state: 'KNOWN', totalBytes: quota } : { state: quota, totalBytes: null }
}

function emptyAccount({ clock }: MemoryService, added: NewAccount): MemoryAccount {
  const root = ROOT
  const folder: MemoryObject = {
    ref: root,
    number: 0,
    parent: null,
    isDrive: false,
    name: '',
    kind: 'folder',
    bytes: Buffer.alloc(0),
    mimeType: null,
    nativeKind: null,
    target: null,
    rights: { ...ALL_RIGHTS, rename: false, move: false, delete: false },
    createdAt: clock.now(),
    modifiedAt: clock.now(),
    listedFrom: 0,
    revision: 1,
    trashed: false,
    link: null,
  }
  return {
    subject: added.subject,
    email: added.email ?? `${added.subject}@example.com`,
    name: added.name ?? added.subject,
    root,
    quota: quotaOf(added.quota ?? 'UNLIMITED'),
    usedByOthersBytes: added.usedByOthersBytes ?? 0,
    receivedBytes: 0,
    objects: new Map([[root, folder]]),
    uploads: new Map(),
    changed: [],
    changesFrom: 0,
    listings: new Map(),
    access: new Map(),
    refresh: new Set(),
  }
}
