import type { files } from 'dropbox'
import type { Entry, EntryDetails, EntryRef, EntryRights, NativeKind } from '../driver.ts'
import { type ExportType, isExportType } from '../exportTypes.ts'

/** The root folder; Dropbox's own name for it is the empty string. */
export const ROOT = '/' as EntryRef

type Metadata = files.FileMetadata | files.FolderMetadata
/** With `.tag` in lists, without it in responses to uploads; folders have no size. */
export type DropboxEntry = Metadata | files.FileMetadataReference | files.FolderMetadataReference

/** Dropbox has no metadata of its root. */
export function rootEntry(): Entry {
  const rights = { read: true, write: true, rename: false, move: false, delete: false, share: false }
  const details = { ...DETAILS, webUrl: webUrlOf('/'), rights }
  return { ref: ROOT, name: '', kind: 'folder', size: null, modifiedAt: null, hash: null, details }
}

export function entryOf(metadata: DropboxEntry): Entry {
  const file = 'size' in metadata ? metadata : null
  const isNative = file !== null && nativeKindOf(file) !== null
  return {
    ref: metadata.id as EntryRef,
    name: metadata.name,
    kind: file ? 'file' : 'folder',
    size: isNative ? null : (file?.size ?? null),
    modifiedAt: file ? new Date(file.server_modified) : null,
    hash: isNative ? null : (file?.content_hash?.toLowerCase() ?? null),
    ...(metadata.path_lower !== undefined && { path: metadata.path_lower }),
    details: file ? fileDetails(file) : folderDetails(metadata),
  }
}

/** What Dropbox reports of no entry: folders are named by path, times of creation and media types are unknown. */
const DETAILS = {
  parent: null,
  mimeType: null,
  createdAt: null,
  revision: null,
  nativeKind: null,
  exportTypes: [],
  target: null,
}

function fileDetails(file: files.FileMetadata): EntryDetails {
  // A document is read by exporting it.
  const isReadable = file.is_downloadable !== false || file.export_info !== undefined
  return {
    ...DETAILS,
    revision: file.rev,
    webUrl: webUrlOf(file.path_display),
    nativeKind: nativeKindOf(file),
    exportTypes: exportTypesOf(file),
    rights: rightsOf(isReadable, file.sharing_info),
  }
}

function folderDetails({ path_display: path, sharing_info: sharing }: files.FolderMetadata): EntryDetails {
  return { ...DETAILS, webUrl: webUrlOf(path), rights: rightsOf(sharing?.no_access !== true, sharing) }
}

/** Dropbox reports one restriction: being in a shared folder that the user may only read. */
function rightsOf(read: boolean, sharing: { readonly read_only: boolean } | undefined): EntryRights {
  const write = sharing?.read_only !== true
  return { read, write, rename: write, move: write, delete: write, share: true }
}

/** Files that cannot be downloaded but exported are documents of Dropbox and its partners. */
function nativeKindOf(file: files.FileMetadata): NativeKind | null {
  if (file.is_downloadable !== false || !file.export_info) return null
  return /\.paper$/i.test(file.name) ? 'DOCUMENT' : 'OTHER'
}

/** Dropbox's own names of formats, where they are not the extension. */
const FORMATS: Readonly<Record<string, ExportType>> = { markdown: 'md', plain_text: 'txt' }

function exportTypesOf({ is_downloadable: isDownloadable, export_info: info }: files.FileMetadata): ExportType[] {
  if (isDownloadable !== false || !info) return []
  const formats = info.export_options ?? (info.export_as ? [info.export_as] : [])
  return formats.map((format) => FORMATS[format] ?? format).filter(isExportType)
}

/** As `files/export` names it. */
export function formatOf(type: ExportType): string {
  return Object.keys(FORMATS).find((format) => FORMATS[format] === type) ?? type
}

function webUrlOf(path: string | undefined): string | null {
  if (path === undefined) return null
  return `https://www.dropbox.com/home${path === '/' ? '' : path.split('/').map(encodeURIComponent).join('/')}`
}
