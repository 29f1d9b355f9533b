import type { Entry, EntryDetails, EntryRef } from '../driver.ts'
import { ProviderError } from '../errors.ts'
import { KIND } from './client.ts'

/** Metadata of a file or folder, as far as it is used (https://docs.pcloud.com/structures/metadata.html). */
export type Metadata = {
  /** 'f123' or 'd123'. */
  readonly id: string
  readonly name: string
  readonly isfolder: boolean
  readonly parentfolderid?: string
  readonly size?: number
  /** Changes with the content. */
  readonly hash?: string
  readonly contenttype?: string
  readonly created?: string
  readonly modified?: string
  readonly ismine?: boolean
  readonly canread?: boolean
  readonly canmodify?: boolean
  readonly candelete?: boolean
  readonly cancreate?: boolean
  readonly isdeleted?: boolean
  readonly contents?: readonly Metadata[]
}

/** pCloud names the folder itself and its entries by these ids in all metadata. */
export const ROOT = 'd0' as EntryRef

export const isFolder = (ref: EntryRef): boolean => ref.startsWith('d')

/** The number in a ref. @throws NotFound for what is no ref of this driver */
export function numberOf(ref: EntryRef, operation: string): string {
  const [, id] = /^[df](\d+)$/.exec(ref) ?? []
  if (id !== undefined) return id
  throw new ProviderError('NotFound', { provider: KIND, operation }, { message: 'pCloud has no such entry.' })
}

/** The parameter that names an entry. */
export function idIn(ref: EntryRef, operation: string): { readonly fileid?: string; readonly folderid?: string } {
  const id = numberOf(ref, operation)
  return isFolder(ref) ? { folderid: id } : { fileid: id }
}

export function entryOf(metadata: Metadata): Entry {
  const { id, name, isfolder, size } = metadata
  return {
    ref: id as EntryRef,
    name: id === ROOT ? '' : name,
    kind: isfolder ? 'folder' : 'file',
    size: isfolder ? null : (size ?? 0),
    modifiedAt: dateOf(metadata.modified),
    // Metadata has no checksum that a client can compute.
    hash: null,
    details: detailsOf(metadata),
  }
}

function detailsOf(metadata: Metadata): EntryDetails {
  const { id, isfolder, parentfolderid: parent, hash } = metadata
  const isRoot = id === ROOT
  return {
    parent: isRoot ? null : (`d${parent ?? 0}` as EntryRef),
    mimeType: isfolder ? null : (metadata.contenttype ?? null),
    createdAt: dateOf(metadata.created),
    revision: isfolder ? null : (hash ?? null),
    webUrl: `https://my.pcloud.com/#page=filemanager&folder=${isfolder ? id.slice(1) : (parent ?? 0)}`,
    nativeKind: null,
    exportTypes: [],
    target: null,
    rights: isRoot ? ROOT_RIGHTS : rightsOf(metadata),
  }
}

const ROOT_RIGHTS = { read: true, write: true, rename: false, move: false, delete: false, share: false }

/** Only what is in folders that others share says what is allowed. */
function rightsOf({ isfolder, canread, canmodify, candelete, cancreate, ismine }: Metadata) {
  const may = (right: boolean | undefined): boolean => right !== false
  return {
    read: may(canread),
    write: may(isfolder ? cancreate : canmodify),
    rename: may(canmodify),
    move: may(candelete),
    delete: may(candelete),
    share: may(ismine),
  }
}

/** RFC 1123. */
const dateOf = (text: string | undefined): Date | null => {
  const at = Date.parse(text ?? '')
  return Number.isNaN(at) ? null : new Date(at)
}

export const MAX_NAME = 255

/** Whether pCloud accepts a name, as far as is known before it is called. */
export function isName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || name.length > MAX_NAME) return false
  return !/[/\0]|\p{Surrogate}/u.test(name)
}

/** @throws BadName */
export function checkName(name: string, operation: string): void {
  if (isName(name)) return
  throw new ProviderError('BadName', { provider: KIND, operation }, { message: 'pCloud does not accept this name.' })
}
