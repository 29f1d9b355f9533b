import type { Entry, EntryDetails, EntryRef, EntryRights, NativeKind } from '../driver.ts'

/** The fields requested of an item. */
export const ITEM_FIELDS =
  'id,name,size,eTag,createdDateTime,lastModifiedDateTime,fileSystemInfo,webUrl,parentReference,file,folder,root,package,remoteItem,deleted'

type Times = { readonly createdDateTime?: string; readonly lastModifiedDateTime?: string }

/** A driveItem of Graph (learn.microsoft.com/graph/api/resources/driveitem), as far as it is used. */
export type GraphItem = Times & {
  readonly id: string
  /** Absent for deleted items. */
  readonly name?: string
  readonly size?: number
  readonly eTag?: string
  /** As its owner's programs have set them. */
  readonly fileSystemInfo?: Times
  readonly webUrl?: string
  readonly parentReference?: { readonly id?: string; readonly driveType?: string }
  readonly file?: { readonly mimeType?: string; readonly hashes?: { readonly quickXorHash?: string } }
  readonly folder?: object
  readonly root?: object
  /** A OneNote notebook. */
  readonly package?: object
  /** Something in another drive, of which this is a shortcut. */
  readonly remoteItem?: object
  readonly deleted?: object
}

export function entryOf(item: GraphItem): Entry {
  const nativeKind = nativeKindOf(item)
  const isFolder = nativeKind === null && item.folder !== undefined
  const { fileSystemInfo: own } = item
  return {
    ref: item.id as EntryRef,
    name: item.name ?? '',
    kind: isFolder ? 'folder' : 'file',
    size: isFolder || nativeKind !== null ? null : (item.size ?? 0),
    modifiedAt: dateOf(own?.lastModifiedDateTime ?? item.lastModifiedDateTime),
    hash: isFolder || isRewritten(item) ? null : storedHash(item),
    details: detailsOf(item, isFolder, nativeKind),
  }
}

function detailsOf(item: GraphItem, isFolder: boolean, nativeKind: NativeKind | null): EntryDetails {
  return {
    parent: item.root ? null : ((item.parentReference?.id ?? null) as EntryRef | null),
    mimeType: item.file?.mimeType ?? null,
    createdAt: dateOf(item.fileSystemInfo?.createdDateTime ?? item.createdDateTime),
    revision: isFolder ? null : revisionOf(item),
    webUrl: item.webUrl ?? null,
    nativeKind,
    exportTypes: [],
    target: null,
    rights: rightsOf(item),
  }
}

/**
 * By the content. Lists of changes lack the cTag in accounts of organisations, and the eTag changes with the name too: it stands in
 * where there is no hash.
 */
export function revisionOf(item: GraphItem): string | null {
  return storedHash(item) ?? item.eTag ?? null
}

/** QuickXorHash in hex, of what the service has stored. OneDrive reports it in base64. */
export function storedHash({ file }: GraphItem): string | null {
  const text = file?.hashes?.quickXorHash
  return text ? Buffer.from(text, 'base64').toString('hex') : null
}

/** Notebooks have no bytes, and shortcuts lead to drives that are not shown. */
function nativeKindOf({ package: notebook, remoteItem }: GraphItem): NativeKind | null {
  if (remoteItem) return 'SHORTCUT'
  return notebook ? 'OTHER' : null
}

/** The account is the owner of everything in its drive. */
function rightsOf({ root }: GraphItem): EntryRights {
  const isItem = root === undefined
  return { read: true, write: true, rename: isItem, move: isItem, delete: isItem, share: isItem }
}

export const OFFICE_NAME = /\.(doc|dot|xls|xlt|xlsb|ppt|pot|pps|vsd)[xm]?$/i

/**
 * Whether the service may change the file when it stores it: SharePoint writes properties into Office documents, after which size
 * and hash are not those of what was sent (rclone.org/onedrive, "Unexpected file size/hash differences on Sharepoint").
 */
export function isRewritten({ name = '', parentReference }: GraphItem): boolean {
  return (parentReference?.driveType ?? 'personal') !== 'personal' && OFFICE_NAME.test(name)
}

const dateOf = (text: string | undefined): Date | null => (text ? new Date(text) : null)
