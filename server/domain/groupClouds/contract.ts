import type { Quota } from '../accounts/contract.ts'
import type { Viewer } from '../viewer.ts'

export type PlacementRule = 'MOST_FREE' | 'IN_ORDER' | 'ROUND_ROBIN'

export type GroupCloudMember = {
  readonly accountId: string
  readonly position: number
  readonly keepFreeBytes: number
  /** Takes no new files; what it holds moves to the other members, and then it leaves. */
  readonly draining: boolean
}

export type GroupCloud = {
  readonly id: string
  readonly name: string
  readonly defaultUploadGroup: boolean
  readonly placement: PlacementRule
  readonly copies: number
  readonly spanning: boolean
  readonly members: readonly GroupCloudMember[]
  /** Sum of what is known of its members, without those that have expired. */
  readonly quota: Quota
  readonly createdAt: Date
}

export type GroupCloudHealth = {
  readonly files: number
  readonly bytes: number
  /** Cannot be read whole now, or have fewer copies than the rule asks for and none is on its way. */
  readonly atRiskFiles: number
  /** Have a copy on its way. */
  readonly storingFiles: number
  /** One sentence for people. */
  readonly summary: string
}

/** Where a file of `size` bytes would go now. */
export type PlacementPreview = {
  readonly placed: boolean
  /** In words, with the reason. */
  readonly why: string
  /** One line per copy: accounts in the order of their pieces. */
  readonly copies: readonly { readonly pieces: readonly { readonly accountId: string; readonly size: number }[] }[]
}

export type GroupCloudInput = {
  readonly name: string
  readonly accountIds?: readonly string[] | undefined
  readonly placement?: PlacementRule | undefined
  readonly copies?: number | undefined
  readonly spanning?: boolean | undefined
  readonly defaultUploadGroup?: boolean | undefined
}

/** What is undefined stays as it is. */
export type GroupCloudPatch = { readonly [Field in keyof GroupCloudInput]?: GroupCloudInput[Field] | undefined } & {
  /** By account; accounts that are not named keep theirs. */
  readonly keepFreeBytes?: Readonly<Record<string, number>> | undefined
}

/** What happens to the files of a group cloud that is deleted. */
export type FilesOfDeleted = { readonly moveTo: string } | 'TRASH'

export interface GroupCloudsService {
  /** Default first, then by name. */
  list(viewer: Viewer): Promise<GroupCloud[]>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(GroupCloud | null)[]>
  /** Without accountIds all accounts of the viewer become members. @throws InvalidInputError, NotFoundError, NameTakenError */
  create(viewer: Viewer, input: GroupCloudInput, idempotencyKey?: string): Promise<GroupCloud>
  /**
   * Making one the default takes the mark from the other in the same transaction. `accountIds` is the new order of members; one
   * that is left out and holds files of this group cloud is a ConflictError: drain it. More copies than before are made by
   * repair, surplus ones removed. @throws as create, ConflictError
   */
  update(viewer: Viewer, id: string, patch: GroupCloudPatch): Promise<GroupCloud>
  /** Begins (or, false, stops) to empty a member into the others; it leaves when nothing is left on it. @throws NotFoundError, ConflictError when it is the last one */
  drain(viewer: Viewer, id: string, accountId: string, draining: boolean): Promise<GroupCloud>
  /** @throws NotFoundError, ConflictError for the default one, the last one, and one that still holds files when `files` is not given */
  remove(viewer: Viewer, id: string, files?: FilesOfDeleted): Promise<void>
  health(viewer: Viewer, ids: readonly string[]): Promise<Map<string, GroupCloudHealth>>
  /** `quota.freeBytes` if the account became a member; as it is when it is one. @throws NotFoundError */
  roomWith(viewer: Viewer, id: string, accountId: string): Promise<number | null>
  /** @throws NotFoundError */
  previewPlacement(viewer: Viewer, id: string, size: number): Promise<PlacementPreview>
  /** In the order asked, by the same number of statements however many; null for what is not the viewer's. */
  previewPlacements(
    viewer: Viewer,
    questions: readonly { readonly id: string; readonly size: number }[],
  ): Promise<(PlacementPreview | null)[]>
}
