import type { Entry, EntryDetails, EntryRef } from '../driver.ts'
import type { S3Object } from './objects.ts'

/**
 * An entry is named by its key below the account's folder, after a slash; a folder also ends with one. Folders are what keys have in
 * common up to a slash: they need no object, and an empty one is an object of no bytes with the key of the folder.
 */
export const ROOT = '/' as EntryRef

/** Keys of 1,024 bytes are possible; longer names than this cannot be stored in most other places. */
export const MAX_NAME_BYTES = 255
const MAX_KEY_BYTES = 1024

export const isFolder = (ref: string): boolean => ref.endsWith('/')
/** `prefix`: the account's folder, empty or with a slash at its end. */
export const keyOf = (prefix: string, ref: string): string => prefix + ref.slice(1)
export const refOf = (prefix: string, key: string): EntryRef => `/${key.slice(prefix.length)}` as EntryRef
export const isKey = (key: string): boolean => Buffer.byteLength(key) <= MAX_KEY_BYTES

export function parentOf(ref: string): EntryRef {
  return ref.slice(0, ref.lastIndexOf('/', ref.length - 2) + 1) as EntryRef
}

export function nameOf(ref: string): string {
  return ref.slice(parentOf(ref).length).replace(/\/$/, '')
}

/** Whether it can be stored, and named in an address, of which some clients remove dots. */
export function isName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || Buffer.byteLength(name) > MAX_NAME_BYTES) return false
  return isSegment(name)
}

const isSegment = (name: string): boolean =>
  name !== '' && name !== '.' && name !== '..' && !/[/\p{Cc}]|\p{Surrogate}/u.test(name)

/** Whether the entry can be shown. Other clients can store keys such as `a//b`, which name no file in a folder. */
export const isShown = (ref: string): boolean => ref.slice(1).replace(/\/$/, '').split('/').every(isSegment)

const RIGHTS = { read: true, write: true, rename: true, move: true, delete: true, share: true }
/** The same in lists as of the entry alone: the media type of an object is not in lists. */
const DETAILS: Omit<EntryDetails, 'parent' | 'revision'> = {
  mimeType: null,
  createdAt: null,
  webUrl: null,
  nativeKind: null,
  exportTypes: [],
  target: null,
  rights: RIGHTS,
}

export function fileEntry(prefix: string, { key, size, etag, modifiedAt }: S3Object, hash: string | null): Entry {
  const ref = refOf(prefix, key)
  const details = { ...DETAILS, parent: parentOf(ref), revision: etag }
  return { ref, name: nameOf(ref), kind: 'file', size, modifiedAt, hash, details }
}

export function folderEntry(ref: EntryRef): Entry {
  const details = { ...DETAILS, parent: parentOf(ref), revision: null }
  return { ref, name: nameOf(ref), kind: 'folder', size: null, modifiedAt: null, hash: null, details }
}

export function rootEntry(): Entry {
  const rights = { read: true, write: true, rename: false, move: false, delete: false, share: false }
  const details = { ...DETAILS, parent: null, revision: null, rights }
  return { ref: ROOT, name: '', kind: 'folder', size: null, modifiedAt: null, hash: null, details }
}

/** The folders of `ref` that are not folders of `previous`, the outermost first: where refs come in order, each is new once. */
export function newFolders(previous: string | null, ref: string): EntryRef[] {
  const folders: EntryRef[] = []
  for (let at = ref.indexOf('/', 1); at !== -1; at = ref.indexOf('/', at + 1)) {
    const folder = ref.slice(0, at + 1)
    if (!previous?.startsWith(folder)) folders.push(folder as EntryRef)
  }
  return folders
}
