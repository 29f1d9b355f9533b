import type { ByteSource } from '../../storage/byteSource.ts'
import type { Archive, File, FileCategory, FileKind, FilePage } from '../files/contract.ts'
import type { Viewer } from '../viewer.ts'

/** A LIVE link opens. PAUSED: opens again when its file is restored from the trash. All other states are final. */
export type ShareState = 'LIVE' | 'PAUSED' | 'EXPIRED' | 'USED_UP' | 'REVOKED'

/** A public link, as its owner sees it. */
export type Share = {
  readonly id: string
  readonly fileId: string
  /** The copy that the link was created for; null for folders and when none was given. */
  readonly copyId: string | null
  readonly state: ShareState
  readonly hasPassword: boolean
  readonly expiresAt: Date | null
  readonly maxDownloads: number | null
  /** Number of completed downloads. */
  readonly downloads: number
  /** The provider's own link; null when none was requested or possible. */
  readonly providerUrl: string | null
  /** Why a requested provider link was not created; null otherwise. Not stored: only in the result of `create`. */
  readonly providerNote: string | null
  readonly createdAt: Date
}

export type ShareInput = {
  readonly fileId: string
  readonly copyId?: string | null | undefined
  /** 1 to 1,000 characters. */
  readonly password?: string | null | undefined
  /** In the future. */
  readonly expiresAt?: Date | null | undefined
  /** 1 to 1,000,000. */
  readonly maxDownloads?: number | null | undefined
  /**
   * Also creates the provider's own link where a copy supports it. Refused together with a password or a limit, which the provider
   * would not enforce; a job revokes it at the expiry time.
   */
  readonly providerLink?: boolean | undefined
}

/** undefined keeps a setting; null removes the password, the expiry or the limit. */
export type SharePatch = {
  readonly password?: string | null | undefined
  readonly expiresAt?: Date | null | undefined
  readonly maxDownloads?: number | null | undefined
}

export type SharePage = {
  readonly items: readonly { readonly share: Share; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

/** A visitor of a link; `proof` is the value of the share's cookie, which proves the password. */
export type Visitor = { readonly address: string; readonly userAgent: string; readonly proof: string | null }

/** A share as visitors see it. With `needsPassword` all other fields are absent. */
export type PublicShare = { readonly id: string } & (
  | { readonly needsPassword: true }
  | {
      readonly needsPassword: false
      readonly name: string
      readonly kind: FileKind
      readonly category: FileCategory
      readonly mimeType: string | null
      /** Size of a file in bytes. */
      readonly size: number
      /** First name of the owner. */
      readonly sharedBy: string
      readonly expiresAt: Date | null
      /** Remaining downloads; null: unlimited. */
      readonly downloadsLeft: number | null
      /** Whether `disposition=inline` is possible: not for links with a limit. */
      readonly previews: boolean
      /** False while no copy can be read: a download throws ContentUnavailableError. */
      readonly available: boolean
    }
)

/** An entry of a shared folder, as visitors see it. */
export type SharedFile = Pick<File, 'id' | 'name' | 'kind' | 'category' | 'mimeType' | 'size' | 'childCount'>

export type SharedFilePage = {
  readonly items: readonly { readonly file: SharedFile; readonly cursor: string }[]
  readonly hasNextPage: FilePage['hasNextPage']
  /** From below the shared folder down to the listed folder. */
  readonly path: readonly { readonly id: string; readonly name: string }[]
}

/** Sent bytes of the content (for an archive: of the ZIP), and whether they include its last byte. */
export type Sent = { readonly bytes: number; readonly whole: boolean }

/** One download of a share. `done` must be called once, at its end; `signal` aborts within seconds after the share ends. */
export type SharedDownload = {
  readonly signal: AbortSignal
  done(sent: Sent): Promise<void>
}

export type SharedContent = SharedDownload & { readonly file: File; readonly source: ByteSource }
export type SharedArchive = SharedDownload & { readonly archive: Archive }

export const REPORT_REASONS = ['ILLEGAL', 'MALWARE', 'PRIVACY', 'OTHER'] as const
export type ReportReason = (typeof REPORT_REASONS)[number]

export interface SharesService {
  /** @throws NotFoundError, InvalidInputError, ConflictError (in the trash) */
  create(viewer: Viewer, input: ShareInput, idempotencyKey?: string): Promise<Share>
  /** Newest first; `live`: only those that open. */
  list(
    viewer: Viewer,
    options: { limit: number; after?: string | undefined; live?: boolean | undefined },
  ): Promise<SharePage>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(Share | null)[]>
  /** Shares by file id that have not ended, newest first. */
  ofFiles(viewer: Viewer, fileIds: readonly string[]): Promise<Map<string, Share[]>>
  /** A new password invalidates all earlier proofs. @throws NotFoundError (also for an ended share), InvalidInputError */
  update(viewer: Viewer, id: string, patch: SharePatch): Promise<Share>
  /** Stops working immediately; a job revokes the provider's link. Idempotent. @throws NotFoundError */
  revoke(viewer: Viewer, id: string): Promise<Share>
  /** Revokes all shares that were created for a copy. @throws NotFoundError when there is none */
  revokeOfCopy(viewer: Viewer, fileId: string, copyId: string): Promise<void>

  /**
   * For visitors: this and all following methods first check access. An unknown or ended share and a trashed file throw the same
   * NotFoundError.
   * @throws NotFoundError, TooManyRequestsError
   */
  visit(visitor: Visitor, id: string): Promise<PublicShare>
  /**
   * Checks the password and returns the proof for a cookie of 12 hours. Throttled per share and network; separately for visitors
   * who have unlocked it before. @throws NotFoundError, WrongPasswordError, TooManyRequestsError
   */
  unlock(visitor: Visitor, id: string, password: string): Promise<string>
  /** Reports the link to its owner, in the activity log and by mail. @throws NotFoundError, PasswordRequiredError, TooManyRequestsError */
  report(visitor: Visitor, id: string, reason: ReportReason): Promise<void>
  /** Entries of the shared folder or of a folder below it, folders first. @throws NotFoundError, PasswordRequiredError */
  listFiles(
    visitor: Visitor,
    id: string,
    options: { folderId?: string | undefined; limit: number; after?: string | undefined },
  ): Promise<SharedFilePage>
  /**
   * Opens the shared file or folder (`fileId` absent), or one below the shared folder; a folder as ZIP. `headersOnly`: a HEAD
   * request, which counts no download. `continues`: a range request; ranges of an active download do not count as requests.
   * @throws NotFoundError, PasswordRequiredError, InvalidInputError (inline, with a limit), ContentUnavailableError,
   * ConflictError (all remaining downloads are active), TooManyRequestsError
   */
  open(
    visitor: Visitor,
    id: string,
    options: {
      readonly fileId?: string | undefined
      readonly inline: boolean
      readonly headersOnly?: boolean
      readonly continues?: boolean
    },
  ): Promise<SharedContent | SharedArchive>
}
