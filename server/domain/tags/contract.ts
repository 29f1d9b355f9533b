import type { LabelColor } from '../files/contract.ts'
import type { Viewer } from '../viewer.ts'

/** A user's own label for files and folders. No one else sees it. */
export type Tag = {
  readonly id: string
  readonly name: string
  readonly color: LabelColor
  readonly createdAt: Date
}

export type TagInput = {
  /** 1 to 50 characters, unique for the user without regard to case. */
  readonly name: string
  readonly color: LabelColor
}

/** undefined keeps a field. */
export type TagPatch = { readonly [Field in keyof TagInput]?: TagInput[Field] | undefined }

/** Tags are put on files by `FilesService.changeEach` and `changeSelection`. */
export interface TagsService {
  /** All of the viewer's, by name; at most 100. */
  list(viewer: Viewer): Promise<Tag[]>
  /** In the order of `ids`; null for tags that are not the viewer's. */
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(Tag | null)[]>
  /** Tags by file id, by name. */
  ofFiles(viewer: Viewer, fileIds: readonly string[]): Promise<Map<string, Tag[]>>
  /** Numbers of files and folders outside the trash by tag id. */
  counts(viewer: Viewer, ids: readonly string[]): Promise<Map<string, number>>
  /** @throws InvalidInputError, NameTakenError, ConflictError (too many tags), IdempotencyKeyReusedError */
  create(viewer: Viewer, input: TagInput, idempotencyKey?: string): Promise<Tag>
  /** @throws NotFoundError, InvalidInputError, NameTakenError */
  update(viewer: Viewer, id: string, patch: TagPatch): Promise<Tag>
  /** Takes it off all files; they stay. @throws NotFoundError */
  remove(viewer: Viewer, id: string): Promise<void>
}
