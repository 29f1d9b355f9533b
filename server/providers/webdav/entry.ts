import type { Entry, EntryDetails, EntryRef, EntryRights } from '../driver.ts'
import { isFolderRef, nameOf, parentOf, ROOT } from './address.ts'
import type { DavAccess } from './client.ts'
import type { DavResource } from './multistatus.ts'

/** An entry, with what else identifies its content: the revision can be made of time and size. */
export type Found = { readonly entry: Entry; readonly fileId: string | null }

/** The entry of a resource that the server reported under `ref`. */
export function foundOf(access: DavAccess, ref: EntryRef, resource: DavResource): Found {
  const { properties } = resource
  const kind = isFolderRef(ref) ? 'folder' : 'file'
  const fileId = properties.get('fileid') || null
  const size = kind === 'file' ? numberOf(properties.get('getcontentlength')) : null
  const modifiedAt = dateOf(properties.get('getlastmodified'))
  const entry: Entry = {
    ref,
    name: nameOf(ref),
    kind,
    size,
    modifiedAt,
    hash: null,
    details: {
      ...detailsOf(access, ref, resource),
      revision: kind === 'file' ? revisionOf(resource, size, modifiedAt) : null,
    },
  }
  return { entry, fileId }
}

/** Without an etag, what the server has of time and size. */
function revisionOf({ properties }: DavResource, size: number | null, modifiedAt: Date | null): string {
  // Apache's etag of a file that was changed a moment ago is a weak one, and later a strong one of the same value.
  const etag = properties.get('getetag')?.replace(/^W\//, '')
  return etag || `${modifiedAt?.toISOString() ?? ''} ${size ?? ''}`
}

function detailsOf(access: DavAccess, ref: EntryRef, resource: DavResource): Omit<EntryDetails, 'revision'> {
  const { properties } = resource
  return {
    parent: ref === ROOT ? null : parentOf(ref),
    mimeType: isFolderRef(ref) ? null : properties.get('getcontenttype') || null,
    createdAt: dateOf(properties.get('creationdate')),
    webUrl: webUrlOf(access, properties.get('fileid')),
    nativeKind: null,
    exportTypes: [],
    target: null,
    rights: ref === ROOT ? ROOT_RIGHTS : rightsOf(resource),
  }
}

const ALL_RIGHTS: EntryRights = { read: true, write: true, rename: true, move: true, delete: true, share: true }
const NO_RIGHTS: EntryRights = { read: false, write: false, rename: false, move: false, delete: false, share: false }
const ROOT_RIGHTS: EntryRights = { ...NO_RIGHTS, read: true, write: true }

/** Plain servers report no rights. ownCloud's letters: W and C write, K create folders, N rename, V move, D delete, R share. */
function rightsOf({ status, isFolder, properties }: DavResource): EntryRights {
  if (status !== null && status >= 400) return NO_RIGHTS
  const letters = properties.get('permissions')
  if (letters === undefined) return ALL_RIGHTS
  const has = (letter: string): boolean => letters.includes(letter)
  const write = isFolder ? has('C') && has('K') : has('W')
  return { read: true, write, rename: has('N'), move: has('V'), delete: has('D'), share: has('R') }
}

function webUrlOf({ home }: DavAccess, fileId: string | undefined): string | null {
  if (home === null || !home.startsWith('https:') || !fileId || !/^\d+$/.test(fileId)) return null
  return `${home}index.php/f/${fileId}`
}

function numberOf(text: string | undefined): number | null {
  if (text === undefined || !/^\d+$/.test(text)) return null
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : null
}

function dateOf(text: string | undefined): Date | null {
  const date = new Date(text || Number.NaN)
  return Number.isNaN(date.getTime()) ? null : date
}
