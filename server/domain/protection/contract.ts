import type { Viewer } from '../viewer.ts'

/**
 * PROTECTED: all copies are stored, of the newest version. CATCHING_UP: copies are being made. AT_RISK: a copy is missing or could not be
 * made. SKIPPED: a document or shortcut of the provider, which has no bytes to copy.
 */
export const PROTECTION_STATES = ['PROTECTED', 'CATCHING_UP', 'AT_RISK', 'SKIPPED'] as const
export type ProtectionState = (typeof PROTECTION_STATES)[number]

/** How an entry of an account is protected. */
export type ProtectionInfo = {
  /** The protected folder: the entry itself, or a folder above it. */
  readonly folderId: string
  readonly groupCloudId: string
  readonly copies: number
  readonly keepVersionsDays: number
  /** Of a file: its own; of a folder: of everything that is protected with it. */
  readonly state: ProtectionState
  /** Message: why it is at risk. */
  readonly reason: string | null
}

/** What is protected with a folder, in numbers. */
export type ProtectionCounts = {
  readonly files: number
  readonly bytes: number
  /** Files of which the newest version has all its copies. */
  readonly protectedFiles: number
  readonly atRiskFiles: number
  /** Documents and shortcuts of the provider, of which there are no bytes. */
  readonly skippedFiles: number
  /** Earlier versions that are kept, and their size. */
  readonly earlierVersions: number
  readonly earlierBytes: number
}

export const VERSION_REASONS = ['CHANGED', 'DELETED', 'MOVED'] as const
/** Why a version is an earlier one: its file was changed, deleted, or moved out of what is protected. */
export type VersionReason = (typeof VERSION_REASONS)[number]

/** A version of a file in an account that is kept for a time. */
export type EarlierVersion = {
  readonly id: string
  /** The file that it was a version of. It may be deleted. */
  readonly fileId: string
  /** The file's name, and the names of the folders above it in its account. */
  readonly name: string
  readonly path: readonly string[]
  readonly size: number
  /** When it was last changed, as the account reported it. */
  readonly modifiedAt: Date
  /** Since when it is an earlier version, and until when it is kept. */
  readonly endedAt: Date
  readonly keptUntil: Date
  readonly reason: VersionReason
}

export type ProtectInput = {
  readonly groupCloudId: string
  readonly copies: number
  readonly keepVersionsDays?: number | undefined
}

/** Restoring in the background. `intoAccount`: at its place in the account; otherwise into My Drive, because the account cannot be used. */
export type RestoredVersion = {
  readonly jobId: string
  /** The file that it was a version of, and its name. */
  readonly fileId: string
  readonly name: string
  readonly intoAccount: boolean
  /** The target folder; null for My Drive. */
  readonly folderName: string | null
}

export interface ProtectionService {
  /** How these entries are protected; others are missing. */
  find(viewer: Viewer, fileIds: readonly string[]): Promise<Map<string, ProtectionInfo>>
  /** Counts what is protected with a folder. @throws NotFoundError unless it is a protected folder itself */
  count(viewer: Viewer, folderId: string): Promise<ProtectionCounts>
  /**
   * Keeps copies of everything in a folder of an account, or in the account, and of what is changed there from now on. For a folder that
   * is protected already, changes how.
   * @throws NotFoundError, InvalidInputError, ConflictError where the group cloud has too few other accounts, InAccountError for a folder
   * of Skypool's own
   */
  protect(viewer: Viewer, folderId: string, input: ProtectInput): Promise<ProtectionInfo>
  /** Removes the copies and all earlier versions. @throws NotFoundError, ConflictError for what is protected with a folder above it */
  unprotect(viewer: Viewer, folderId: string): Promise<void>
  /**
   * Earlier versions of a file, or those of files that were deleted from a folder; of a protected folder, from all folders below it.
   * Newest first, at most 200. @throws NotFoundError
   */
  earlierVersions(viewer: Viewer, fileId: string): Promise<EarlierVersion[]>
  /**
   * Puts a version back into the account: at its place, next to what has its name now. Folders that are gone are created again. Into My
   * Drive, when the account cannot be used. @throws NotFoundError, ConflictError, ProviderFailedError
   */
  restore(viewer: Viewer, versionId: string): Promise<RestoredVersion>
}
