import type { Scope, Viewer } from '../viewer.ts'

export type ApiKeyStatus = 'ACTIVE' | 'REVOKED' | 'EXPIRED'

export type ApiKey = {
  readonly id: string
  readonly name: string
  /** The whole key for its owner's session; masked (`sky_live_…` and the last four characters) for other callers and once it is revoked. */
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
  /** At least one; default: all. WRITE and SHARE include READ. */
  readonly scopes?: readonly Scope[] | undefined
  /** In the future; null: never. */
  readonly expiresAt?: Date | null | undefined
}

export type ListKeys = { readonly limit: number; readonly after?: string | undefined }

export type KeyPage = {
  readonly items: readonly { readonly key: ApiKey; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

/** API keys. All methods but `viewerOf` are for sessions only. @throws KeyRefusedError for a viewer with a key */
export interface KeysService {
  /** Newest first, at most 500. */
  list(viewer: Viewer): Promise<ApiKey[]>
  /** Newest first, in pages. @throws InvalidInputError for a cursor of another list */
  page(viewer: Viewer, options: ListKeys): Promise<KeyPage>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(ApiKey | null)[]>
  /** @throws InvalidInputError */
  create(viewer: Viewer, input: ApiKeyInput, idempotencyKey?: string): Promise<ApiKey>
  /** A new key with the same id; the old one stops working immediately. @throws NotFoundError, ConflictError unless it is ACTIVE */
  regenerate(viewer: Viewer, id: string): Promise<ApiKey>
  /** Stops working immediately; its downloads and streams end within 5 s. Idempotent. @throws NotFoundError */
  revoke(viewer: Viewer, id: string): Promise<ApiKey>
  /** Calls of the last 30 days by key id, oldest day first; days without calls are omitted. */
  usage(viewer: Viewer, ids: readonly string[]): Promise<Map<string, { readonly day: Date; readonly calls: number }[]>>
  /**
   * The viewer of a key from the Authorization header; null for a key that is unknown, revoked or expired. A wrong checksum is
   * detected without a statement. Counts the call. `address`: IP address of the caller. @throws TooManyRequestsError
   */
  viewerOf(key: string, address: string): Promise<Viewer | null>
}
