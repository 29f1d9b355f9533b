import type { drive_v3 } from 'googleapis/build/src/apis/drive/index.js'
import {
  type Entry,
  type EntryDetails,
  type EntryRef,
  type EntryRights,
  type NativeKind,
  SHARED_WITH_ME,
} from '../driver.ts'
import type { ExportType } from '../exportTypes.ts'

export const FOLDER_TYPE = 'application/vnd.google-apps.folder'
/** The fields requested of a file: Drive returns no others. */
export const FILE_FIELDS = [
  'id,name,mimeType,size,md5Checksum,createdTime,modifiedTime,trashed,parents,version,headRevisionId,webViewLink',
  'driveId,sharedWithMeTime',
  'shortcutDetails(targetId,targetMimeType)',
  'capabilities(canDownload,canListChildren,canEdit,canAddChildren,canRename,canMoveItemWithinDrive,canTrash,canShare)',
].join()
export type DriveFile = drive_v3.Schema$File

export function entryOf(file: DriveFile): Entry {
  const isFolder = file.mimeType === FOLDER_TYPE
  const nativeKind = nativeKindOf(file)
  return {
    ref: (file.id ?? '') as EntryRef,
    name: file.name ?? '',
    kind: isFolder ? 'folder' : 'file',
    size: isFolder || nativeKind !== null ? null : sizeOf(file),
    modifiedAt: dateOf(file.modifiedTime),
    hash: file.md5Checksum?.toLowerCase() ?? null,
    details: detailsOf(file, isFolder, nativeKind),
  }
}

/** Of a file with bytes. */
export function sizeOf(file: DriveFile): number {
  return Number(file.size ?? 0)
}

/** Drive omits parents that the user cannot see: those of entries that others share, except inside a shared folder. */
function detailsOf(file: DriveFile, isFolder: boolean, nativeKind: NativeKind | null): EntryDetails {
  return {
    parent: refOf(file.parents?.[0]) ?? (file.sharedWithMeTime ? SHARED_WITH_ME : null),
    mimeType: file.mimeType ?? null,
    createdAt: dateOf(file.createdTime),
    revision: isFolder ? null : revisionOf(file),
    webUrl: file.webViewLink ?? null,
    nativeKind,
    exportTypes: nativeKind === null ? [] : exportTypesOf(file.mimeType),
    target: refOf(file.shortcutDetails?.targetId),
    rights: rightsOf(file.capabilities, isFolder),
  }
}

/** Documents have no revision id; their version changes with their names as well. */
function revisionOf({ headRevisionId, md5Checksum, version }: DriveFile): string | null {
  return headRevisionId ?? md5Checksum ?? version ?? null
}

/** What Drive does not mention is allowed: it refuses by itself what is not. */
function rightsOf(capabilities: DriveFile['capabilities'], isFolder: boolean): EntryRights {
  const can = capabilities ?? {}
  return {
    read: (isFolder ? can.canListChildren : can.canDownload) !== false,
    write: (isFolder ? can.canAddChildren : can.canEdit) !== false,
    rename: can.canRename !== false,
    move: can.canMoveItemWithinDrive !== false,
    delete: can.canTrash !== false,
    share: can.canShare !== false,
  }
}

const NATIVE_TYPE = 'application/vnd.google-apps.'
const NATIVE_KINDS: Readonly<Record<string, NativeKind>> = {
  document: 'DOCUMENT',
  spreadsheet: 'SPREADSHEET',
  presentation: 'PRESENTATION',
  drawing: 'DRAWING',
  shortcut: 'SHORTCUT',
}

/** Files with one of Google's own types are documents, unless they have a checksum and therefore bytes. */
function nativeKindOf({ mimeType, md5Checksum }: DriveFile): NativeKind | null {
  if (!mimeType?.startsWith(NATIVE_TYPE) || mimeType === FOLDER_TYPE || md5Checksum) return null
  return NATIVE_KINDS[mimeType.slice(NATIVE_TYPE.length)] ?? 'OTHER'
}

/**
 * Drive's formats for its documents (developers.google.com/workspace/drive/api/guides/ref-export-formats). The field `exportLinks`
 * of a file names the same ones, with an address each: too much for lists of a whole account.
 */
const EXPORT_TYPES: Readonly<Record<string, readonly ExportType[]>> = {
  document: ['docx', 'pdf', 'odt', 'rtf', 'md', 'txt', 'epub'],
  spreadsheet: ['xlsx', 'pdf', 'ods', 'csv', 'tsv'],
  presentation: ['pptx', 'pdf', 'odp', 'txt'],
  drawing: ['png', 'svg', 'jpg', 'pdf'],
}

function exportTypesOf(mimeType: string | null | undefined): readonly ExportType[] {
  return EXPORT_TYPES[mimeType?.slice(NATIVE_TYPE.length) ?? ''] ?? []
}

const refOf = (id: string | null | undefined): EntryRef | null => (id ? (id as EntryRef) : null)

const dateOf = (text: string | null | undefined): Date | null => (text ? new Date(text) : null)
