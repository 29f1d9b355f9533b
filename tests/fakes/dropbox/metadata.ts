import type { Entry, FileEntry, FolderEntry } from './model.ts'
import { fold, nameOf } from './paths.ts'
import { flattened, type Tagged } from './tags.ts'

/** As `Metadata`: with its tag, as in lists and in answers that may be a file or a folder. */
export function metadataOf(entry: Entry): Tagged {
  return flattened(entry.kind, entry.kind === 'file' ? fileMetadata(entry) : folderMetadata(entry))
}

/** As `FileMetadata`: without a tag. */
export function fileMetadata(file: FileEntry): object {
  return {
    ...placeOf(file.path),
    id: file.id,
    client_modified: file.clientModified,
    server_modified: file.serverModified,
    rev: file.rev,
    size: file.content.bytes.size,
    ...sharingOf(file),
    ...exportOf(file),
    content_hash: file.content.contentHash,
  }
}

function exportOf({ exportOptions }: FileEntry): object {
  if (!exportOptions) return { is_downloadable: true }
  return { is_downloadable: false, export_info: { export_as: exportOptions[0], export_options: exportOptions } }
}

function sharingOf({ kind, sharing }: Entry): object {
  if (!sharing) return {}
  const { folderId, readOnly, isMount } = sharing
  const place = isMount ? { shared_folder_id: folderId } : { parent_shared_folder_id: folderId }
  const folder = kind === 'folder' ? { traverse_only: false, no_access: false } : {}
  return { sharing_info: { read_only: readOnly, ...place, ...folder } }
}

/** As `FolderMetadata`: without a tag. */
export function folderMetadata(folder: FolderEntry): object {
  return { ...placeOf(folder.path), id: folder.id, ...sharingOf(folder) }
}

export function deletedMetadata(path: string): Tagged {
  return flattened('deleted', placeOf(path))
}

function placeOf(path: string): object {
  return { name: nameOf(path), path_lower: fold(path), path_display: path }
}

/** Whole seconds, UTC. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
}
