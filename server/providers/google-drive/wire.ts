import type { drive_v3 } from 'googleapis/build/src/apis/drive/index.js'
import type { Change, Entry, EntryRef, ProviderQuota } from '../driver.ts'

export const KIND = 'google-drive'
export const FOLDER_TYPE = 'application/vnd.google-apps.folder'
/** Drive makes documents, folders or shortcuts of what says that it is one of these. */
const NATIVE_TYPE = /^application\/vnd\.google-apps\./i
const DEFAULT_TYPE = 'application/octet-stream'

/** All that is read of a file: Drive answers with what is asked for alone. */
export const FILE_FIELDS = 'id,name,mimeType,size,md5Checksum,modifiedTime,trashed,parents'
export type DriveFile = drive_v3.Schema$File

export function entryOf(file: DriveFile): Entry {
  const isFolder = file.mimeType === FOLDER_TYPE
  return {
    ref: (file.id ?? '') as EntryRef,
    name: file.name ?? '',
    kind: isFolder ? 'folder' : 'file',
    size: isFolder ? null : sizeOf(file),
    modifiedAt: file.modifiedTime ? new Date(file.modifiedTime) : null,
    hash: file.md5Checksum?.toLowerCase() ?? null,
  }
}

/** Google's own documents have no bytes that count, and say no size. */
export function sizeOf(file: DriveFile): number {
  return Number(file.size ?? 0)
}

/** Without a limit, and only then, an account is unlimited. */
export function quotaOf(quota: drive_v3.Schema$About['storageQuota']): ProviderQuota {
  const usedBytes = byteCount(quota?.usage)
  if (!quota) return { state: 'UNKNOWN', usedBytes: null, totalBytes: null }
  const totalBytes = byteCount(quota.limit)
  if (totalBytes === null) return { state: 'UNLIMITED', usedBytes, totalBytes: null }
  return { state: 'KNOWN', usedBytes, totalBytes }
}

function byteCount(text: string | null | undefined): number | null {
  return text === null || text === undefined || !/^\d+$/.test(text) ? null : Number(text)
}

/** What is in the trash is gone to us. */
export function changeOf(change: drive_v3.Schema$Change): readonly Change[] {
  if (!change.fileId) return []
  const ref = change.fileId as EntryRef
  if (change.removed || !change.file) return [{ ref, entry: null }]
  const entry = entryOf(change.file)
  return [change.file.trashed ? { ref, entry: null, kind: entry.kind } : { ref, entry }]
}

export function typeOf(mimeType: string | null): string {
  return mimeType === null || NATIVE_TYPE.test(mimeType) || !/^[\x20-\x7e]+$/.test(mimeType) ? DEFAULT_TYPE : mimeType
}

/** A text inside a search query (`q`). */
export function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}
