import type { ByteSource } from '../../storage/byteSource.ts'
import type { Archive, File, FileCategory, FileKind, FilePage } from '../files/contract.ts'
import type { Viewer } from '../viewer.ts'

/** LIVE opens. What has ended never opens again; PAUSED opens again when its file leaves the trash. */
export type ShareState = 'LIVE' | 'PAUSED' | 'EXPIRED' | 'USED_UP' | 'REVOKED'

/** A public link, as its owner sees it. */
export type Share = {
  readonly id: string
  readonly fileId: string
  /** The copy that it was asked for; null for folders and when none was named. */
  readonly copyId: string | null
  readonly state: ShareState
  readonly hasPassword: boolean
  readonly expiresAt: Date | null
  readonly maxDownloads: number | null
  /** Completed ones. */
  readonly downloads: number
  /** The provider's own link; null where none was asked for or none can be made. */
  readonly providerUrl: string | null
  /** Why there is no provider link although one was asked for, in words; null otherwise. Not kept: only in the answer that made the share. */
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
   * Also makes the provider's own link where a copy can have one. Refused together with a password or a limit, which the provider
   * would not ask for; what expires is taken back by a job.
   */
  readonly providerLink?: boolean | undefined
}

/** What is undefined stays; null takes the password, the expiry or the limit away. */
export type SharePatch = {
  readonly password?: string | null | undefined
  readonly expiresAt?: Date | null | undefined
  readonly maxDownloads?: number | null | undefined
}

export type SharePage = {
  readonly items: readonly { readonly share: Share; readonly cursor: string }[]
  readonly hasNextPage: boolean
}

/** Who visits a link: where from, and what they have proved (the share's cookie). */
export type Visitor = { readonly address: string; readonly userAgent: string; readonly proof: string | null }

/** What anybody may know. Only `needsPassword` before proof: then everything else is absent. */
export type PublicShare = { readonly id: string } & (
  | { readonly needsPassword: true }
  | {
      readonly needsPassword: false
      readonly name: string
      readonly kind: FileKind
      readonly category: FileCategory
      readonly mimeType: string | null
      /** Of a file. */
      readonly size: number
      /** First name of the owner. */
      readonly sharedBy: string
      readonly expiresAt: Date | null
      /** How many downloads are left; null: as many as they like. */
      readonly downloadsLeft: number | null
      /** Whether `disposition=inline` is given: not for links with a limit. */
      readonly previews: boolean
      /** False while no copy can be read: a download answers ContentUnavailableError. */
      readonly available: boolean
    }
)

/** An entry of a shared folder: what a visitor may know of it. */
export type SharedFile = Pick<File, 'id' | 'name' | 'kind' | 'category' | 'mimeType' | 'size' | 'childCount'>

export type SharedFilePage = {
  readonly items: readonly { readonly file: SharedFile; readonly cursor: string }[]
  readonly hasNextPage: FilePage['hasNextPage']
  /** From the shared folder (not included) down to the folder listed. */
  readonly path: readonly { readonly id: string; readonly name: string }[]
}

/** What left: bytes of the content (of an archive: of the ZIP), and whether its last byte was among them. */
export type Sent = { readonly bytes: number; readonly whole: boolean }

/** One download of a share. `done` must be called once, when nothing is sent any more; `signal` aborts within seconds of the share's end. */
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
  /** Newest first; `live` only those that open. */
  list(
    viewer: Viewer,
    options: { limit: number; after?: string | undefined; live?: boolean | undefined },
  ): Promise<SharePage>
  getMany(viewer: Viewer, ids: readonly string[]): Promise<(Share | null)[]>
  /** Those of each file that have not ended, newest first. */
  ofFiles(viewer: Viewer, fileIds: readonly string[]): Promise<Map<string, Share[]>>
  /** A new password ends every proof that was given. @throws NotFoundError (also for one that has ended), InvalidInputError */
  update(viewer: Viewer, id: string, patch: SharePatch): Promise<Share>
  /** The very next request is refused; the provider's link is taken back by job. Idempotent for one's own. @throws NotFoundError */
  revoke(viewer: Viewer, id: string): Promise<Share>
  /** Ends all shares that were made for a copy. @throws NotFoundError when there is none */
  revokeOfCopy(viewer: Viewer, fileId: string, copyId: string): Promise<void>

  /**
   * The gate: every one of these passes it. Unknown, ended and in the trash are one NotFoundError, with the same text.
   * @throws NotFoundError, TooManyRequestsError
   */
  visit(visitor: Visitor, id: string): Promise<PublicShare>
  /** The proof to show from then on (for a cookie of 12 hours). Throttled per share and network, and apart from that for whoever has given it before. @throws NotFoundError, WrongPasswordError, TooManyRequestsError */
  unlock(visitor: Visitor, id: string, password: string): Promise<string>
  /** Tells the owner, in their activity log and by mail, what a visitor says of the link. @throws NotFoundError, PasswordRequiredError, TooManyRequestsError */
  report(visitor: Visitor, id: string, reason: ReportReason): Promise<void>
  /** Live entries of the shared folder or of one below it, folders first. @throws NotFoundError, PasswordRequiredError */
  listFiles(
    visitor: Visitor,
    id: string,
    options: { folderId?: string | undefined; limit: number; after?: string | undefined },
  ): Promise<SharedFilePage>
  /**
   * The shared file or folder (`fileId` absent), or one below the shared folder; a folder as a ZIP. `looks`: only its headers are
   * wanted, which takes no download. `continues`: a range of it is wanted; those of a download under way do not count as requests.
   * @throws NotFoundError, PasswordRequiredError, InvalidInputError (in place, with a limit), ContentUnavailableError,
   * ConflictError (every download that is left is under way), TooManyRequestsError
   */
  open(
    visitor: Visitor,
    id: string,
    options: {
      readonly fileId?: string | undefined
      readonly inline: boolean
      readonly looks?: boolean
      readonly continues?: boolean
    },
  ): Promise<SharedContent | SharedArchive>
}
