import type { Entry, EntryDetails, EntryRef, EntryRights } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { KIND } from './client.ts'

/** An item as Box reports it, as far as it is used. */
export type BoxItem = {
  readonly type: string
  readonly id: string
  readonly etag: string | null
  readonly name: string
  readonly size?: number
  readonly sha1?: string
  readonly file_version?: { readonly id: string } | null
  readonly created_at?: string | null
  readonly modified_at?: string | null
  readonly content_modified_at?: string | null
  readonly parent?: { readonly id: string } | null
  readonly permissions?: Readonly<Record<string, boolean>>
}

/** The fields requested of an item: Box returns no others, and permissions only on request. */
export const FIELDS =
  'type,id,etag,name,size,sha1,file_version,created_at,modified_at,content_modified_at,parent,permissions'

const ROOT_ID = '0'

/** Files, folders and bookmarks count their ids separately: a ref begins with a letter for the type. */
const LETTERS = { file: 'f', folder: 'd', web_link: 'w' } as const
const PATHS: Readonly<Record<string, string>> = { f: 'files', d: 'folders', w: 'web_links' }

export const ROOT = `d${ROOT_ID}` as EntryRef

type ItemType = keyof typeof LETTERS

const isItemType = (type: string): type is ItemType => Object.hasOwn(LETTERS, type)

/** Null for types that are not shown. */
export function refOf(type: string, id: string): EntryRef | null {
  return isItemType(type) ? (`${LETTERS[type]}${id}` as EntryRef) : null
}

export const isFolder = (ref: EntryRef): boolean => ref.startsWith('d')
export const isFile = (ref: EntryRef): boolean => ref.startsWith('f')

/** The id without its type. */
export const idOf = (ref: EntryRef): string => ref.slice(1)

/** The path of an item in the API. @throws NotFound for what is no ref of this driver */
export function pathOf(ref: EntryRef, operation: string): string {
  const [, letter = '', id] = /^([fdw])(\d+)$/.exec(ref) ?? []
  if (id !== undefined) return `/${PATHS[letter]}/${id}`
  throw new ProviderError('NotFound', { provider: KIND, operation }, { message: 'Box has no such item.' })
}

export function entryOf(item: BoxItem): Entry {
  const isContent = item.type === 'file'
  const modified = (isContent ? item.content_modified_at : null) ?? item.modified_at
  return {
    ref: refOf(item.type, item.id) ?? (item.id as EntryRef),
    name: item.id === ROOT_ID ? '' : item.name,
    kind: item.type === 'folder' ? 'folder' : 'file',
    size: isContent ? sizeOf(item) : null,
    modifiedAt: dateOf(modified),
    hash: isContent ? (item.sha1?.toLowerCase() ?? null) : null,
    details: detailsOf(item),
  }
}

export const sizeOf = ({ size }: BoxItem): number => size ?? 0

/** A file's version changes with its content alone; its etag also with its name and folder. */
export const revisionOf = ({ file_version: version, etag }: BoxItem): string | null => version?.id ?? etag

function detailsOf(item: BoxItem): EntryDetails {
  const isRoot = item.type === 'folder' && item.id === ROOT_ID
  return {
    parent: isRoot ? null : ((item.parent && refOf('folder', item.parent.id)) ?? ROOT),
    mimeType: null,
    createdAt: dateOf(item.created_at),
    revision: item.type === 'folder' ? null : revisionOf(item),
    webUrl: `https://app.box.com/${item.type}/${item.id}`,
    nativeKind: item.type === 'web_link' ? 'OTHER' : null,
    exportTypes: [],
    target: null,
    rights: isRoot ? ROOT_RIGHTS : rightsOf(item),
  }
}

const ROOT_RIGHTS = { read: true, write: true, rename: false, move: false, delete: false, share: false }

/** What Box does not mention is allowed: it refuses by itself what is not. */
function rightsOf({ type, permissions }: BoxItem): EntryRights {
  const may = (name: string): boolean => permissions?.[name] !== false
  return {
    read: type === 'file' ? may('can_download') : type === 'folder',
    write: type !== 'web_link' && may('can_upload'),
    rename: may('can_rename'),
    // Box takes a moved item out of one folder.
    move: may('can_delete'),
    delete: may('can_delete'),
    share: may('can_share'),
  }
}

const dateOf = (text: string | null | undefined): Date | null => (text ? new Date(text) : null)
