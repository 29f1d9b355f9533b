import type { Scope, Viewer } from '../viewer.ts'

export type ApiKeyStatus = 'ACTIVE' | 'REVOKED' | 'EXPIRED'

export type ApiKey = {
  readonly id: string
  readonly name: string
  /** Whole for its owner's session; masked (`sky_live_…` and its last four characters) for every other caller and once it is revoked. */
  readonly key: string
  readonly status: ApiKeyStatus
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
  readonly createdAt: Date
}

export type ApiKeyInput = {
  /** 1 to 100 characters after trimming. */
  readonly name: string
  /** Default: all of them. At least one; WRITE and SHARE bring READ with them. */
  readonly scopes?: readonly Scope[] | undefined
  /** In the future; null never. */
  readonly expiresAt?: Date | null | undefined
}

/** All but `viewerOf` are for sessions only. @throws KeyRefusedError for a viewer with a key */
export type ListKeys = { readonly limit: number; readonly after?: string | undefined }

export type KeyPage = {
  readonly items: readonly { readonly key: ApiKey; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

export interface KeysService {
  /** Newest first, at most 500. */
  list(viewer: Viewer): Promise<ApiKey[]>
  /** Newest first, however many they are. @throws InvalidInputError for a cursor of another list */
  page(viewer: Viewer, options: ListKeys): Promise<KeyPage>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(ApiKey | null)[]>
  /** @throws InvalidInputError */
  create(viewer: Viewer, input: ApiKeyInput, idempotencyKey?: string): Promise<ApiKey>
  /** A new key under the same id; the old one is refused from the very next request on. @throws NotFoundError, ConflictError unless it is ACTIVE */
  regenerate(viewer: Viewer, id: string): Promise<ApiKey>
  /** Refused from the very next request on; what it is downloading or listening to ends within 5 s. Idempotent. @throws NotFoundError */
  revoke(viewer: Viewer, id: string): Promise<ApiKey>
  /** Calls of the last 30 days by key, oldest day first; days without any are left out. */
  usage(viewer: Viewer, ids: readonly string[]): Promise<Map<string, { readonly day: Date; readonly calls: number }[]>>
  /** The viewer of a key as it stands in the header; null for one that is unknown, revoked or expired. A wrong checksum costs no statement. Counts the call; `address`: where it comes from. @throws TooManyRequestsError */
  viewerOf(key: string, address: string): Promise<Viewer | null>
}
