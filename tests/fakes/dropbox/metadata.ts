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
    is_downloadable: true,
    content_hash: file.content.contentHash,
  }
}

/** As `FolderMetadata`: without a tag. */
export function folderMetadata(folder: FolderEntry): object {
  return { ...placeOf(folder.path), id: folder.id }
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
