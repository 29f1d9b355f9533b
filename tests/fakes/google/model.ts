import type { Content } from './content.ts'

export const FOLDER = 'application/vnd.google-apps.folder'
export const SHORTCUT = 'application/vnd.google-apps.shortcut'
/** Documents: all that is Google's own and neither of the two above. */
export const isDocument = ({ mimeType }: Pick<DriveFile, 'mimeType'>): boolean =>
  mimeType.startsWith('application/vnd.google-apps.') && mimeType !== FOLDER && mimeType !== SHORTCUT

export type User = {
  readonly email: string
  readonly name: string
  /** The `sub` of id tokens. */
  readonly sub: string
  readonly permissionId: string
  readonly rootId: string
  /** null = unlimited. */
  quotaBytes: number | null
  /** Mail and photos, which count too. */
  usedByOthersBytes: number
  deleted: boolean
  readonly changes: Change[]
  /** Page tokens before this number of changes are refused. */
  changesFrom: number
}

/** `drive`: of a shared drive itself, whose id it has. */
export type Change = {
  readonly fileId: string
  readonly time: number
  readonly removed: boolean
  readonly drive?: boolean
}

/** A shared drive. Its files belong to `owner`, who is no user; its id is that of the root folder. */
export type SharedDrive = {
  readonly id: string
  name: string
  readonly createdTime: number
  readonly owner: User
  /** By address. `owner` stands for a manager. */
  readonly members: Map<string, Role>
}

export type Role = 'owner' | 'writer' | 'commenter' | 'reader'

export type Permission = {
  readonly id: string
  readonly type: 'user' | 'group' | 'domain' | 'anyone'
  role: Role
  readonly emailAddress?: string
  readonly displayName?: string
  readonly domain?: string
  readonly allowFileDiscovery?: boolean
  expirationTime?: string
}

export type Properties = Readonly<Record<string, string>>

export type DriveFile = {
  readonly id: string
  /** Changes with a move into a shared drive, or out of one. */
  owner: User
  /** The OAuth client that made it: `drive.file` sees no other; null = made outside any app. */
  readonly createdBy: string | null
  /** Made by the fault `duplicate`: no answer has its id. */
  madeTwice?: boolean
  /** Order of creation. */
  readonly seq: number
  name: string
  mimeType: string
  /** One, or none for what lost its folder. */
  parents: readonly string[]
  /** null for folders and shortcuts. */
  content: Content | null
  readonly createdTime: number
  modifiedTime: number
  /** By itself; what lies in a trashed folder is trashed too. */
  trashed: boolean
  trashedTime: number | null
  version: number
  headRevisionId: string
  starred: boolean
  description?: string
  originalFilename?: string
  folderColorRgb?: string
  shortcutTargetId?: string
  properties: Properties
  appProperties: Properties
  permissions: Permission[]
  /** Downloads want acknowledgeAbuse=true. */
  abusive: boolean
  /** Only its owner and its writers may download, copy and export it. */
  copyRequiresWriterPermission: boolean
  /** How large a document is when it is exported, where that matters. */
  readonly exportBytes?: number
}
