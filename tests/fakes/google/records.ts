import { randomBytes } from 'node:crypto'
import type { Content } from './content.ts'
import type { DriveFile, Permission, Properties, User } from './model.ts'

export type NewUser = {
  readonly email: string
  readonly name: string
  readonly quotaBytes: number | null
  readonly usedByOthersBytes?: number | undefined
}

export type NewFile = {
  readonly id?: string
  readonly name: string
  readonly mimeType: string
  readonly parents: readonly string[]
  readonly content: Content | null
  readonly createdBy: string | null
  readonly createdTime?: number
  readonly modifiedTime?: number
  readonly properties?: Properties
  readonly appProperties?: Properties
  readonly description?: string
  readonly starred?: boolean
  readonly shortcutTargetId?: string
  readonly folderColorRgb?: string
  readonly exportBytes?: number
}

export function newUser(input: NewUser, rootId: string): User {
  const digits = (length: number): string =>
    BigInt(`0x${randomBytes(12).toString('hex')}`)
      .toString()
      .padStart(length, '7')
      .slice(0, length)
  return {
    email: input.email,
    name: input.name,
    sub: `1${digits(20)}`,
    permissionId: digits(20),
    rootId,
    quotaBytes: input.quotaBytes,
    usedByOthersBytes: input.usedByOthersBytes ?? 0,
    deleted: false,
    changes: [],
    changesFrom: 0,
  }
}

export function newFile(owner: User, input: NewFile & { readonly id: string }, seq: number, now: number): DriveFile {
  const permission: Permission = {
    id: owner.permissionId,
    type: 'user',
    role: 'owner',
    emailAddress: owner.email,
    displayName: owner.name,
  }
  return {
    id: input.id,
    owner,
    createdBy: input.createdBy,
    seq,
    name: input.name,
    mimeType: input.mimeType,
    parents: input.parents,
    content: input.content,
    createdTime: input.createdTime ?? now,
    modifiedTime: input.modifiedTime ?? now,
    trashed: false,
    trashedTime: null,
    version: 1,
    headRevisionId: newRevisionId(),
    starred: input.starred ?? false,
    originalFilename: input.name,
    properties: input.properties ?? {},
    appProperties: input.appProperties ?? {},
    permissions: [permission],
    abusive: false,
    copyRequiresWriterPermission: false,
    ...(input.description !== undefined && { description: input.description }),
    ...(input.shortcutTargetId !== undefined && { shortcutTargetId: input.shortcutTargetId }),
    ...(input.exportBytes !== undefined && { exportBytes: input.exportBytes }),
    ...(input.folderColorRgb !== undefined && { folderColorRgb: input.folderColorRgb }),
  }
}

export const newRevisionId = (): string => `0B${randomBytes(27).toString('base64url')}`
