import type { Quota } from '../accounts/contract.ts'
import type { Viewer } from '../viewer.ts'

export type PlacementRule = 'MOST_FREE' | 'IN_ORDER' | 'ROUND_ROBIN'

export type GroupCloudMember = {
  readonly accountId: string
  readonly position: number
  readonly keepFreeBytes: number
  /** Gets no new files; its files move to the other members, then it is removed. */
  readonly draining: boolean
  /** It may hold the only copy of a file, although its provider is meant for extra copies. */
  readonly allowOnlyCopy: boolean
}

export type GroupCloud = {
  readonly id: string
  readonly name: string
  readonly defaultUploadGroup: boolean
  readonly placement: PlacementRule
  readonly copies: number
  readonly spanning: boolean
  readonly members: readonly GroupCloudMember[]
  /** Sum of the known quotas of its members, without expired ones. */
  readonly quota: Quota
  readonly createdAt: Date
}

export type GroupCloudHealth = {
  readonly files: number
  readonly bytes: number
  /** Files that cannot be read completely now, or have fewer copies than configured and none being sent. */
  readonly atRiskFiles: number
  /** Files with a copy that is being sent. */
  readonly storingFiles: number
  /** One sentence for people. */
  readonly summary: string
}

/** Where a file of a given size would be placed now. */
export type PlacementPreview = {
  readonly placed: boolean
  /** A message: the accounts, each with the reason. */
  readonly why: string
  /** Per copy, its accounts in the order of their pieces. */
  readonly copies: readonly { readonly pieces: readonly { readonly accountId: string; readonly size: number }[] }[]
}

export type GroupCloudInput = {
  readonly name: string
  readonly accountIds?: readonly string[] | undefined
  readonly placement?: PlacementRule | undefined
  readonly copies?: number | undefined
  readonly spanning?: boolean | undefined
  readonly defaultUploadGroup?: boolean | undefined
  /** Members that may hold the only copy of a file although their provider is meant for extra copies; replaces the list. */
  readonly allowOnlyCopy?: readonly string[] | undefined
}

/** Undefined fields stay unchanged. */
export type GroupCloudPatch = { readonly [Field in keyof GroupCloudInput]?: GroupCloudInput[Field] | undefined } & {
  /** By account; other accounts keep theirs. */
  readonly keepFreeBytes?: Readonly<Record<string, number>> | undefined
}

/** What happens to the files of a deleted group cloud. */
export type FilesOfDeleted = { readonly moveTo: string } | 'TRASH'

export interface GroupCloudsService {
  /** Default first, then by name. */
  list(viewer: Viewer): Promise<GroupCloud[]>
  /** In the order of `ids`; null for what is not the viewer's. */
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(GroupCloud | null)[]>
  /**
   * Without accountIds all accounts of the viewer that may be members become members. One member must be able to hold the only copy of a
   * file. @throws InvalidInputError, NotFoundError, NameTakenError
   */
  create(viewer: Viewer, input: GroupCloudInput, idempotencyKey?: string): Promise<GroupCloud>
  /**
   * A new default replaces the former one in the same transaction. `accountIds` is the new order of members; leaving out one that
   * holds files of this group cloud is a ConflictError: drain it first. After a change of `copies`, missing copies are made and
   * surplus ones removed in the background. @throws as create, ConflictError
   */
  update(viewer: Viewer, id: string, patch: GroupCloudPatch): Promise<GroupCloud>
  /** Starts (or, false, stops) moving the files of a member to the others; it is removed once it is empty. @throws NotFoundError, ConflictError when it is the last one */
  drain(viewer: Viewer, id: string, accountId: string, draining: boolean): Promise<GroupCloud>
  /** @throws NotFoundError, ConflictError for the default one, the last one, and one that still holds files when `files` is not given */
  remove(viewer: Viewer, id: string, files?: FilesOfDeleted): Promise<void>
  /** By id, without files in Trash; ids that are not the viewer's are absent. */
  health(viewer: Viewer, ids: readonly string[]): Promise<Map<string, GroupCloudHealth>>
  /** `quota.freeBytes` as it would be with the account as a member. @throws NotFoundError */
  roomWith(viewer: Viewer, id: string, accountId: string): Promise<number | null>
  /** @throws NotFoundError */
  previewPlacement(viewer: Viewer, id: string, size: number): Promise<PlacementPreview>
  /** In the order of `questions`, by a constant number of statements; null for what is not the viewer's. */
  previewPlacements(
    viewer: Viewer,
    questions: readonly { readonly id: string; readonly size: number }[],
  ): Promise<(PlacementPreview | null)[]>
}
