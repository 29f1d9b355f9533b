import type { files, users } from 'dropbox'
import type { Change, Entry, EntryRef, ProviderQuota } from '../driver.ts'

export const KIND = 'dropbox'
/** The folder that holds all; Dropbox itself names it by no letter at all. */
export const ROOT = '/' as EntryRef

type Metadata = files.FileMetadata | files.FolderMetadata
/** With its tag, as in lists, or without it, as uploads answer: a folder has no size. */
export type DropboxEntry = Metadata | files.FileMetadataReference | files.FolderMetadataReference

export function entryOf(metadata: DropboxEntry): Entry {
  const file = 'size' in metadata ? metadata : null
  return {
    ref: metadata.id as EntryRef,
    name: metadata.name,
    kind: file ? 'file' : 'folder',
    size: file?.size ?? null,
    modifiedAt: file ? new Date(file.server_modified) : null,
    hash: file?.content_hash?.toLowerCase() ?? null,
    ...(metadata.path_lower !== undefined && { path: metadata.path_lower }),
  }
}

/** Deletions are told by path alone; of a folder once, without what was in it. */
export function changesOf(entries: files.ListFolderResult['entries']): readonly Change[] {
  return entries.flatMap((metadata): Change[] => {
    if (isThere(metadata)) return [{ ref: metadata.id as EntryRef, entry: entryOf(metadata) }]
    return metadata.path_lower === undefined ? [] : [{ ref: null, path: metadata.path_lower, entry: null }]
  })
}

/** What is deleted stands in lists as well. */
export function isThere(
  metadata: files.ListFolderResult['entries'][number],
): metadata is files.FileMetadataReference | files.FolderMetadataReference {
  return metadata['.tag'] !== 'deleted'
}

/** Of a team the member's own limit counts where there is one, else what all members share. */
export function quotaOf({ used, allocation }: users.SpaceUsage): ProviderQuota {
  if (allocation['.tag'] === 'individual') return known(used, allocation.allocated)
  if (allocation['.tag'] !== 'team') return { state: 'UNKNOWN', usedBytes: used, totalBytes: null }
  const own = allocation.user_within_team_space_allocated
  return own > 0 ? known(used, own) : known(allocation.used, allocation.allocated)
}

function known(usedBytes: number, totalBytes: number): ProviderQuota {
  if (totalBytes > 0) return { state: 'KNOWN', usedBytes, totalBytes }
  return { state: 'UNKNOWN', usedBytes, totalBytes: null }
}

/** For calls that take the root as well. */
export function folderPath(ref: EntryRef): string {
  return ref === ROOT ? '' : ref
}

/** Dropbox goes on from an id as from a path. */
export function pathIn(parent: EntryRef, name: string): string {
  return `${folderPath(parent)}/${name}`
}

const IGNORED_NAMES = new Set(['desktop.ini', 'thumbs.db', '.ds_store', 'icon\r', '.dropbox', '.dropbox.attr'])
export const MAX_NAME = 255

/** What Dropbox takes for a name, as far as it can be told before it is asked. */
export function isName(name: string): boolean {
  if (name === '' || name === '.' || name === '..' || name.length > MAX_NAME) return false
  if (/[/\\\0\u007f]|\p{Surrogate}| $/u.test(name)) return false
  return !IGNORED_NAMES.has(name.toLowerCase())
}

/** JSON for a header: all but ASCII is escaped. */
export function headerJson(value: object): string {
  const escaped = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, escaped)
}
