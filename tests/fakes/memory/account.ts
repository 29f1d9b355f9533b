import { createContentHash } from '../../../server/lib/contentHash.ts'
import {
  type Capabilities,
  type Entry,
  type EntryDetails,
  type EntryRef,
  type EntryRights,
  type NativeKind,
  type ProviderQuota,
  SHARED_WITH_ME,
} from '../../../server/providers/driver.ts'
import type { ExportType } from '../../../server/providers/exportTypes.ts'
import type { MemoryClock } from './faults.ts'

export type MemoryObject = {
  readonly ref: EntryRef
  /** Order of creation. */
  readonly number: number
  /** Null for the root, for shared drives, and for what others share with the account. */
  parent: EntryRef | null
  /** A shared drive: a tree beside the account's own one. */
  readonly isDrive: boolean
  name: string
  readonly kind: 'file' | 'folder'
  bytes: Buffer
  mimeType: string | null
  /** Of a document that has no bytes, and of a shortcut to `target`. */
  readonly nativeKind: NativeKind | null
  readonly target: EntryRef | null
  rights: EntryRights
  readonly createdAt: number
  modifiedAt: number
  /** Counts the contents that it has had. */
  revision: number
  /** It is in the trash itself; what a trashed folder contains is in the trash too. */
  trashed: boolean
  /** Lists do not show it before. */
  listedFrom: number
  link: { readonly url: string; readonly expiresAt: Date | null } | null
}

/** What was sent of a content; `stored` once it is an object. */
export type Upload = {
  readonly id: string
  readonly size: number
  bytes: Buffer[]
  length: number
  stored: EntryRef | null
}

/** One login of the service and all that is in it. */
export type MemoryAccount = {
  readonly subject: string
  readonly email: string | null
  readonly name: string | null
  readonly root: EntryRef
  quota: Pick<ProviderQuota, 'state' | 'totalBytes'>
  /** Counts against the quota, without being in the tree. */
  usedByOthersBytes: number
  /** Bytes of contents that uploads have brought, sent twice counted twice. */
  receivedBytes: number
  readonly objects: Map<EntryRef, MemoryObject>
  readonly uploads: Map<string, Upload>
  /** Every change in its order. */
  readonly changed: EntryRef[]
  /** Cursors before it are refused. */
  changesFrom: number
  /** Listings of everything that can be continued, by id: what was there when they began. */
  readonly listings: Map<string, readonly EntryRef[]>
  /** Access tokens and when they end; refresh tokens. */
  readonly access: Map<string, number>
  readonly refresh: Set<string>
}

/** What the accounts of a service have in common. */
export type MemoryService = {
  readonly kind: string
  readonly capabilities: Capabilities
  /** Uploads go in chunks of that size. */
  readonly chunkBytes: number
  readonly pageSize: number
  /** How long an access token lives. */
  readonly accessMs: number
  readonly clock: MemoryClock
  readonly newId: () => string
}

export function usedBytes(account: MemoryAccount): number {
  let used = account.usedByOthersBytes
  for (const { bytes } of account.objects.values()) used += bytes.length
  return used
}

/** False where a content of that size has no room. */
export function hasRoom(account: MemoryAccount, size: number): boolean {
  const { totalBytes } = account.quota
  return totalBytes === null || usedBytes(account) + size <= totalBytes
}

/** The folder of what others share, as an entry. */
export function sharedWithMe(root: EntryRef): Entry {
  const rights = { read: true, write: false, rename: false, move: false, delete: false, share: false }
  const details = { parent: root, isExtraRoot: true, mimeType: null, createdAt: null, revision: null, webUrl: null }
  const kind = { nativeKind: null, exportTypes: [], target: null, rights }
  return {
    ref: SHARED_WITH_ME,
    name: 'Shared with me',
    kind: 'folder',
    size: null,
    modifiedAt: null,
    hash: null,
    details: { ...details, ...kind },
  }
}

export function entryOf(service: MemoryService, object: MemoryObject): Entry {
  const { ref, name, kind, bytes } = object
  const hasBytes = kind === 'file' && object.nativeKind === null
  return {
    ref,
    name,
    kind,
    size: hasBytes ? bytes.length : null,
    modifiedAt: new Date(object.modifiedAt),
    hash: hasBytes ? hashOf(service, bytes) : null,
    details: detailsOf(service, object),
  }
}

function detailsOf(service: MemoryService, object: MemoryObject): EntryDetails {
  const { ref, kind, mimeType, nativeKind, target, rights, isDrive } = object
  // As drivers name the root folder of an account.
  const root = 'root' as EntryRef
  const outside = isDrive ? root : SHARED_WITH_ME
  return {
    parent: object.parent ?? (ref === root ? null : outside),
    ...(isDrive && { isExtraRoot: true }),
    mimeType,
    createdAt: new Date(object.createdAt),
    revision: kind === 'file' ? String(object.revision) : null,
    webUrl: `https://${service.kind}.invalid/open/${ref}`,
    nativeKind,
    exportTypes: exportTypesOf(object),
    target,
    rights,
  }
}

/** As services do it that have such documents. */
export function exportTypesOf({ nativeKind }: Pick<MemoryObject, 'nativeKind'>): readonly ExportType[] {
  if (nativeKind === 'DOCUMENT') return ['docx', 'pdf', 'md']
  return nativeKind === 'SPREADSHEET' ? ['xlsx', 'pdf', 'csv'] : []
}

export function hashOf({ capabilities }: MemoryService, bytes: Uint8Array): string | null {
  if (capabilities.hash === null) return null
  const hash = createContentHash(capabilities.hash)
  hash.update(bytes)
  return hash.digest()
}
