import type { File, FileCategory, FileKind, FileState } from '../services.ts'

/** The root in expressions over `parent_id`, whose indexes cannot compare null. */
export const ROOT = '00000000-0000-0000-0000-000000000000'

/** Columns of a `FileRow`, of a table alias `f`. */
export const FILE_COLUMNS = `f.id, f.parent_id, f.kind, f.name, f.category, f.mime_type, f.size::float8 as size,
  encode(f.sha256, 'hex') as sha256, f.state, f.state_reason, f.group_cloud_id, f.starred, f.child_count, f.trashed_at,
  f.created_at, f.updated_at`

export type FileRow = {
  readonly id: string
  readonly parent_id: string | null
  readonly kind: FileKind
  readonly name: string
  readonly category: FileCategory
  readonly mime_type: string | null
  readonly size: number
  readonly sha256: string | null
  readonly state: FileState
  readonly state_reason: string | null
  readonly group_cloud_id: string | null
  readonly starred: boolean
  readonly child_count: number
  readonly trashed_at: Date | null
  readonly created_at: Date
  readonly updated_at: Date
}

export function toFile(row: FileRow): File {
  return {
    id: row.id,
    parentId: row.parent_id,
    kind: row.kind,
    name: row.name,
    category: row.category,
    mimeType: row.mime_type,
    size: row.size,
    sha256: row.sha256,
    state: row.state,
    stateReason: row.state_reason,
    groupCloudId: row.group_cloud_id,
    starred: row.starred,
    childCount: row.child_count,
    trashedAt: row.trashed_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
